package main

import (
	"context"
	"errors"
	"time"
)

// batchSize is that of the batches of B4s.
const batchSize = 2000

// batchEnqueues: one caller, one batch after the other.
var batchEnqueues = bench{
	id: "B4s", title: "enqueue in atomic batches of 2000 from one goroutine", n: 400_000,
	run: func(ctx context.Context, s *session) (err error) {
		filler, err := s.filler(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, filler.stop(ctx)) }()
		n := max(1, s.tasks()/batchSize)
		jobs := make([]job, batchSize)
		for i := range jobs {
			jobs[i].payload = noop
		}
		var took time.Duration
		err = s.profiled(func() error {
			began := time.Now()
			for range n {
				if err := filler.enqueueMany(ctx, jobs); err != nil {
					return err
				}
			}
			took = time.Since(began)
			return nil
		})
		if err != nil {
			return err
		}
		set := filler.settings()
		set["batch"] = batchSize
		s.record("", perSecond(n*batchSize, took), "tasks/s", n*batchSize, "", set)
		return nil
	},
}
