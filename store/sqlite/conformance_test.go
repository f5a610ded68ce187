package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/store/storetest"
)

// clocks are the offsets of the stores' clocks: a file has one clock.
type clocks struct {
	mu      sync.Mutex
	offsets map[string]time.Duration // by path
	paths   map[store.Backend]string
}

func (c *clocks) open(t *testing.T, path string) store.Backend {
	s := open(t, path, sqlite.WithClock(func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		return time.Now().Add(c.offsets[path])
	}))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths[s] = path
	return s
}

func (c *clocks) path(s store.Backend) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paths[s]
}

// emptyFile is a database with the schema and nothing else: to make one takes longer than
// most rules.
func emptyFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "empty.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestConformance(t *testing.T) {
	c := &clocks{offsets: map[string]time.Duration{}, paths: map[store.Backend]string{}}
	empty := emptyFile(t)
	storetest.Run(t, func(t *testing.T) store.Backend {
		racetest.OneCaller(t)
		path := filepath.Join(t.TempDir(), "outlast.db")
		if err := os.WriteFile(path, empty, 0o600); err != nil {
			t.Fatal(err)
		}
		return c.open(t, path)
	}, storetest.Abilities{
		Reopen: func(t *testing.T, s store.Backend) store.Backend { return c.open(t, c.path(s)) },
		Advance: func(_ *testing.T, s store.Backend, d time.Duration) {
			path := c.path(s)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.offsets[path] += d
		},
		Tx: func(t *testing.T, s store.Backend) (any, func() error, func() error) {
			db, err := sql.Open("sqlite3", "file:"+c.path(s)+"?_txlock=immediate")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			tx, err := db.BeginTx(context.WithoutCancel(t.Context()), nil)
			if err != nil {
				t.Fatal(err)
			}
			return tx, tx.Commit, tx.Rollback
		},
		TxAlone: true,
		Kill: func(t *testing.T, s store.Backend) {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		},
	})
}

// TestModel compares the store with the reference under random operations.
func TestModel(t *testing.T) {
	racetest.WithoutDetector(t)
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	storetest.RunModel(t, memory.New(), open(t, filepath.Join(t.TempDir(), "outlast.db")))
}

// TestWindows has more tasks of another queue than one look takes in.
func TestWindows(t *testing.T) {
	storetest.Windows(t, open(t, filepath.Join(t.TempDir(), "outlast.db")))
}
