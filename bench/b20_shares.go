package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	modestKeys  = 100
	modestRate  = 100                    // tasks per second, each of the next key
	modestTasks = 1000                   // that are measured, of one run
	greedyTakes = 500 * time.Millisecond // a task of the greedy key, give or take half: or all slots would become free at once
)

var (
	sharesOnServer = bench{
		id: "B20", title: "enqueue to handler start of 100 share keys at 100/s, idle and behind a key with n tasks", n: 100_000, slots: 200,
		store: postgres, work: waking, score: "ratio-p50", target: "<= 2", run: greedyShare,
	}
	sharesInFile = bench{
		id: "B20s", title: "the same as B20 in a file", n: 100_000, slots: 200, store: inFile, work: waking, score: "ratio-p50", target: "<= 2", run: greedyShare,
	}
)

// greedyShare measures what a backlog of one share key, which was there before the node
// started and holds all slots, does to the tasks of others.
func greedyShare(ctx context.Context, s *session) error {
	idle, _, err := s.modest(ctx, 0)
	if err != nil {
		return err
	}
	behind, set, err := s.modest(ctx, s.tasks())
	if err != nil {
		return err
	}
	s.quantiles("idle-", idle, "", set)
	s.quantiles("", behind, "", set)
	for name, q := range map[string]float64{"p50": 0.5, "p99": 0.99} {
		target := ""
		if "ratio-"+name == s.bench.score {
			target = s.bench.target
		}
		s.record("ratio-"+name, behind.quantile(q)/idle.quantile(q), "× idle", behind.count(), target, set)
	}
	return nil
}

// modest measures the age of tasks of many share keys when their handlers start, on a
// node that finds so many tasks of another key.
func (s *session) modest(ctx context.Context, greedy int) (of *samples, set settings, err error) {
	at, err := s.place(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := s.prefill(ctx, at, greedy, job{payload: noop, share: "greedy"}); err != nil {
		return nil, nil, err
	}
	warm, n := warmUp*modestRate, warmUp*modestRate+modestTasks
	of = &samples{}
	var arrived atomic.Int64
	done := make(chan struct{})
	worker, err := s.system.open(ctx, at, nodeOptions{slots: s.bench.slots, tuned: s.tuning(), handle: func(ctx context.Context, _ int, payload []byte) error {
		now := time.Now()
		sent, i, err := readStamp(payload)
		if err != nil { // a greedy one
			sleepUntil(ctx, now.Add(greedyTakes/2+rand.N(greedyTakes)))
			return nil
		}
		if i >= warm {
			of.add(now.Sub(sent))
		}
		if arrived.Add(1) == int64(n) {
			close(done)
		}
		return nil
	}})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, worker.stop(ctx)) }()
	if err := worker.start(ctx); err != nil {
		return nil, nil, err
	}
	err = s.profiled(func() error {
		return steadily(ctx, modestRate, n, func(i int) error {
			return worker.enqueue(ctx, job{payload: stamped(i), share: "modest-" + strconv.Itoa(i%modestKeys)})
		})
	})
	if err != nil {
		return nil, nil, err
	}
	if err := wait(ctx, done, 30*time.Second); err != nil {
		return nil, nil, fmt.Errorf("%d of %d tasks started: %w", arrived.Load(), n, err)
	}
	set = worker.settings()
	set["rate"] = modestRate
	return of, set, nil
}
