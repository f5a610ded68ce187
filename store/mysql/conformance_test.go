package mysql_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/storetest"
)

func TestConformance(t *testing.T) {
	var mu sync.Mutex
	databases := map[store.Backend]*database{}
	open := func(t *testing.T, d *database) store.Backend {
		s := d.store(t)
		mu.Lock()
		defer mu.Unlock()
		databases[s] = d
		return s
	}
	of := func(s store.Backend) *database {
		mu.Lock()
		defer mu.Unlock()
		return databases[s]
	}
	storetest.Run(t, func(t *testing.T) store.Backend { return open(t, newDatabase(t)) }, storetest.Abilities{
		Reopen:  func(t *testing.T, s store.Backend) store.Backend { return open(t, of(s)) },
		Advance: func(_ *testing.T, s store.Backend, d time.Duration) { of(s).advance(d) },
		Tx: func(t *testing.T, s store.Backend) (any, func() error, func() error) {
			tx, err := of(s).BeginTx(context.WithoutCancel(t.Context()), nil)
			if err != nil {
				t.Fatal(err)
			}
			return tx, tx.Commit, tx.Rollback
		},
	})
}

// TestModel compares the store with the reference under random operations.
func TestModel(t *testing.T) {
	storetest.RunModel(t, memory.New(), newDatabase(t).store(t))
}
