package engine_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

func onDisk(b *testing.B, r *registry, start bool) (*engine.Engine, []uint16) {
	b.Helper()
	r.policy = retry.Default()
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	q, err := s.PutQueue(b.Context(), store.Queue{Name: "default", Lanes: 8})
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Store: s, Registry: r, Node: store.Node{ID: "bench", Embedded: true}, Slots: 10_000, Share: 1,
	})
	if err != nil {
		b.Fatal(err)
	}
	if start {
		if err := e.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = e.Stop(context.Background()) })
	}
	return e, q.Numbers
}

func fresh(lanes []uint16) store.Insert {
	id := task.NewID(time.Now(), source{}).WithLane(lanes[rand.IntN(len(lanes))])
	return store.Insert{Task: &task.Task{ID: id, Queue: "default", Type: "noop", Target: "noop", Priority: 5, Payload: []byte(`{"n":12345}`)}}
}

type source struct{}

func (source) Uint64() uint64 { return rand.Uint64() }

// BenchmarkEnqueue16 is single durable enqueues from 16 goroutines; no type
// can start, so nothing else happens.
func BenchmarkEnqueue16(b *testing.B) {
	e, lanes := onDisk(b, &registry{handlers: handlers(), queues: []string{"none"}}, true)
	b.ResetTimer()
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(b.N))
	for range 16 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := e.Enqueue(b.Context(), []store.Insert{fresh(lanes)}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// BenchmarkBurnDown runs pre-inserted tasks that do nothing.
func BenchmarkBurnDown(b *testing.B) {
	var ran atomic.Int64
	done := make(chan struct{})
	r := &registry{handlers: handlers("noop", func(context.Context, *engine.Run) ([]byte, error) {
		if ran.Add(1) == int64(b.N) {
			close(done)
		}
		return nil, nil
	})}
	r.policy = retry.Default()
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	q, err := s.PutQueue(b.Context(), store.Queue{Name: "default", Lanes: 8})
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n < b.N; n += 1000 {
		batch := store.Batch{}
		for range min(1000, b.N-n) {
			batch.Items = append(batch.Items, fresh(q.Numbers))
		}
		if _, err := s.Enqueue(b.Context(), []store.Batch{batch}); err != nil {
			b.Fatal(err)
		}
	}
	e, err := engine.New(engine.Config{
		Store: s, Registry: r, Node: store.Node{ID: "bench", Embedded: true}, Slots: 10_000, Share: 1,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if err := e.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	<-done
	if err := e.Stop(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}
