package engine_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// BenchmarkRemoteStart is the time from the call of an enqueue on one node to
// the start of the handler on another, at 200 tasks a second.
func BenchmarkRemoteStart(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "shared.db")
		open := func() store.Backend {
			s, err := sqlite.Open(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			return s
		}
		remoteStart(b, open(), open(), &phone{})
	})
	b.Run("calls", func(b *testing.B) {
		data := memory.New()
		remoteStart(b, mute{data}, mute{data.Handle()}, &phone{})
	})
}

func remoteStart(b *testing.B, near, far store.Backend, p *phone) {
	q, err := near.PutQueue(b.Context(), store.Queue{Name: "default", Lanes: 8})
	if err != nil {
		b.Fatal(err)
	}
	var mu sync.Mutex
	sent, late, accepted := map[task.ID]time.Time{}, []time.Duration{}, []time.Duration{}
	started := make(chan struct{}, b.N+1)
	worker := newMember(b, p, far, "worker", &registry{handlers: handlers("noop", func(_ context.Context, run *engine.Run) ([]byte, error) {
		mu.Lock()
		late = append(late, time.Since(sent[run.Task.ID]))
		mu.Unlock()
		started <- struct{}{}
		return nil, nil
	})}, false)
	caller := newMember(b, p, near, "caller", &registry{}, true)
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for range 400 { // let both see each other
		<-pace.C
	}
	b.ResetTimer()
	for range b.N {
		<-pace.C
		insert := fresh(q.Numbers)
		mu.Lock()
		sent[insert.Task.ID] = time.Now()
		mu.Unlock()
		go func() {
			began := time.Now()
			if _, err := caller.Enqueue(context.Background(), []store.Insert{insert}); err != nil {
				b.Error(err)
			}
			mu.Lock()
			accepted = append(accepted, time.Since(began))
			mu.Unlock()
		}()
	}
	for range b.N {
		<-started
	}
	b.StopTimer()
	at := func(times []time.Duration, part float64) float64 {
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(times)
		return float64(times[int(part*float64(len(times)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(late, 0.5), "p50-ms")
	b.ReportMetric(at(late, 0.99), "p99-ms")
	b.ReportMetric(at(accepted, 0.5), "enqueue-p50-ms")
	b.ReportMetric(at(accepted, 0.99), "enqueue-p99-ms")
	b.ReportMetric(0, "ns/op")
	for _, e := range []*engine.Engine{caller, worker} {
		if err := e.Stop(context.Background()); err != nil {
			b.Error(err)
		}
	}
}

func newMember(b *testing.B, p *phone, s store.Backend, name string, r *registry, caller bool) *engine.Engine {
	r.policy = retry.Default()
	e, err := engine.New(engine.Config{
		Store: s, Registry: r, Tell: p.tell, EnqueueOnly: caller,
		Node: store.Node{ID: name, Embedded: true, Address: name + ":1", WakeKey: "key of " + name},
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := e.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nodes == nil {
		p.nodes = map[string]*engine.Engine{}
	}
	p.nodes["key of "+name] = e
	return e
}
