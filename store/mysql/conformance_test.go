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
	t.Parallel()
	conform(t, options, false)
}

// TestConformanceOfAnyPool has the worst settings that a pool may have: rows
// changed counted, another character set, other quotes, and a strange time zone.
// The store's own connections have settings of their own; those of a caller's
// transaction have not.
func TestConformanceOfAnyPool(t *testing.T) {
	t.Parallel()
	conform(t, "?charset=latin1&collation=latin1_swedish_ci&parseTime=true&time_zone=%27-11%3A30%27&tx_isolation=%27SERIALIZABLE%27"+
		"&sql_mode=%27ANSI_QUOTES%2CNO_BACKSLASH_ESCAPES%2CPIPES_AS_CONCAT%27", true)
}

// conform checks every rule with pools of the given settings.
func conform(t *testing.T, options string, again bool) {
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
	storetest.Run(t, func(t *testing.T) store.Backend { return open(t, newDatabase(t, options)) }, storetest.Abilities{
		Again:   again,
		Ahead:   again,
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
	t.Parallel()
	storetest.RunModel(t, memory.New(), newDatabase(t, options).store(t))
}

// TestWindows has more tasks of another queue than one look takes in.
func TestWindows(t *testing.T) { storetest.Windows(t, newDatabase(t, options).store(t)) }
