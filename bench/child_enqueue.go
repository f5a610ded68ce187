package main

import (
	"context"
	"errors"
)

// enqueueChild enqueues stamped tasks at a steady rate from a process that
// runs none.
func enqueueChild(ctx context.Context, f childFlags, d *dialogue) (err error) {
	system, err := systemNamed(f.system)
	if err != nil {
		return err
	}
	filler, err := system.open(ctx, place{url: f.store}, nodeOptions{enqueueOnly: true, tuned: f.tuned})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, filler.stop(ctx)) }()
	if err := filler.start(ctx); err != nil {
		return err
	}
	if err := d.tell(event{Kind: "ready"}); err != nil {
		return err
	}
	if err := steadily(ctx, f.rate, f.n, func(i int) error {
		return filler.enqueue(ctx, job{payload: stamped(i)})
	}); err != nil {
		return err
	}
	return d.tell(event{Kind: "done"})
}
