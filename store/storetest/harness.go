package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// harness is one store with a queue "q" of two lanes, and a node "n1" that
// owns both. Its methods fail the test on any error.
type harness struct {
	*testing.T
	ctx    context.Context
	s      store.Backend
	able   Abilities
	random *rand.Rand
	lanes  []store.LaneEpoch // of the queue, as n1 owns them
}

func newHarness(t *testing.T, s store.Backend, able Abilities) *harness {
	t.Helper()
	h := &harness{T: t, ctx: t.Context(), s: s, able: able, random: rand.New(rand.NewPCG(7, 11))}
	h.join("n1")
	h.lanes = h.take("n1", h.queue("q", 2)...)
	if len(h.lanes) != 2 {
		t.Fatalf("n1 took %d of the 2 free lanes", len(h.lanes))
	}
	return h
}

func (h *harness) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// expect fails the test with the message unless ok.
func (h *harness) expect(ok bool, format string, values ...any) {
	h.Helper()
	if !ok {
		h.Fatalf(format, values...)
	}
}

// equal fails the test unless got is want.
func equal[T comparable](h *harness, what string, got, want T) {
	h.Helper()
	if got != want {
		h.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// code fails the test unless err is an error of the code, and returns it.
func (h *harness) code(err error, want task.Code) *task.Error {
	h.Helper()
	var typed *task.Error
	if !errors.As(err, &typed) || typed.Code != want {
		h.Fatalf("got the error %v, want one with code %s", err, want)
	}
	return typed
}

// pass lets the store's clock go on by at least d.
func (h *harness) pass(d time.Duration) {
	h.Helper()
	if h.able.Advance != nil {
		h.able.Advance(h.T, h.s, d)
		return
	}
	select { // a real database has a real clock
	case <-time.After(d):
	case <-h.ctx.Done():
	}
}

// queue makes a queue and returns its lanes, free, at epoch 0.
func (h *harness) queue(name string, lanes int) []store.LaneEpoch {
	h.Helper()
	q, err := h.s.PutQueue(h.ctx, store.Queue{Name: name, Lanes: lanes})
	h.ok(err)
	out := make([]store.LaneEpoch, len(q.Numbers))
	for i, number := range q.Numbers {
		out[i] = store.LaneEpoch{Lane: number, Epoch: h.lane(number).Epoch}
	}
	return out
}

func (h *harness) join(id string) {
	h.Helper()
	h.ok(h.s.Join(h.ctx, store.Node{ID: id, Serves: store.Serves{"q": {AnyType: true}}, StartedAt: time.Now()}))
}

func (h *harness) beat(id string) {
	h.Helper()
	_, err := h.s.Beat(h.ctx, id, store.Report{Serves: store.Serves{"q": {AnyType: true}}})
	h.ok(err)
}

// bury marks a node dead that must be alive.
func (h *harness) bury(id string) {
	h.Helper()
	buried, err := h.s.Bury(h.ctx, id, h.node(id).Counter)
	h.ok(err)
	h.expect(buried, "Bury did not mark %s", id)
}

func (h *harness) leave(id string) {
	h.Helper()
	h.ok(h.s.Leave(h.ctx, id))
}

func (h *harness) take(node string, lanes ...store.LaneEpoch) []store.LaneEpoch {
	h.Helper()
	taken, err := h.s.TakeLanes(h.ctx, node, lanes)
	h.ok(err)
	return taken
}

func (h *harness) topology() *store.Topology {
	h.Helper()
	topology, err := h.s.Topology(h.ctx)
	h.ok(err)
	return topology
}

// node returns a node of the topology; it is zero if absent.
func (h *harness) node(id string) store.Node {
	h.Helper()
	for _, node := range h.topology().Nodes {
		if node.ID == id {
			return node
		}
	}
	return store.Node{}
}

func (h *harness) lane(number uint16) store.Lane {
	h.Helper()
	for _, lane := range h.topology().Lanes {
		if lane.Number == number {
			return lane
		}
	}
	h.Fatalf("lane %d is not in the topology", number)
	return store.Lane{}
}

// task makes a task of queue "q" in its first lane, due for an hour. Tasks
// with a key belong there too: the suite says which lane a key has.
func (h *harness) task(change ...func(t *task.Task)) *task.Task {
	t := &task.Task{
		ID: task.NewID(time.Now(), h.random).WithLane(h.lanes[0].Lane), Queue: "q", Type: "mail", Target: "mail",
		Payload: []byte(`{"to":"a"}`), Priority: task.DefaultPriority, RunAt: time.Now().Add(-time.Hour),
	}
	for _, apply := range change {
		apply(t)
	}
	return t
}

func keyed(key string) func(*task.Task) { return func(t *task.Task) { t.Key = key } }

func typed(name string) func(*task.Task) { return func(t *task.Task) { t.Type, t.Target = name, name } }

func (h *harness) inLane(i int) func(*task.Task) {
	return func(t *task.Task) { t.ID = t.ID.WithLane(h.lanes[i].Lane) }
}

func due(at time.Time) func(*task.Task) { return func(t *task.Task) { t.RunAt = at } }

// enqueue sends each item as a batch of its own.
func (h *harness) enqueue(items ...store.Insert) []store.BatchResult {
	h.Helper()
	var batches []store.Batch
	for _, item := range items {
		batches = append(batches, store.Batch{Items: []store.Insert{item}})
	}
	results, err := h.s.Enqueue(h.ctx, batches)
	h.ok(err)
	equal(h, "results", len(results), len(batches))
	return results
}

// insert enqueues tasks that must be new.
func (h *harness) insert(tasks ...*task.Task) []store.Entry {
	h.Helper()
	items := make([]store.Insert, len(tasks))
	for i, t := range tasks {
		items[i].Task = t
	}
	var entries []store.Entry
	for _, result := range h.enqueue(items...) {
		h.ok(result.Err)
		h.expect(len(result.Items) == 1 && result.Items[0].Existing == nil, "the task was there already")
		entries = append(entries, result.Items[0].Entry)
	}
	return entries
}

// add makes and inserts a task and returns its id.
func (h *harness) add(change ...func(t *task.Task)) task.ID {
	h.Helper()
	t := h.task(change...)
	h.insert(t)
	return t.ID
}

// addMany inserts n tasks.
func (h *harness) addMany(n int, change ...func(t *task.Task)) []task.ID {
	h.Helper()
	var tasks []*task.Task
	var ids []task.ID
	for range n {
		t := h.task(change...)
		tasks, ids = append(tasks, t), append(ids, t.ID)
	}
	h.insert(tasks...)
	return ids
}

// items are claim items without a mark.
func items(ids ...task.ID) []store.ClaimItem {
	out := make([]store.ClaimItem, len(ids))
	for i, id := range ids {
		out[i].ID = id
	}
	return out
}

// try claims for n1 and returns what came.
func (h *harness) try(ids ...task.ID) store.Claimed {
	h.Helper()
	return h.tryAs(store.Claim{Node: "n1", Lanes: h.lanes, Items: items(ids...)})
}

func (h *harness) tryAs(claim store.Claim) store.Claimed {
	h.Helper()
	if h.able.Ahead {
		_, err := h.s.Scan(h.ctx, h.everything())
		h.ok(err)
	}
	claimed, err := h.s.Claim(h.ctx, claim)
	h.ok(err)
	return claimed
}

// everything are the ranges of all rows of the lanes of n1 without a mark.
func (h *harness) everything() []store.Range {
	ranges := make([]store.Range, len(h.lanes))
	for i, lane := range h.lanes {
		ranges[i] = store.Range{Lane: lane.Lane, After: store.AnyRank, Until: math.MaxInt64, Limit: 1000}
	}
	return ranges
}

// claim claims for n1 tasks that must be claimable, in the order of ids.
func (h *harness) claim(ids ...task.ID) []*task.Task {
	h.Helper()
	claimed := h.try(ids...)
	h.expect(len(claimed.Tasks) == len(ids) && len(claimed.Refused) == 0, "claimed %d of %d tasks: %v", len(claimed.Tasks), len(ids), claimed.Refused)
	return inOrder(claimed.Tasks, ids)
}

func inOrder(tasks []*task.Task, ids []task.ID) []*task.Task {
	out := slices.Clone(tasks)
	slices.SortFunc(out, func(a, b *task.Task) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return out
}

func (h *harness) claimOne(id task.ID) *task.Task {
	h.Helper()
	return h.claim(id)[0]
}

// refuse claims a row that must be refused for the reason.
func (h *harness) refuse(claim store.Claim, reason store.Reason) store.Refusal {
	h.Helper()
	claimed := h.tryAs(claim)
	h.expect(len(claimed.Tasks) == 0 && len(claimed.Refused) == 1, "claimed %d, refused %v", len(claimed.Tasks), claimed.Refused)
	equal(h, "reason", claimed.Refused[0].Reason, reason)
	equal(h, "refused id", claimed.Refused[0].ID, claim.Items[0].ID)
	return claimed.Refused[0]
}

func (h *harness) refuseOne(id task.ID, reason store.Reason) store.Refusal {
	h.Helper()
	return h.refuse(store.Claim{Node: "n1", Lanes: h.lanes, Items: items(id)}, reason)
}

// claimFor claims tasks for another node in the way of a borrower: they get
// a park mark, and the claim names it.
func (h *harness) claimFor(node string, ids ...task.ID) []*task.Task {
	h.Helper()
	mark := int64(h.random.Int32()) + 1
	var marks []store.Marking
	claim := store.Claim{Node: node}
	for _, id := range ids {
		marks = append(marks, store.Marking{ID: id, Mark: mark})
		claim.Items = append(claim.Items, store.ClaimItem{ID: id, Mark: mark})
	}
	h.ok(h.s.Mark(h.ctx, marks))
	claimed := h.tryAs(claim)
	h.expect(len(claimed.Tasks) == len(ids), "%s claimed %d of %d tasks: %v", node, len(claimed.Tasks), len(ids), claimed.Refused)
	return inOrder(claimed.Tasks, ids)
}

// settlement is an end of an attempt with all that its outcome needs.
func settlement(t *task.Task, outcome task.Outcome) store.Settlement {
	s := store.Settlement{Task: t, Outcome: outcome, StartedAt: time.Now().Add(-time.Second), EndedAt: time.Now()}
	switch outcome {
	case task.OutcomeFailed:
		s.Failure, s.RunAt = failure("down"), time.Now().Add(-time.Minute)
	case task.OutcomeSnoozed, task.OutcomeReleased:
		s.RunAt = time.Now().Add(-time.Minute)
	case task.OutcomeDead:
		s.Failure, s.DeadReason, s.OrderOnDead = failure("down"), task.Exhausted, "block"
	case task.OutcomeSucceeded:
		s.Result = []byte(`{"ok":true}`)
	}
	return s
}

func failure(category string) *task.Failure {
	return &task.Failure{
		Category: category, Type: "net.OpError", Code: "503", Message: category + ": connection refused",
		Fingerprint: fmt.Sprintf("%016x", len(category)), At: time.Now().UTC().Truncate(time.Microsecond),
	}
}

// trySettle settles and returns the answers.
func (h *harness) trySettle(settlements ...store.Settlement) []store.Settled {
	h.Helper()
	settled, err := h.s.Settle(h.ctx, settlements)
	h.ok(err)
	equal(h, "answers", len(settled), len(settlements))
	return settled
}

// settle settles what must be accepted.
func (h *harness) settle(settlements ...store.Settlement) []store.Settled {
	h.Helper()
	settled := h.trySettle(settlements...)
	for i, answer := range settled {
		h.expect(answer.Status == store.StatusOK, "settling as %s: got %s (%v), want ok", settlements[i].Outcome, answer.Status, answer.Err)
	}
	return settled
}

// run claims a task for n1 and settles it.
func (h *harness) run(id task.ID, outcome task.Outcome) *task.Task {
	h.Helper()
	t := h.claimOne(id)
	h.settle(settlement(t, outcome))
	return t
}

// die makes a dead letter of a pending task.
func (h *harness) die(id task.ID, change ...func(*store.Settlement)) *task.Task {
	h.Helper()
	s := settlement(h.claimOne(id), task.OutcomeDead)
	for _, apply := range change {
		apply(&s)
	}
	h.settle(s)
	return s.Task
}

func (h *harness) get(id task.ID) *task.Task {
	h.Helper()
	t, err := h.s.Get(h.ctx, id)
	h.ok(err)
	equal(h, "id", t.ID, id)
	return t
}

func (h *harness) state(id task.ID, want task.State) *task.Task {
	h.Helper()
	t := h.get(id)
	equal(h, "state", t.State, want)
	return t
}

func (h *harness) absent(id task.ID) {
	h.Helper()
	_, err := h.s.Get(h.ctx, id)
	h.code(err, task.CodeNotFound)
}

func (h *harness) attempts(id task.ID) []task.Attempt {
	h.Helper()
	attempts, err := h.s.Attempts(h.ctx, id)
	h.ok(err)
	return attempts
}

// outcomes fails the test unless the history has exactly these outcomes.
func (h *harness) outcomes(id task.ID, want ...task.Outcome) []task.Attempt {
	h.Helper()
	attempts := h.attempts(id)
	var got []task.Outcome
	for _, attempt := range attempts {
		got = append(got, attempt.Outcome)
	}
	h.expect(slices.Equal(got, want), "history: got %v, want %v", got, want)
	return attempts
}

// scan reads all pending rows of a lane with a mark.
func (h *harness) scan(lane uint16, mark int64) []store.Entry {
	h.Helper()
	lists, err := h.s.Scan(h.ctx, []store.Range{{Lane: lane, Park: mark, After: -1 << 62, Until: 1 << 62, Limit: 10_000}})
	h.ok(err)
	equal(h, "lists", len(lists), 1)
	return lists[0]
}

func (h *harness) recover(limit int, lanes ...uint16) []store.Recovered {
	h.Helper()
	recovered, err := h.s.Recover(h.ctx, lanes, limit)
	h.ok(err)
	return recovered
}

// recoverAll recovers both lanes and returns the rows by id.
func (h *harness) recoverAll() map[task.ID]store.Recovered {
	h.Helper()
	out := map[task.ID]store.Recovered{}
	for _, row := range h.recover(1000, h.lanes[0].Lane, h.lanes[1].Lane) {
		h.expect(out[row.ID].ID.IsZero(), "task %s was recovered twice", row.ID)
		out[row.ID] = row
	}
	return out
}

func (h *harness) keyState(key string) *store.KeyState {
	h.Helper()
	state, err := h.s.Key(h.ctx, h.lanes[0].Lane, key)
	h.ok(err)
	return state
}

// find reads all pages of a filter.
func (h *harness) find(filter store.Filter, limit int) []*task.Task {
	h.Helper()
	var all []*task.Task
	page := store.Page{Limit: limit}
	for {
		tasks, next, err := h.s.Find(h.ctx, filter, page)
		h.ok(err)
		h.expect(len(tasks) <= limit, "a page of %d has %d tasks", limit, len(tasks))
		all = append(all, tasks...)
		if next == "" {
			return all
		}
		h.expect(next != page.Cursor, "the cursor does not move")
		page.Cursor = next
	}
}

// ids fails the test unless tasks are the wanted ones in any order.
func (h *harness) ids(tasks []*task.Task, want ...task.ID) {
	h.Helper()
	got := map[task.ID]bool{}
	for _, t := range tasks {
		got[t.ID] = true
	}
	ok := len(got) == len(tasks) && len(got) == len(want)
	for _, id := range want {
		ok = ok && got[id]
	}
	h.expect(ok, "got %d tasks, want %d, the same ones and each once", len(tasks), len(want))
}

func (h *harness) stats() *store.DeadStats {
	h.Helper()
	stats, err := h.s.DeadStats(h.ctx)
	h.ok(err)
	return stats
}
