package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// burnChild is a node whose tasks do nothing. The word "go" makes it end the pause of the
// queue, which it then need not learn of from another; "count" makes it tell how many
// tasks it has ended, and when the last of them.
func burnChild(ctx context.Context, f childFlags, d *dialogue) (err error) {
	var ended, last atomic.Int64
	worker, err := openOutlast(ctx, place{url: f.store}, nodeOptions{slots: f.n, handle: succeed, ended: func() {
		last.Store(time.Now().UnixNano())
		ended.Add(1)
	}})
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
	for word, more := d.asked(); more; word, more = d.asked() {
		if word == "go" {
			if _, err := worker.client.Inspector().Queues.Pause(ctx, task.DefaultQueue, false); err != nil {
				return err
			}
		}
		if err := d.tell(event{Kind: word, Nanos: last.Load(), report: report{Count: int(ended.Load())}}); err != nil {
			return err
		}
	}
	return nil
}
