package postgres_test

import (
	"errors"
	"testing"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
)

// pooled is a database behind PgBouncer in transaction mode.
func pooled(t *testing.T, address string) string {
	return servertest.PgBouncer(t, address) + "&default_query_exec_mode=exec"
}

// Every rule holds behind a pooler in transaction mode.
func TestConformanceBehindPgBouncer(t *testing.T) {
	t.Parallel()
	c := newSchemas(pooled(t, servertest.Postgres(t)))
	c.conform(t, c.filled(t), true)
}

// There are no notifications behind such a pooler, and the store says so, rather
// than to let a node wait for what never comes: also where the pooler has a single
// connection to the server, on which one client's LISTEN and NOTIFY then run.
func TestNoNewsBehindPgBouncer(t *testing.T) {
	t.Parallel()
	s := open(t, pooled(t, database(t)))
	if err := s.Watch(t.Context(), func([]store.ChangedLane) {}); !errors.Is(err, postgres.ErrNotWatching) {
		t.Errorf("watch: %v", err)
	}
	if err := s.Notify(t.Context(), []store.ChangedLane{{Lane: 1}}); err != nil { // others may listen without the pooler
		t.Errorf("notify: %v", err)
	}
}
