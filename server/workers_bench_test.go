package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/sqlite"
)

func eachStore(b *testing.B, run func(b *testing.B, backend store.Backend)) {
	b.Run("memory", func(b *testing.B) { run(b, memory.New()) })
	b.Run("sqlite", func(b *testing.B) {
		backend, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "workers.db"))
		must(b, err)
		run(b, backend)
	})
	b.Run("postgres", func(b *testing.B) {
		url := os.Getenv("OUTLAST_BENCH_POSTGRES")
		if url == "" {
			b.Skip("OUTLAST_BENCH_POSTGRES is not set")
		}
		backend, err := postgres.OpenURL(context.Background(), url)
		must(b, err)
		run(b, backend)
	})
}

// BenchmarkWorkers is the time for one task through four remote workers that fetch
// and settle batches of 100 over HTTP.
func BenchmarkWorkers(b *testing.B) {
	eachStore(b, func(b *testing.B, backend store.Backend) {
		a := startOn(b, backend)
		c, err := client.New(a.url)
		must(b, err)
		defer c.Close()
		most, left := 100, atomic.Int64{}
		poll := func(worker string, wait time.Duration) []client.LeasedTask {
			tasks, err := c.Poll(b.Context(), client.Poll{Worker: worker, Types: []string{"noop"}, Max: &most, Wait: client.Duration(wait)})
			must(b, err)
			return tasks
		}
		poll("w0", 0)
		for n := 0; n < b.N; n += 1000 {
			drafts := make([]client.Draft, min(1000, b.N-n))
			for i := range drafts {
				drafts[i] = client.Draft{Type: "noop", Payload: json.RawMessage(`{"n":1234}`)}
			}
			_, err := c.EnqueueBatch(b.Context(), drafts, false)
			must(b, err)
		}
		left.Store(int64(b.N))
		b.ResetTimer()
		var workers sync.WaitGroup
		for w := range 4 {
			workers.Go(func() {
				for left.Load() > 0 {
					tasks := poll(fmt.Sprint("w", w), 100*time.Millisecond)
					results := make([]client.TaskResult, len(tasks))
					for i, t := range tasks {
						results[i] = client.TaskResult{ID: t.ID, Claim: t.Claim, Outcome: "succeeded"}
					}
					if len(results) > 0 {
						_, err := c.Settle(b.Context(), results)
						must(b, err)
						left.Add(int64(-len(results)))
					}
				}
			})
		}
		workers.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	})
}

// BenchmarkPollAnswer is the time from the call of an enqueue to the answer of a poll
// that waits, at 200 tasks a second, all over HTTP.
func BenchmarkPollAnswer(b *testing.B) {
	eachStore(b, func(b *testing.B, backend store.Backend) {
		a := startOn(b, backend)
		c, err := client.New(a.url)
		must(b, err)
		defer c.Close()
		var late []time.Duration
		var settles sync.WaitGroup
		seen := make(chan struct{})
		go func() {
			defer close(seen)
			for len(late) < b.N {
				tasks, err := c.Poll(b.Context(), client.Poll{Worker: "w", Types: []string{"noop"}, Wait: client.Duration(10 * time.Second)})
				if err != nil {
					b.Error(err)
					return
				}
				for _, t := range tasks {
					var at int64
					must(b, json.Unmarshal(t.Payload, &at))
					late = append(late, time.Since(time.UnixMicro(at)))
					settles.Go(func() {
						_, err := c.Settle(context.Background(), []client.TaskResult{{ID: t.ID, Claim: t.Claim, Outcome: "succeeded"}})
						must(b, err)
					})
				}
			}
		}()
		pace := time.NewTicker(5 * time.Millisecond)
		defer pace.Stop()
		for range 100 { // let the poll wait
			<-pace.C
		}
		b.ResetTimer()
		for range b.N {
			<-pace.C
			_, _, err := c.Enqueue(b.Context(), client.Draft{Type: "noop", Payload: json.RawMessage(fmt.Sprint(time.Now().UnixMicro()))})
			must(b, err)
		}
		<-seen
		settles.Wait()
		slices.Sort(late)
		b.ReportMetric(float64(late[len(late)/2])/1e6, "ms-p50")
		b.ReportMetric(float64(late[len(late)*99/100])/1e6, "ms-p99")
	})
}
