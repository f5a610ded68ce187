package main

import "context"

// burnDown: pre-inserted tasks that do nothing, run by one process.
var burnDown = bench{
	id: "B7", title: "burn-down of n pre-inserted no-op tasks, one process", n: 300_000, slots: 10_000,
	run: func(ctx context.Context, s *session) error {
		at, err := s.place()
		if err != nil {
			return err
		}
		n := s.tasks()
		if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
			return err
		}
		took, set, err := s.burn(ctx, at, n, nodeOptions{slots: s.slotCount(), handle: succeed})
		if err != nil {
			return err
		}
		s.rate(took, n, ">= 80000", set)
		return nil
	},
}

func succeed(context.Context, int, []byte) error { return nil }
