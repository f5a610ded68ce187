package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// gate is a node that looks for what has arrived.
type gate struct {
	*ground
	since string
}

// look is what has arrived since the look before.
func (g *gate) look() (ids []task.ID, whole bool) {
	g.Helper()
	var lanes []uint16
	for _, l := range g.lanes {
		lanes = append(lanes, l.Lane)
	}
	found, err := g.s.Arrived(g.Context(), lanes, g.since)
	g.ok(err)
	g.since = found.Next
	for _, e := range found.Entries {
		ids = append(ids, e.ID)
	}
	return ids, found.Whole
}

// expect looks, and wants these tasks and no others.
func (g *gate) expect(what string, want ...task.ID) {
	g.Helper()
	got, whole := g.look()
	slices.SortFunc(got, task.ID.Compare)
	slices.SortFunc(want, task.ID.Compare)
	if whole || !slices.Equal(got, want) {
		g.Errorf("%s: got %v (everything %t), want %v", what, got, whole, want)
	}
}

// begin begins a transaction of a caller, and enqueue enqueues in one.
func (g *gate) begin(p *pgxpool.Pool) pgx.Tx {
	g.Helper()
	tx, err := p.Begin(g.Context())
	g.ok(err)
	return tx
}

func (g *gate) enqueue(tx any) task.ID {
	g.Helper()
	id := task.NewID(time.Now(), g.random).WithLane(g.lanes[0].Lane)
	_, err := g.s.EnqueueTx(g.Context(), tx, []store.Insert{{Task: &task.Task{ID: id, Queue: g.queue.Name, Type: "t", Target: "t", Payload: []byte("{}")}}})
	g.ok(err)
	return id
}

// However transactions of callers lie to one another and to the looks, each task that
// commits arrives in the first look after that.
func TestArrivals(t *testing.T) {
	url := database(t)
	g, p := &gate{ground: newGround(t, open(t, url), 2)}, pool(t, url)
	if _, whole := g.look(); !whole {
		t.Error("a first look cannot tell, and says nothing of it")
	}
	g.add(3) // of these the owner is told
	g.expect("tasks of the store's own enqueue")

	first := g.begin(p)
	early := g.enqueue(first)
	g.expect("a transaction that is open")
	second := g.begin(p)
	late := g.enqueue(second)
	g.ok(second.Commit(t.Context()))
	g.expect("one that began later and committed before", late)
	again := g.enqueue(first)
	g.expect("one that is open still")
	g.ok(first.Commit(t.Context()))
	g.expect("one that was open for several looks", early, again)
	g.expect("a look after all")

	nested := g.begin(p)
	inner, err := nested.Begin(t.Context())
	g.ok(err)
	kept := g.enqueue(inner)
	g.ok(inner.Commit(t.Context()))
	inner, err = nested.Begin(t.Context())
	g.ok(err)
	g.enqueue(inner)
	g.ok(inner.Rollback(t.Context()))
	g.expect("one with savepoints that is open")
	g.ok(nested.Commit(t.Context()))
	g.expect("one with savepoints", kept)

	gone := g.begin(p)
	g.enqueue(gone)
	g.expect("before a rollback")
	g.ok(gone.Rollback(t.Context()))
	g.expect("one that was rolled back")

	run := g.begin(p)
	ran, parked := g.enqueue(run), g.enqueue(run)
	g.ok(run.Commit(t.Context()))
	g.claim(ran)
	g.ok(g.s.Mark(t.Context(), []store.Marking{{ID: parked, Mark: 7}}))
	g.expect("one that runs and one with a mark")
}

// Ids of transactions mean nothing on another server, or on a standby that lacks the last
// of them.
func TestArrivalsBeginAnewOnAnotherServer(t *testing.T) {
	url := database(t)
	g := &gate{ground: newGround(t, open(t, url), 1)}
	g.look()
	here := g.since
	snapshot, server, _ := strings.Cut(here, "@")
	for name, since := range map[string]string{
		"another server": snapshot + "@1" + server, "later ids": "1:9000000000000000000:@" + server, "nothing": "", "no place": "x@" + server, "no server": snapshot,
	} {
		if g.since = since; true {
			if _, whole := g.look(); !whole {
				t.Errorf("%s: it tells what has arrived since %q", name, since)
			}
		}
	}
	if g.since = here; true {
		g.expect("the same server")
	}
}

// A look walks past nothing that was there before, however long an old snapshot keeps it.
func TestArrivalsPassEndedRows(t *testing.T) {
	const ended = 1000
	url := database(t)
	s := open(t, url)
	g, p := &gate{ground: newGround(t, s, 1)}, pool(t, url)
	oldSnapshot(t, url)
	begin := g.begin(p)
	var ids []task.ID
	for range ended {
		ids = append(ids, g.enqueue(begin))
	}
	g.ok(begin.Commit(t.Context()))
	for some := range slices.Chunk(ids, 500) {
		g.settle(g.claim(some...).Tasks, task.OutcomeSucceeded)
	}
	open := g.begin(p)
	g.enqueue(open)
	g.look()
	tx := g.begin(p)
	g.enqueue(tx)
	g.ok(tx.Commit(t.Context()))
	g.ok(open.Commit(t.Context()))
	snapshot, _, _ := strings.Cut(g.since, "@")
	rows, read := walked(t, url, "integer[], text", s.ArrivedText(), fmt.Sprintf("'{%d}', '%s'", g.lanes[0].Lane, snapshot))
	if rows != 2 || read > 20 {
		t.Errorf("%d rows, want 2; %d entries read beside %d rows that have ended", rows, read, ended)
	}
}
