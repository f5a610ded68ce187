package postgres_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/storetest"
)

// schemas are stores in one database, each in a schema of its own, which is
// quicker than a database for each.
type schemas struct {
	url     string
	known   *pgxpool.Pool // its connections know the tables already; nil for a pool of each store's own
	mu      sync.Mutex
	offsets map[string]time.Duration // of the clock, by schema
	names   map[store.Backend]string
}

func newSchemas(url string) *schemas {
	return &schemas{url: url, offsets: map[string]time.Duration{}, names: map[store.Backend]string{}}
}

// fresh is the name of a new schema, with whatever a name may contain.
func (c *schemas) fresh() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf(`"it's" 100%%? $1 É.%d`, len(c.names))
}

func (c *schemas) open(t *testing.T, name string) store.Backend {
	t.Helper()
	s, err := postgres.OpenURL(t.Context(), c.url, c.options(name)...)
	if err != nil {
		t.Fatal(err)
	}
	c.enter(s, name)
	return s
}

func (c *schemas) options(name string) []postgres.Option {
	return []postgres.Option{postgres.WithSchema(name), postgres.WithDays(1), postgres.WithClockOffset(func() time.Duration {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.offsets[name]
	})}
}

func (c *schemas) enter(s *postgres.Store, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names[s] = name
}

func (c *schemas) name(s store.Backend) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names[s]
}

// open opens a store with a pool of its own.
func open(t *testing.T, url string, options ...postgres.Option) *postgres.Store {
	t.Helper()
	s, err := postgres.OpenURL(t.Context(), url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func pool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	p, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// givenDatabase names in the environment a database whose first schema has the tables.
const givenDatabase = "OUTLAST_MUTANT_DATABASE"

func TestConformance(t *testing.T) {
	t.Parallel()
	if given := os.Getenv(givenDatabase); given != "" {
		c := newSchemas(given)
		c.conform(t, "public", false)
		return
	}
	c := newSchemas(servertest.Postgres(t))
	c.conform(t, c.filled(t), false)
}

// filled makes a schema with the tables, and returns its name.
func (c *schemas) filled(t *testing.T) string {
	t.Helper()
	name := c.fresh()
	if err := c.open(t, name).Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// conform checks every rule in one schema; pooled is behind a pooler, without those about
// news.
func (c *schemas) conform(t *testing.T, name string, pooled bool) {
	c.known = pool(t, c.url)
	able := c.abilities()
	able.Deaf, able.Again, able.Ahead = pooled, pooled, pooled
	storetest.Run(t, func(t *testing.T) store.Backend { return c.emptied(t, name) }, able)
}

// shelf has databases with the tables of the store in their first schema.
var shelf = servertest.Shelf{
	Fill: func(t testing.TB, address string) {
		s, err := postgres.OpenURL(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	},
}

// database lends the test one that has the tables of the store and nothing in them. Who
// changes tables, days or settings takes a new one from package servertest.
func database(t testing.TB) string { return shelf.Postgres(t) }

// emptied opens a schema anew after all that is in it was deleted: to make one
// takes long, and longer to distribute one.
func (c *schemas) emptied(t *testing.T, name string) *postgres.Store {
	t.Helper()
	p := c.known
	if p == nil {
		p = pool(t, c.url)
	}
	servertest.WipePostgres(t, p, name)
	c.mu.Lock()
	delete(c.offsets, name)
	c.mu.Unlock()
	s := c.again(t, name)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// again opens a schema that is up to date, on connections that know it, if there are any.
func (c *schemas) again(t *testing.T, name string) *postgres.Store {
	t.Helper()
	if c.known == nil {
		return c.open(t, name).(*postgres.Store)
	}
	s, err := postgres.Open(t.Context(), c.known, append(c.options(name), postgres.WithoutMigration())...)
	if err != nil {
		t.Fatal(err)
	}
	c.enter(s, name)
	return s
}

func (c *schemas) abilities() storetest.Abilities {
	return storetest.Abilities{
		Reopen: func(t *testing.T, s store.Backend) store.Backend { return c.open(t, c.name(s)) },
		Advance: func(_ *testing.T, s store.Backend, d time.Duration) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.offsets[c.names[s]] += d
		},
		Tx: func(t *testing.T, s store.Backend) (any, func() error, func() error) {
			ctx := context.WithoutCancel(t.Context())
			tx, err := pool(t, c.url).Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return tx, func() error { return tx.Commit(ctx) }, func() error { return tx.Rollback(ctx) }
		},
	}
}

// TestModel compares the store with the reference under random operations.
func TestModel(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, memory.New(), open(t, database(t)))
}

// TestWindows has more tasks of another queue than one look takes in.
func TestWindows(t *testing.T) { storetest.Windows(t, open(t, database(t))) }
