package main

import (
	"context"
	"errors"
	"time"
)

// runChild is a node whose tasks take a while. It tells of the beginning and the
// end of each attempt.
func runChild(ctx context.Context, f childFlags, d *dialogue) (err error) {
	system, err := systemNamed(f.system)
	if err != nil {
		return err
	}
	handle := func(ctx context.Context, attempt int, payload []byte) error {
		_, i, err := readStamp(payload)
		if err != nil {
			return err
		}
		if err := d.tell(event{Kind: "began", Task: i, Attempt: attempt, Nanos: time.Now().UnixNano()}); err != nil {
			return err
		}
		if !sleepUntil(ctx, time.Now().Add(crashTask)) {
			return ctx.Err()
		}
		return d.tell(event{Kind: "ended", Task: i})
	}
	worker, err := system.open(ctx, place{url: f.store}, nodeOptions{slots: idleSlots, crashes: true, handle: handle, tuned: f.tuned})
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
	for _, more := d.asked(); more; _, more = d.asked() {
		continue
	}
	return nil
}
