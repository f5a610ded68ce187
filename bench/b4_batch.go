package main

import "context"

// batchSize is that of the batches of B4.
const batchSize = 2000

var (
	batchesOnServer = bench{
		id: "B4", title: "enqueue in batches of 2000 from one goroutine", n: 400_000,
		store: postgres, peers: []string{riverName, asynqName}, work: batching, ratios: map[string]string{riverName: ">= 2"},
		run: batchEnqueues,
	}
	batchesInFile = bench{
		id: "B4s", title: "the same as B4 in a file", n: 400_000, store: inFile, work: batching, run: batchEnqueues,
	}
)

// batchEnqueues: one caller, one batch after the other. Outlast's and River's
// are atomic.
func batchEnqueues(ctx context.Context, s *session) error {
	n := max(1, s.tasks()/batchSize)
	jobs := make([]job, batchSize)
	for i := range jobs {
		jobs[i].payload = noop
	}
	took, set, err := s.fill(ctx, func(filler node) error {
		for range n {
			if err := filler.enqueueMany(ctx, jobs); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	set["batch"] = batchSize
	s.rate("", took, n*batchSize, "", set)
	return nil
}
