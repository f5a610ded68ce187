package main

import (
	"context"
	"errors"
	"time"
)

// enqueuers is how many goroutines or connections enqueue one by one.
const enqueuers = 16

var (
	singlesOnServer = bench{
		id: "B3", title: "enqueue one by one from 16 goroutines, each call durable on return", n: 100_000,
		store: postgres, peers: []string{riverName, asynqName}, work: enqueuing, ratios: map[string]string{riverName: ">= 5"},
		run: singleEnqueues,
	}
	singlesInFile = bench{
		id: "B3s", title: "the same as B3 in a file", n: 100_000, store: inFile, work: enqueuing, target: ">= 30000",
		run: singleEnqueues,
	}
)

// singleEnqueues: each call is durable when it returns.
func singleEnqueues(ctx context.Context, s *session) error {
	var calls [enqueuers]samples
	n := s.tasks()
	took, set, err := s.fill(ctx, func(filler node) error {
		return share(enqueuers, n, func(i int) error {
			called := time.Now()
			err := filler.enqueue(ctx, job{payload: noop})
			calls[i].add(time.Since(called))
			return err
		})
	})
	if err != nil {
		return err
	}
	set["goroutines"] = enqueuers
	s.rate("", took, n, s.bench.target, set)
	var all samples
	for i := range calls {
		all.all = append(all.all, calls[i].all...)
	}
	s.record("call-p99", all.quantile(0.99), "ms", n, "", set)
	return nil
}

// fill measures what is done with a node that runs nothing, on a fresh place.
func (s *session) fill(ctx context.Context, enqueue func(node) error) (took stretch, set settings, err error) {
	at, err := s.place(ctx)
	if err != nil {
		return took, nil, err
	}
	if at.meter != nil {
		if err := at.meter.settle(ctx); err != nil {
			return took, nil, err
		}
	}
	filler, err := s.system.open(ctx, at, nodeOptions{enqueueOnly: true, tuned: s.tuning()})
	if err != nil {
		return took, nil, err
	}
	if err := filler.start(ctx); err != nil {
		return took, nil, errors.Join(err, filler.stop(ctx))
	}
	err = s.profiled(func() error {
		stop, err := clock(ctx, at.meter)
		if err != nil {
			return err
		}
		if err := enqueue(filler); err != nil {
			return err
		}
		took, err = stop()
		return err
	})
	if err = errors.Join(err, filler.stop(ctx)); err != nil {
		return took, nil, err
	}
	return took, filler.settings(), took.stopped(ctx)
}
