package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

var (
	retriedOnServer = bench{
		id: "B2", title: "the same as B1, every task fails once and is retried at once", n: 100_000, slots: 10_000,
		store: postgres, peers: []string{riverName, asynqName}, work: running, ratios: map[string]string{riverName: ">= 6"},
		run: retriedOnce,
	}
	retriedGuarded = bench{
		id: "B2g", title: "the same as B2 for a minute, with the default budget and breaker, which such failures shut", n: 20_000, slots: 10_000,
		store: postgres, work: running,
		run: retriedBehindGates,
	}
	retriedInFile = bench{
		id: "B2s", title: "the same as B2 in a file", n: 200_000, slots: 10_000, store: inFile, work: running,
		run: retriedOnce,
	}
)

// retriedOnce: the first attempt of every task fails.
func retriedOnce(ctx context.Context, s *session) error {
	return s.burnFresh(ctx, nodeOptions{retries: true, handle: failFirst})
}

// guardedLength is how long B2g lasts.
const guardedLength = time.Minute

// retriedBehindGates counts what ends in a given time: a receiver that fails
// whenever it is asked for the first time is not to be asked much.
func retriedBehindGates(ctx context.Context, s *session) error {
	at, err := s.place(ctx)
	if err != nil {
		return err
	}
	n := s.tasks()
	if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
		return err
	}
	var asked atomic.Int64
	worker, err := s.system.open(ctx, at, nodeOptions{slots: s.slotCount(), retries: true, guarded: true, handle: func(ctx context.Context, attempt int, payload []byte) error {
		asked.Add(1)
		return failFirst(ctx, attempt, payload)
	}})
	if err != nil {
		return err
	}
	began := time.Now()
	err = worker.start(ctx)
	sleepUntil(ctx, began.Add(s.length(guardedLength)))
	took, attempts := time.Since(began), int(asked.Load())
	ended, err := s.endedBy(ctx, worker, err)
	if err != nil {
		return err
	}
	set := worker.settings()
	set["length"] = s.length(guardedLength).String()
	s.record("", perSecond(ended, took), "tasks/s", n, "", set)
	s.record("attempts", perSecond(attempts, took), "attempts/s", n, "", set)
	return nil
}

// endedBy counts the successes of a node, and stops it.
func (s *session) endedBy(ctx context.Context, worker node, err error) (int, error) {
	ended := 0
	if err == nil {
		ended, err = worker.succeeded(ctx)
	}
	return ended, errors.Join(err, worker.stop(ctx))
}

var errOnce = errors.New("the first attempt fails")

func failFirst(_ context.Context, attempt int, _ []byte) error {
	if attempt == 1 {
		return errOnce
	}
	return nil
}
