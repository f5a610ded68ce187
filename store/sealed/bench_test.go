package sealed_test

import (
	"bytes"
	"context"
	"strconv"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// BenchmarkTask is what encryption adds to a task on its way in and out: one
// enqueue and one claim over a store that does nothing.
func BenchmarkTask(b *testing.B) {
	for _, size := range []int{200, 4 << 10, 64 << 10, 1 << 20} {
		for name, keys := range map[string]sealed.Keys{"sealed": oneKey(1), "plain": {}} {
			b.Run(name+"/"+strconv.Itoa(size), func(b *testing.B) {
				k := newBench(b)
				quiet := &keepingStore{Backend: k.raw}
				s, err := sealed.Wrap(quiet, keys, nil)
				k.ok(err)
				given := k.task(string(bytes.Repeat([]byte("x"), size)))
				batches := []store.Batch{{Items: []store.Insert{{Task: given}}}}
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Enqueue(b.Context(), batches); err != nil {
						b.Fatal(err)
					}
					if claimed, err := s.Claim(b.Context(), store.Claim{}); err != nil || len(claimed.Tasks) != 1 {
						b.Fatal(err, claimed)
					}
				}
			})
		}
	}
}

// keepingStore gives back the last task that it was given.
type keepingStore struct {
	store.Backend
	results [1]store.BatchResult
	tasks   [1]*task.Task
	last    task.Task
}

func (k *keepingStore) Enqueue(_ context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	k.last = *batches[0].Items[0].Task
	return k.results[:], nil
}

func (k *keepingStore) Claim(context.Context, store.Claim) (store.Claimed, error) {
	k.tasks[0] = &k.last
	return store.Claimed{Tasks: k.tasks[:]}, nil
}
