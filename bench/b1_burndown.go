package main

import "context"

var (
	burnDownOnServer = bench{
		id: "B1", title: "burn-down of n pre-inserted no-op tasks, one process", n: 100_000, slots: 10_000,
		store: postgres, peers: []string{riverName, asynqName}, work: running, ratios: map[string]string{riverName: ">= 5"},
		run: burnDown,
	}
	burnDownInFile = bench{
		id: "B7", title: "the same as B1 in a file", n: 300_000, slots: 10_000, store: inFile, work: running, target: ">= 110000",
		run: burnDown,
	}
)

// burnDown: pre-inserted tasks that do nothing, run by one process.
func burnDown(ctx context.Context, s *session) error {
	return s.burnFresh(ctx, nodeOptions{handle: succeed})
}

// burnFresh fills a place and burns it down.
func (s *session) burnFresh(ctx context.Context, o nodeOptions) error {
	at, err := s.place(ctx)
	if err != nil {
		return err
	}
	n := s.tasks()
	if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
		return err
	}
	o.slots = s.slotCount()
	took, set, err := s.burn(ctx, at, n, o)
	if err != nil {
		return err
	}
	s.rate("", took, n, s.bench.target, set)
	return nil
}

func succeed(context.Context, int, []byte) error { return nil }
