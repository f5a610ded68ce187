package outlast_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// A client that has not started enqueues, on a store that nobody has used yet, and waits.
func TestEnqueueBeforeStart(t *testing.T) {
	virtually(t, func(k *kit) {
		first := k.enqueue(outlast.Draft{Type: "t", ID: outlast.NewID()})
		again, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", ID: first.ID})
		if err != nil || !again.Existing {
			k.Errorf("a repeat gave %+v, %v", again, err)
		}
		many, err := k.client.EnqueueMany(k.ctx, []outlast.Draft{{Type: "t"}, {Type: "t", Delay: -1}}, false)
		if err != nil || many[0].Err != nil || many[1].Err == nil {
			k.Errorf("got %+v, %v", many, err)
		}
		_, err = k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Queue: "later"})
		wantCode(k.T, err, task.CodeInvalid)
		nodes, err := k.client.Inspector().Nodes.List(k.ctx)
		if err != nil || len(nodes) != 0 {
			k.Errorf("it has joined: %+v, %v", nodes, err)
		}

		worker := k.open(k.store.Handle(), outlast.WithQueues("default", "later"))
		outlast.Handle(worker, "t", func(context.Context, none) error { return nil })
		if err := worker.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		if done, err := k.client.Wait(k.ctx, first.ID); err != nil || done.State != task.Succeeded {
			k.Errorf("got %+v, %v", done, err)
		}
		// What others have made is known when it is a second old.
		k.after(time.Second)
		if done, err := k.client.Run(k.ctx, outlast.Draft{Type: "t", Queue: "later"}); err != nil || done.State != task.Succeeded {
			k.Errorf("got %+v, %v", done, err)
		}
		// Tasks go where lanes are now.
		if _, err := worker.Inspector().Queues.Put(k.ctx, store.Queue{Name: "later", Lanes: 31}); err != nil {
			k.Fatal(err)
		}
		k.after(time.Second)
		for range 20 {
			if done, err := k.client.Run(k.ctx, outlast.Draft{Type: "t", Queue: "later"}); err != nil || done.State != task.Succeeded {
				k.Errorf("got %+v, %v", done, err)
			}
		}
		if err := k.client.Stop(k.ctx); err != nil {
			k.Error(err)
		}
		_, err = k.client.Enqueue(k.ctx, outlast.Draft{Type: "t"})
		wantCode(k.T, err, task.CodeUnavailable)
	})
}

// Enqueues go on while the client starts, and none is lost.
func TestEnqueueWhileStarting(t *testing.T) {
	virtually(t, func(k *kit) {
		var ran sync.Map
		outlast.Handle(k.client, "t", func(_ context.Context, n int) error { ran.Store(n, true); return nil })
		count := outlast.Define[int, outlast.None]("t")
		var all sync.WaitGroup
		for n := range 100 {
			all.Go(func() {
				if _, err := count.Enqueue(k.ctx, k.client, n); err != nil {
					k.Error(err)
				}
			})
		}
		k.start()
		all.Wait()
		k.after(5 * time.Second)
		for n := range 100 {
			if _, ok := ran.Load(n); !ok {
				k.Errorf("%d did not run", n)
			}
		}
	})
}

// away is a store that cannot be reached for a while.
type away struct {
	*memory.Store
	gone bool
}

func (s *away) Topology(ctx context.Context) (*store.Topology, error) {
	if s.gone {
		return nil, errors.New("connection refused")
	}
	return s.Store.Topology(ctx)
}

// A store that is away at the first call is asked again by the next.
func TestFirstLookFails(t *testing.T) {
	virtually(t, func(k *kit) {
		backend := &away{Store: k.store, gone: true}
		producer := k.open(backend)
		if _, err := producer.Enqueue(k.ctx, outlast.Draft{Type: "t"}); err == nil {
			k.Error("it was accepted without the store")
		}
		backend.gone = false
		if _, err := producer.Enqueue(k.ctx, outlast.Draft{Type: "t"}); err != nil {
			k.Error(err)
		}
	})
}

// Beside a transaction of the caller, which holds the lock of the database, a client that has
// not started only reads: it refuses where there are no queues yet, and waits for nobody.
func TestEnqueueTxBeforeStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	backend, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = backend.Close() }()
	client, err := outlast.Open(t.Context(), backend)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	enqueue := func() ([]outlast.Receipt, error) {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		receipts, refused := client.EnqueueTx(t.Context(), tx, outlast.Draft{Type: "t"})
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		return receipts, refused
	}
	_, err = enqueue()
	if wrong := wantCode(t, err, task.CodeInvalid); len(wrong.Fields) != 1 || wrong.Fields[0].Path != "tasks[0].queue" {
		t.Errorf("got %v", err)
	}
	if _, err := client.Enqueue(t.Context(), outlast.Draft{Type: "t"}); err != nil { // it makes the queues
		t.Fatal(err)
	}
	receipts, err := enqueue()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := client.Inspector().Tasks.Get(t.Context(), receipts[0].Task.ID); err != nil || got.State != task.Pending {
		t.Errorf("got %+v, %v", got, err)
	}
}
