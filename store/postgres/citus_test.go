package postgres_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/storetest"
)

// citus is the coordinator of a Citus, which Debian does not have: the tests
// on it are the only ones of the project that are absent unless somebody names
// a server.
func citus(t *testing.T) *schemas {
	t.Helper()
	url := os.Getenv("OUTLAST_CITUS_DSN")
	if url == "" {
		t.Skip("OUTLAST_CITUS_DSN names no coordinator of Citus: see make citus")
	}
	url = and(url, "citus.shard_count=4") // to make a shard takes its time
	return &schemas{url: url, offsets: map[string]time.Duration{}, names: map[store.Backend]string{}}
}

// distributed makes a schema whose tables are distributed, and opens it.
func (c *schemas) distributed(t *testing.T) *postgres.Store {
	t.Helper()
	name := c.fresh() + time.Now().Format(" 150405.000000")
	s := c.open(t, name).(*postgres.Store)
	done, err := s.Distribute(t.Context())
	if err != nil || !done {
		t.Fatal("not distributed", err)
	}
	dropLater(t, c.url, name)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// dropLater drops a schema at the end of the test.
func dropLater(t testing.TB, url, name string) {
	p := pool(t, url)
	t.Cleanup(func() {
		_, err := p.Exec(context.WithoutCancel(t.Context()), `DROP SCHEMA `+pgx.Identifier{name}.Sanitize()+` CASCADE`)
		if err != nil {
			t.Error(err)
		}
	})
}

// and adds a parameter to a URL.
func and(url, parameter string) string {
	if strings.Contains(url, "?") {
		return url + "&" + parameter
	}
	return url + "?" + parameter
}

func TestCitusConformance(t *testing.T) {
	c := citus(t)
	name := c.name(c.distributed(t))
	storetest.Run(t, func(t *testing.T) store.Backend { return c.emptied(t, name) }, c.abilities())
}

func TestCitusModel(t *testing.T) {
	storetest.RunModel(t, memory.New(), citus(t).distributed(t))
}

// Tables that were distributed before that of steps came are refused until it is, too.
func TestCitusStepsCameLater(t *testing.T) {
	c := citus(t)
	name := c.name(c.distributed(t))
	p, schema := pool(t, c.url), pgx.Identifier{name}.Sanitize()
	for _, text := range []string{`DROP TABLE ` + schema + `.outlast_step`, `DELETE FROM ` + schema + `.outlast_migration WHERE version = 11`} {
		if _, err := p.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := postgres.OpenURL(t.Context(), c.url, c.options(name)...); err == nil || !strings.Contains(err.Error(), "outlast_step") {
		t.Fatalf("opened: %v", err)
	}
	s := open(t, c.url, append(c.options(name), postgres.WithoutMigration())...)
	if done, err := s.Distribute(t.Context()); err != nil || !done {
		t.Fatal("not distributed", err)
	}
	g := newGround(t, s, 4)
	for _, running := range g.claim(g.add(8)...).Tasks {
		g.isAdded(running, 1, store.StatusOK)
		g.steps(running.ID, 1)
	}
	g.sound()
	if done, err := s.Distribute(t.Context()); err != nil || done {
		t.Error("distributed again", err)
	}
}
