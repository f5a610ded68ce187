package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// A claim whose client was cut off keeps the locks of its lanes for as long as
// TCP does. Who takes the lanes over ends it, but only when their owner is
// dead.
func TestATakeOverEndsAClaimThatIsStuck(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url), 2)
	stuck, err := pool(t, url).Acquire(t.Context())
	g.ok(err)
	defer stuck.Release()
	_, err = stuck.Exec(t.Context(), "BEGIN")
	g.ok(err)
	_, err = stuck.Exec(t.Context(), "SELECT 1 FROM outlast_lane FOR NO KEY UPDATE")
	g.ok(err)
	g.ok(g.s.Join(t.Context(), store.Node{ID: "n2"}))
	soon, cancel := context.WithTimeout(t.Context(), 4500*time.Millisecond)
	defer cancel()
	if taken, err := g.s.TakeLanes(soon, "n2", g.lanes); err == nil {
		t.Fatalf("took %v from a node that lives", taken)
	}
	if err := stuck.Ping(t.Context()); err != nil {
		t.Fatalf("the claim of a node that lives was ended: %v", err)
	}
	g.ok(g.s.Leave(t.Context(), "n1"))
	soon, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	taken, err := g.s.TakeLanes(soon, "n2", g.lanes)
	g.ok(err)
	if len(taken) != 2 {
		t.Fatalf("took %v", taken)
	}
	if err := stuck.Ping(t.Context()); err == nil {
		t.Fatal("the session goes on without its locks")
	}
}
