package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	idleRate   = 200 // tasks per second of the benches of an idle system
	warmUp     = 1   // seconds, not measured
	idleSlots  = 1000
	otherTasks = "other process"
)

var (
	latencyOnServer = bench{
		id: "B5", title: "enqueue to handler start at 200/s, idle, from another process and from the same", slots: idleSlots,
		store: postgres, peers: []string{riverName, asynqName}, work: waking, score: "p99", target: "<= 10", run: startLatency,
	}
	latencyInFile = bench{
		id: "B5s", title: "the same as B5 in a file", slots: idleSlots, store: inFile, work: waking, score: "p99", target: "<= 10", run: startLatency,
	}
)

// startLatency: from the call of the enqueue to the start of the handler, on
// a system that does nothing else.
func startLatency(ctx context.Context, s *session) error {
	at, err := s.place(ctx)
	if err != nil {
		return err
	}
	if at.shared() {
		of, set, err := s.latency(ctx, at, s.fromOtherProcess(at))
		if err != nil {
			return err
		}
		set["enqueuer"] = otherTasks
		s.quantiles("", of, s.bench.target, set)
	}
	of, set, err := s.latency(ctx, at, fromHere)
	if err != nil {
		return err
	}
	set["enqueuer"] = "same process"
	s.quantiles("same-process-", of, "", set)
	return nil
}

// enqueuer hands in n stamped tasks at a rate.
type enqueuer func(ctx context.Context, worker node, rate, n int) error

func fromHere(ctx context.Context, worker node, rate, n int) error {
	return steadily(ctx, rate, n, func(i int) error { return worker.enqueue(ctx, job{payload: stamped(i)}) })
}

func (s *session) fromOtherProcess(at place) enqueuer {
	return func(ctx context.Context, _ node, rate, n int) error {
		p, err := s.spawn(ctx, childFlags{kind: "enqueue", store: at.url, tuned: s.tuning(), rate: rate, n: n})
		if err != nil {
			return err
		}
		if _, err := p.expect(ctx, "done", time.Duration(n/rate)*time.Second+time.Minute); err != nil {
			return err
		}
		return p.finish(ctx)
	}
}

// latency measures the age of stamped tasks when their handler starts.
func (s *session) latency(ctx context.Context, at place, from enqueuer) (of *samples, set settings, err error) {
	rate := cmp.Or(s.bench.rate, idleRate)
	warm, n := warmUp*rate, (warmUp+s.config.seconds)*rate
	of = &samples{}
	var arrived atomic.Int64
	done := make(chan struct{})
	worker, err := s.system.open(ctx, at, nodeOptions{slots: s.bench.slots, tuned: s.tuning(), handle: func(_ context.Context, _ int, payload []byte) error {
		now := time.Now()
		sent, i, err := readStamp(payload)
		if err == nil && i >= warm {
			of.add(now.Sub(sent))
		}
		if arrived.Add(1) == int64(n) {
			close(done)
		}
		return err
	}})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, worker.stop(ctx)) }()
	if err := worker.start(ctx); err != nil {
		return nil, nil, err
	}
	err = s.profiled(func() error { return from(ctx, worker, rate, n) })
	if err != nil {
		return nil, nil, err
	}
	if err := wait(ctx, done, 30*time.Second); err != nil {
		return nil, nil, fmt.Errorf("%d of %d tasks started: %w", arrived.Load(), n, err)
	}
	set = worker.settings()
	set["rate"] = rate
	return of, set, nil
}
