package main

import (
	"context"
	"errors"
)

// retriedOnce: as B7, and the first attempt of every task fails.
var retriedOnce = bench{
	id: "B2s", title: "burn-down of n pre-inserted tasks that fail once and are retried at once", n: 200_000, slots: 10_000,
	run: func(ctx context.Context, s *session) error {
		at, err := s.place()
		if err != nil {
			return err
		}
		n := s.tasks()
		if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
			return err
		}
		took, set, err := s.burn(ctx, at, n, nodeOptions{slots: s.slotCount(), retries: true, handle: failFirst})
		if err != nil {
			return err
		}
		s.rate(took, n, "", set)
		return nil
	},
}

var errOnce = errors.New("the first attempt fails")

func failFirst(_ context.Context, attempt int, _ []byte) error {
	if attempt == 1 {
		return errOnce
	}
	return nil
}
