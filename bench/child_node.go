package main

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"
)

// nodeChild is a node that runs tasks which do nothing, and enqueues some at
// a steady rate if wanted. It tells when it is ready, and when the first task
// that was enqueued after that has run. The word "memory" makes it tell what
// it occupies.
func nodeChild(ctx context.Context, f childFlags, d *dialogue) (err error) {
	system, err := systemNamed(f.system)
	if err != nil {
		return err
	}
	ready, ran := time.Now(), sync.Once{}
	handle := func(_ context.Context, _ int, payload []byte) error {
		at, _, err := readStamp(payload)
		if err == nil && !at.Before(ready) {
			ran.Do(func() { _ = d.tell(event{Kind: "ran"}) })
		}
		return nil
	}
	worker, err := system.open(ctx, place{url: f.store}, nodeOptions{slots: 1000, handle: handle, tuned: f.tuned})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.stop(context.WithoutCancel(ctx))) }()
	if err := worker.start(ctx); err != nil {
		return err
	}
	if err := d.tell(event{Kind: "ready"}); err != nil {
		return err
	}
	if err := worker.enqueue(ctx, job{payload: stamped(0)}); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if f.rate > 0 {
		go func() {
			_ = steadily(ctx, f.rate, 1<<30, func(i int) error { return worker.enqueue(ctx, job{payload: stamped(i)}) })
		}()
	}
	for word, more := d.asked(); more; word, more = d.asked() {
		switch word {
		case "memory":
			err = d.tell(event{Kind: word})
		case "trimmed":
			debug.FreeOSMemory()
			err = d.tell(event{Kind: word})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
