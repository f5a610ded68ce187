package bulk_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// node is a node of which the others say that it lives, or not.
type node struct{ id, alive string }

func (n node) Node() string { return n.id }

func (n node) Topology() *store.Topology {
	return &store.Topology{Nodes: []store.Node{{ID: n.alive, State: store.NodeAlive}}}
}

// late answers lists only when it is let go on.
type late struct {
	store.Backend
	listed, goOn chan struct{}
}

func (l *late) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	tasks, next, err := l.Backend.Find(ctx, filter, page)
	if l.listed != nil && page.Limit > 1 { // not a look at the newest
		close(l.listed)
		l.listed = nil
		<-l.goOn
	}
	return tasks, next, err
}

func runnerOf(backend store.Backend, n node) *bulk.Runner {
	return bulk.New(bulk.Config{Backend: backend, Node: n, Log: slog.New(slog.DiscardHandler), Steered: func([]store.Steered) {}})
}

// waiting are tasks that run in an hour.
func waiting(t *testing.T, backend store.Backend, count int) (ids []task.ID) {
	t.Helper()
	queue, err := backend.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	var items []store.Insert
	random := rand.New(rand.NewPCG(1, 2))
	for range count {
		id := task.NewID(time.Now(), random).WithLane(queue.Numbers[0])
		ids = append(ids, id)
		items = append(items, store.Insert{Task: &task.Task{ID: id, Queue: "q", Type: "send", Target: "send", RunAt: time.Now().Add(time.Hour), Payload: []byte(`1`)}})
	}
	if results, err := backend.Enqueue(t.Context(), []store.Batch{{Items: items}}); err != nil || results[0].Err != nil {
		t.Fatal(err, results)
	}
	return ids
}

// A node that hung while it listed tasks, and goes on after another has done the
// operation, leaves the plan and the report of that one as they are.
func TestHungNodeLeavesThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, backend := t.Context(), memory.New()
		ids := waiting(t, backend, 3)
		time.Sleep(time.Second)

		hung := &late{Backend: backend, listed: make(chan struct{}), goOn: make(chan struct{})}
		listed := hung.listed
		a, b := runnerOf(hung, node{"a", "a"}), runnerOf(backend, node{"b", "b"})
		a.Start(t.Context())
		synctest.Wait()
		result, err := a.Do(ctx, inspect.BulkRequest{Action: inspect.BulkCancel, Filter: &store.Filter{Type: "send"}}, store.Audit{Actor: "test", Action: "task.cancel"})
		if err != nil {
			t.Fatal(err)
		}
		<-listed
		if _, _, err := backend.Steer(ctx, store.Steering{IDs: ids[:1], Event: task.Cancel}); err != nil { // it ends meanwhile
			t.Fatal(err)
		}
		b.Start(t.Context())
		time.Sleep(10 * time.Second)
		close(hung.goOn)
		time.Sleep(10 * time.Second)

		report, _, err := b.Items(ctx, result.Operation, store.Page{})
		if err != nil {
			t.Fatal(err)
		}
		if len(report) != 2 {
			t.Errorf("the report has %d tasks", len(report))
		}
		for _, item := range report {
			if item.Status != inspect.BulkChanged || item.ID == ids[0] {
				t.Errorf("%v is %s in the report", item.ID, item.Status)
			}
		}
		for _, r := range []*bulk.Runner{a, b} {
			if err := r.Stop(ctx); err != nil {
				t.Error(err)
			}
		}
	})
}

// pages notes the largest page that was asked for.
type pages struct {
	store.Backend
	largest int
}

func (p *pages) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	p.largest = max(p.largest, page.Limit)
	return p.Backend.Find(ctx, filter, page)
}

// Tasks are read with their payloads, of up to 1 MiB: few at a time.
func TestPlanReadsFewTasksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := &pages{Backend: memory.New()}
		waiting(t, backend, 3)
		time.Sleep(time.Second)
		r := runnerOf(backend, node{"a", "a"})
		r.Start(t.Context())
		synctest.Wait()
		if _, err := r.Do(t.Context(), inspect.BulkRequest{Action: inspect.BulkCancel, Filter: &store.Filter{Type: "send"}}, store.Audit{Actor: "test", Action: "task.cancel"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if backend.largest == 0 || backend.largest > 100 {
			t.Errorf("a page had up to %d tasks", backend.largest)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
