package main

import (
	"context"
	"errors"
)

var (
	retriedOnServer = bench{
		id: "B2", title: "the same as B1, every task fails once and is retried at once", n: 100_000, slots: 10_000,
		store: postgres, peers: []string{riverName, asynqName}, work: running, ratios: map[string]string{riverName: ">= 6"},
		run: retriedOnce,
	}
	retriedGuarded = bench{
		id: "B2g", title: "the same as B2 with the default budget and breaker, beside B2 in turns", n: 100_000, slots: 10_000,
		store: postgres, work: running,
		run: behindGuards,
	}
	retriedGuardedInFile = bench{
		id: "B2gs", title: "the same as B2g in a file", n: 200_000, slots: 10_000, store: inFile, work: running,
		run: behindGuards,
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

// behindGuards measures B2 with the default budget and breaker and without, in
// turns, and how much of the rate is left with them.
func behindGuards(ctx context.Context, s *session) error {
	n, rates := s.tasks(), map[bool]float64{}
	var set settings
	for i := range 2 {
		guarded := (i+s.run)%2 == 0
		at, err := s.place(ctx)
		if err != nil {
			return err
		}
		if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
			return err
		}
		took, used, err := s.burn(ctx, at, n, nodeOptions{slots: s.slotCount(), retries: true, guarded: guarded, handle: failFirst})
		if err != nil {
			return err
		}
		if rates[guarded] = perSecond(n, took.wall); guarded {
			set = used
		}
	}
	s.record("", rates[true], "tasks/s", n, "", set)
	s.record("share", rates[true]/rates[false], "× without", n, ">= 0.8", set)
	return nil
}

var errOnce = errors.New("the first attempt fails")

func failFirst(_ context.Context, attempt int, _ []byte) error {
	if attempt == 1 {
		return errOnce
	}
	return nil
}
