package main

import (
	"context"
	"errors"
)

var (
	retriedOnServer = bench{
		id: "B2", title: "the same as B1, every task fails once and is retried at once", n: 100_000, slots: 10_000,
		store: postgres, peers: []string{riverName, asynqName}, work: running, ratios: map[string]string{riverName: ">= 6"},
		run: retriedOnce(false),
	}
	retriedGuarded = bench{
		id: "B2g", title: "the same as B2 with the default budget and breaker, which such failures shut", n: 20_000, slots: 10_000,
		store: postgres, work: running,
		run: retriedOnce(true),
	}
	retriedInFile = bench{
		id: "B2s", title: "the same as B2 in a file", n: 200_000, slots: 10_000, store: inFile, work: running,
		run: retriedOnce(false),
	}
)

// retriedOnce: the first attempt of every task fails.
func retriedOnce(guarded bool) func(ctx context.Context, s *session) error {
	return func(ctx context.Context, s *session) error {
		return s.burnFresh(ctx, nodeOptions{retries: true, guarded: guarded, handle: failFirst})
	}
}

var errOnce = errors.New("the first attempt fails")

func failFirst(_ context.Context, attempt int, _ []byte) error {
	if attempt == 1 {
		return errOnce
	}
	return nil
}
