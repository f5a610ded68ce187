package main

import (
	"context"
	"errors"
	"time"
)

// enqueuers is how many goroutines or connections enqueue one by one.
const enqueuers = 16

// singleEnqueues: each call is durable when it returns.
var singleEnqueues = bench{
	id: "B3s", title: "enqueue one by one from 16 goroutines, each call durable on return", n: 100_000,
	run: func(ctx context.Context, s *session) (err error) {
		filler, err := s.filler(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, filler.stop(ctx)) }()
		n := s.tasks()
		var calls [enqueuers]samples
		var took stretch
		err = s.profiled(func() error {
			stop := clock()
			err := share(enqueuers, n, func(i int) error {
				called := time.Now()
				err := filler.enqueue(ctx, job{payload: noop})
				calls[i].add(time.Since(called))
				return err
			})
			took = stop()
			return err
		})
		if err != nil {
			return err
		}
		set := filler.settings()
		set["goroutines"] = enqueuers
		s.rate(took, n, ">= 30000", set)
		var all samples
		for i := range calls {
			all.all = append(all.all, calls[i].all...)
		}
		s.record("call-p99", all.quantile(0.99), "ms", n, "", set)
		return nil
	},
}

// filler is a started node that runs nothing, on a place of its own.
func (s *session) filler(ctx context.Context) (node, error) {
	at, err := s.place()
	if err != nil {
		return nil, err
	}
	filler, err := s.system.open(ctx, at, nodeOptions{enqueueOnly: true})
	if err != nil {
		return nil, err
	}
	if err := filler.start(ctx); err != nil {
		return nil, errors.Join(err, filler.stop(ctx))
	}
	return filler, nil
}
