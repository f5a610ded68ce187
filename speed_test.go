package outlast_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// BenchmarkEngine burns tasks down that do nothing, on a store that does
// nothing either: what is left is what the engine itself costs. Look at
// cpu-ns/task, the time on all cores.
func BenchmarkEngine(b *testing.B) {
	b.Run("success", func(b *testing.B) { runEngine(b, 0) })
	b.Run("retry", func(b *testing.B) { runEngine(b, 1) })
	b.Run("traced", func(b *testing.B) { runTraced(b, sdktrace.AlwaysSample()) })
	b.Run("unsampled", func(b *testing.B) { runTraced(b, sdktrace.NeverSample()) })
}

// runTraced runs b.N tasks with a span for each attempt, which goes nowhere.
func runTraced(b *testing.B, sampler sdktrace.Sampler) {
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(noExporter{}), sdktrace.WithSampler(sampler))
	runEngine(b, 0, outlast.WithTracerProvider(provider))
	if err := provider.Shutdown(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// runEngine runs b.N tasks each of which fails so often before it succeeds.
func runEngine(b *testing.B, failures int, opts ...outlast.Option) {
	ctx := context.Background()
	backend := &cheapStore{Store: memory.New(), tasks: b.N, ran: make([]uint8, b.N)}
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan struct{})
	var batches, rows atomic.Int64
	client, err := outlast.Open(ctx, backend, append(opts, outlast.WithTuning(outlast.Tuning{Slots: 10_000, Share: 1}),
		outlast.WithObserver(outlast.Observer{Committed: func(_ string, n int, _ time.Duration) { batches.Add(1); rows.Add(int64(n)) }}))...)
	if err != nil {
		b.Fatal(err)
	}
	policy, err := retry.New(retry.Fixed(0), retry.NoJitter(), retry.Attempts(25), retry.TaskBudget(nil), retry.TaskBreaker(nil))
	if err != nil {
		b.Fatal(err)
	}
	failed := errors.New("as planned")
	outlast.Handle(client, "noop", func(ctx context.Context, _ json.RawMessage) error {
		if failures > 0 {
			if info, _ := outlast.Info(ctx); info.Attempt <= failures {
				return failed
			}
		}
		if left.Add(-1) == 0 {
			close(done)
		}
		return nil
	}, outlast.Retry(policy))
	b.ReportAllocs()
	b.ResetTimer()
	used := processorTime(b)
	if err := client.Start(ctx); err != nil {
		b.Fatal(err)
	}
	<-done
	b.StopTimer()
	b.ReportMetric(float64(processorTime(b)-used)/float64(b.N), "cpu-ns/task")
	b.ReportMetric(float64(rows.Load())/float64(max(batches.Load(), 1)), "rows/settle")
	if err := client.Stop(ctx); err != nil {
		b.Fatal(err)
	}
}

// noExporter takes spans and forgets them.
type noExporter struct{}

func (noExporter) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (noExporter) Shutdown(context.Context) error                             { return nil }

// processorTime is what this process has used of all cores.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// cheapStore is a backlog that is made up as it is read. It checks nothing and
// keeps nothing.
type cheapStore struct {
	*memory.Store
	tasks int
	ran   []uint8 // attempts, by row
	first map[uint16]int
}

var backlogBegan = time.Now().Add(-time.Hour)

// Scan makes rows: the lane of row i is the one of its remainder.
func (s *cheapStore) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	pages := make([][]store.Entry, len(ranges))
	if s.first == nil {
		topology, err := s.Topology(ctx)
		if err != nil {
			return nil, err
		}
		s.first = map[uint16]int{}
		for i, lane := range topology.Lanes {
			s.first[lane.Number] = i
		}
	}
	for i, r := range ranges {
		next := int(max(0, r.After+1))
		next += (s.first[r.Lane] - next%len(s.first) + len(s.first)) % len(s.first)
		pages[i] = make([]store.Entry, 0, min(r.Limit, max(0, s.tasks-next)/len(s.first)+1))
		for ; next < s.tasks && len(pages[i]) < r.Limit; next += len(s.first) {
			var id task.ID
			binary.BigEndian.PutUint64(id[:], uint64(next))
			pages[i] = append(pages[i], store.Entry{
				ID: id.WithLane(r.Lane), RunAt: int64(next), Rank: int64(next), Type: "noop", Target: "noop", Size: 12,
			})
		}
	}
	return pages, nil
}

// Watch says that nobody else writes here.
func (s *cheapStore) Watch(ctx context.Context, _ func([]uint16)) error {
	<-ctx.Done()
	return ctx.Err()
}

var payload = []byte(`{"n":123456}`)

// Claim grants everything.
func (s *cheapStore) Claim(_ context.Context, claim store.Claim) (store.Claimed, error) {
	tasks, now := make([]task.Task, len(claim.Items)), time.Now()
	out := store.Claimed{Tasks: make([]*task.Task, len(claim.Items))}
	for i, item := range claim.Items {
		t := &tasks[i]
		t.ID, t.Queue, t.Type, t.Target, t.Payload, t.State = item.ID, "default", "noop", "noop", payload, task.Running
		t.RunAt, t.CreatedAt, t.StartedAt = backlogBegan, backlogBegan, now
		ran := &s.ran[binary.BigEndian.Uint64(item.ID[:])]
		*ran++
		t.Attempt, t.Claim = int(*ran), now.UnixMicro()
		out.Tasks[i] = t
	}
	return out, nil
}

// Settle believes everything.
func (s *cheapStore) Settle(_ context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	out := make([]store.Settled, len(settlements))
	for i := range settlements {
		end := &settlements[i]
		out[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
		if end.Outcome == task.OutcomeFailed {
			t := end.Task
			out[i].State = task.Pending
			out[i].Entry = store.Entry{ID: t.ID, RunAt: end.RunAt.UnixMicro(), Rank: 0, Type: t.Type, Target: t.Target, Attempt: t.Attempt, Size: len(t.Payload)}
		}
	}
	return out, nil
}
