package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// retryWait is the wait of B6.
const retryWait = 200 * time.Millisecond

var (
	latenessOnServer = bench{
		id: "B6", title: "retry set for +200 ms: how late it starts, 200/s", slots: idleSlots,
		store: postgres, peers: []string{riverName, asynqName}, work: waking, score: "p99", target: "<= 5", run: retryLateness,
	}
	latenessInFile = bench{
		id: "B6s", title: "the same as B6 in a file", slots: idleSlots, store: inFile, work: waking, score: "p99", target: "<= 5", run: retryLateness,
	}
)

// retryLateness: the first attempt fails, the policy says 200 ms, and what
// counts is how much later the second one starts.
func retryLateness(ctx context.Context, s *session) (err error) {
	at, err := s.place(ctx)
	if err != nil {
		return err
	}
	rate := cmp.Or(s.bench.rate, idleRate)
	warm, n := warmUp*rate, (warmUp+s.config.seconds)*rate
	var late samples
	var arrived atomic.Int64
	done := make(chan struct{})
	failed := make([]atomic.Pointer[time.Time], n)
	worker, err := s.system.open(ctx, at, nodeOptions{
		slots: s.bench.slots, tuned: s.tuning(), retries: true, wait: retryWait,
		handle: func(_ context.Context, attempt int, payload []byte) error {
			began := time.Now()
			_, i, err := readStamp(payload)
			if err != nil {
				return err
			}
			if attempt == 1 {
				now := time.Now()
				failed[i].Store(&now)
				return errOnce
			}
			if i >= warm {
				late.add(began.Sub(*failed[i].Load()) - retryWait)
			}
			if arrived.Add(1) == int64(n) {
				close(done)
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.stop(ctx)) }()
	if err := worker.start(ctx); err != nil {
		return err
	}
	if err := s.profiled(func() error { return fromHere(ctx, worker, rate, n) }); err != nil {
		return err
	}
	if err := wait(ctx, done, 30*time.Second); err != nil {
		return fmt.Errorf("%d of %d tasks were retried: %w", arrived.Load(), n, err)
	}
	set := worker.settings()
	set["rate"] = rate
	s.quantiles("", &late, s.bench.target, set)
	s.record("early", float64(late.negative()), "tasks", late.count(), "== 0", set)
	return nil
}
