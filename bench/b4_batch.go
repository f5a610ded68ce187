package main

import (
	"context"
	"errors"
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
		var took stretch
		err = s.profiled(func() error {
			stop := clock()
			for range n {
				if err := filler.enqueueMany(ctx, jobs); err != nil {
					return err
				}
			}
			took = stop()
			return nil
		})
		if err != nil {
			return err
		}
		set := filler.settings()
		set["batch"] = batchSize
		s.rate(took, n*batchSize, "", set)
		return nil
	},
}
