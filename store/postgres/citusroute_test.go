package postgres_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// sentTo collects the different statements that a store sends, each with the
// values that it was sent with first.
type sentTo struct {
	mu    sync.Mutex
	texts []string
	args  map[string][][]byte
}

func observe(s *postgres.Store) *sentTo {
	sent := &sentTo{args: map[string][][]byte{}}
	s.Observe(func(text string, values [][]byte) {
		sent.mu.Lock()
		defer sent.mu.Unlock()
		if _, known := sent.args[text]; !known {
			sent.texts, sent.args[text] = append(sent.texts, text), slices.Clone(values)
		}
	})
	return sent
}

var routed = regexp.MustCompile(`(?m)^ *(->  )?Custom Scan \(Citus`)

// crosses reports whether Citus sends a statement elsewhere than to one group
// of shards.
func crosses(t *testing.T, conn *pgx.Conn, text string, args [][]byte) bool {
	t.Helper()
	result := conn.PgConn().ExecParams(t.Context(), "EXPLAIN (COSTS off) "+text, args, nil, slices.Repeat([]int16{1}, max(1, len(args))), nil).Read()
	if result.Err != nil {
		t.Fatalf("%v in %s", result.Err, text)
	}
	var plan strings.Builder
	for _, line := range result.Rows {
		plan.Write(line[0])
		plan.WriteByte('\n')
	}
	switch scans := len(routed.FindAllString(plan.String(), -1)); {
	case scans == 0: // on the coordinator alone
		return false
	case scans == 1 && strings.Contains(plan.String(), "Task Count: 1\n"):
		return false
	}
	t.Logf("%s\n%s", text, plan.String())
	return true
}

// TestCitusRoutes: all that an engine asks goes to the machine of one lane, but
// for the few statements that are named.
func TestCitusRoutes(t *testing.T) {
	c := citus(t)
	s := c.distributed(t)
	sent := observe(s)
	allOf(t, c, s)
	conn, err := pgx.Connect(t.Context(), c.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	seen, known := 0, s.Crossing()
	for _, text := range sent.texts {
		verb, _, _ := strings.Cut(text, " ")
		if !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verb) {
			continue
		}
		seen++
		if crosses(t, conn, text, sent.args[text]) && !slices.Contains(known, text) {
			t.Errorf("it crosses lanes: %s", text)
		}
	}
	if seen < 70 {
		t.Errorf("only %d statements were sent", seen)
	}
}

// allOf does all that an engine and an operator do to tasks.
func allOf(t *testing.T, c *schemas, s *postgres.Store) {
	g := newGround(t, s, 4)
	ids := g.add(12)
	claimed := g.claim(ids...).Tasks
	if len(claimed) != len(ids) {
		t.Fatalf("claimed %d of %d", len(claimed), len(ids))
	}
	g.isAdded(claimed[0], 1, store.StatusOK)
	g.steps(claimed[0].ID, 1)
	g.settle(claimed[:2], task.OutcomeSucceeded)
	g.settle(claimed[2:4], task.OutcomeFailed)
	g.settle(claimed[4:6], task.OutcomeDead)
	keyed := func(_ int, t *task.Task) { t.Key, t.ID = "k", t.ID.WithLane(g.queue.Numbers[0]) }
	batch, some := g.batch(3, keyed)
	batch.Items[2].Dedupe = &store.Dedupe{Lane: g.queue.Numbers[1], Key: "d", Window: time.Nanosecond}
	for range 2 { // the second time they are there already
		g.ok(g.enqueue(batch)[0].Err)
	}
	other, _ := g.batch(1)
	other.Items[0].Dedupe = batch.Items[2].Dedupe
	g.ok(g.enqueue(other)[0].Err)
	head := g.claim(some...)
	if len(head.Tasks) != 1 || len(head.Refused) != 2 {
		t.Fatalf("claimed %+v", head)
	}
	follow := g.task()
	settled, err := s.Settle(t.Context(), []store.Settlement{{Task: head.Tasks[0], Outcome: task.OutcomeDead, DeadReason: task.Exhausted,
		Failure: &task.Failure{Message: "x"}, StartedAt: time.Now(), EndedAt: time.Now(), Follow: []store.Insert{{Task: follow}}}})
	g.ok(err)
	if settled[0].Status != store.StatusOK {
		t.Fatalf("settled %+v", settled)
	}
	operate(g, head.Tasks[0].ID, claimed[6].ID, follow.ID)
	foreign(g, c, claimed[7])
	g.ok(s.Mark(t.Context(), []store.Marking{{ID: follow.ID, Mark: 7}, {ID: some[1], Mark: 8}}))
	_, err = s.Marks(t.Context(), g.queue.Numbers, 0)
	g.ok(err)
	var ranges []store.Range
	for _, lane := range g.queue.Numbers {
		ranges = append(ranges, store.Range{Lane: lane, After: -1 << 62, Until: 1 << 62, Limit: 10})
	}
	_, err = s.Scan(t.Context(), ranges)
	g.ok(err)
	_, err = s.Running(t.Context(), "n1", ids)
	g.ok(err)
	_, err = s.FreeLanes(t.Context(), "n1", g.lanes[:1])
	g.ok(err)
	g.ok(s.Leave(t.Context(), "n1"))
	recovered, err := s.Recover(t.Context(), g.queue.Numbers, 100)
	g.ok(err)
	if len(recovered) == 0 {
		t.Error("nothing was recovered")
	}
	_, err = s.Topology(t.Context())
	g.ok(err)
	deleted, err := s.Cleanup(t.Context(), time.Now().Add(time.Hour), 5000)
	g.ok(err)
	if deleted == 0 {
		t.Error("nothing was deleted")
	}
	s.Observe(nil)
	g.sound()
}

// operate does what operators do.
func operate(g *ground, dead, running, pending task.ID) {
	g.Helper()
	ctx := g.Context()
	_, err := g.s.Get(ctx, dead)
	g.ok(err)
	_, err = g.s.Attempts(ctx, dead)
	g.ok(err)
	_, err = g.s.Key(ctx, g.queue.Numbers[0], "k")
	g.ok(err)
	done, _, err := g.s.Redrive(ctx, []task.ID{dead}, store.RedriveOptions{})
	g.ok(err)
	if len(done) != 1 {
		g.Fatal("not sent back")
	}
	_, err = g.s.Reschedule(ctx, pending, time.Time{})
	g.ok(err)
	_, err = g.s.Cancel(ctx, running)
	g.ok(err)
	canceled, err := g.s.Beat(ctx, "n1", store.Report{})
	g.ok(err)
	if len(canceled) != 1 || canceled[0] != running {
		g.Fatalf("canceled %v", canceled)
	}
	_, err = g.s.ReleaseKey(ctx, "q", "k")
	g.ok(err)
	_, err = g.s.PutQueue(ctx, store.Queue{Name: "q", Lanes: 5, MaxPending: 100})
	g.ok(err)
}

// foreign works in a transaction of its own.
func foreign(g *ground, c *schemas, running *task.Task) {
	g.Helper()
	tx, err := pool(g.T, c.url).Begin(g.Context())
	g.ok(err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(g.Context())) }()
	_, err = g.s.EnqueueTx(g.Context(), tx, []store.Insert{{Task: g.task(), Dedupe: &store.Dedupe{Lane: g.queue.Numbers[2], Key: "e", Window: time.Hour}}})
	g.ok(err)
	settled, err := g.s.SettleTx(g.Context(), tx, store.Settlement{Task: running, Outcome: task.OutcomeSucceeded})
	g.ok(err)
	if settled.Status != store.StatusOK {
		g.Fatalf("settled %+v", settled)
	}
	g.ok(tx.Commit(g.Context()))
}
