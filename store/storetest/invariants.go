package storetest

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// historiesChecked bounds the histories that one check reads.
const historiesChecked = 2000

// CheckInvariants checks what must hold of any store at rest, invariants I1
// to I11 as far as one store can tell: every task is in one state and whole,
// histories are contiguous under growing claims, keys have one runner and
// their order, scans see exactly the pending rows, and counters equal
// recounts. It reads everything, and it needs that nothing writes meanwhile.
func CheckInvariants(t testing.TB, s store.Backend) {
	t.Helper()
	c := &invariants{TB: t, s: s, ctx: context.WithoutCancel(t.Context()), tasks: map[task.ID]*task.Task{}}
	wrong, err := s.Check(c.ctx)
	c.ok(err)
	for _, line := range wrong {
		t.Errorf("I11: %s", line)
	}
	c.readAll()
	c.readTopology()
	for _, one := range c.tasks {
		c.shape(one)
	}
	c.histories()
	c.lanes()
	c.keys()
	c.running()
	c.counters()
	c.groups()
}

type invariants struct {
	testing.TB
	s        store.Backend
	ctx      context.Context
	tasks    map[task.ID]*task.Task
	topology *store.Topology
}

func (c *invariants) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// readAll reads every task by pages, newest first, without loss or doubles.
func (c *invariants) readAll() {
	c.Helper()
	page := store.Page{Limit: 500}
	var last task.ID
	for {
		tasks, next, err := c.s.Find(c.ctx, store.Filter{}, page)
		c.ok(err)
		for _, one := range tasks {
			if !last.IsZero() && bytes.Compare(one.ID[:], last[:]) >= 0 {
				c.Errorf("I11: Find returned %s after %s, which is not newest first", one.ID, last)
			}
			last = one.ID
			c.tasks[one.ID] = one
		}
		if page.Cursor = next; next == "" {
			return
		}
	}
}

func (c *invariants) readTopology() {
	c.Helper()
	var err error
	c.topology, err = c.s.Topology(c.ctx)
	c.ok(err)
	nodes, numbers := map[string]bool{}, map[string][]uint16{}
	for _, node := range c.topology.Nodes {
		nodes[node.ID] = true
	}
	seen := map[uint16]bool{}
	for _, lane := range c.topology.Lanes {
		if seen[lane.Number] {
			c.Errorf("I11: lane %d is listed twice", lane.Number)
		}
		seen[lane.Number] = true
		numbers[lane.Queue] = append(numbers[lane.Queue], lane.Number)
		if lane.Owner != "" && !nodes[lane.Owner] {
			c.Errorf("I8: lane %d is owned by %q, of which there is no row", lane.Number, lane.Owner)
		}
	}
	for _, queue := range c.topology.Queues {
		slices.Sort(numbers[queue.Name])
		if want := slices.Sorted(slices.Values(queue.Numbers)); len(want) != queue.Lanes || !slices.Equal(numbers[queue.Name], want) {
			c.Errorf("I11: queue %q has the lanes %v of %d, the topology lists %v", queue.Name, want, queue.Lanes, numbers[queue.Name])
		}
	}
}

// shape checks that a task is whole for the state it is in (I1).
func (c *invariants) shape(t *task.Task) {
	c.Helper()
	bad := func(problem string) { c.Errorf("I1: %s task %s %s", t.State, t.ID, problem) }
	if !t.State.Valid() {
		bad("has no valid state")
	}
	if (t.State == task.Running) != (t.Node != "") {
		bad("has the node " + task.Quote(t.Node))
	}
	if t.State.Final() == t.FinishedAt.IsZero() {
		bad("has the end " + t.FinishedAt.String())
	}
	if t.State == task.Running && (t.Claim == 0 || t.Attempt < 1 || t.StartedAt.IsZero()) {
		bad("has no claim, attempt or start")
	}
	if (t.State == task.Dead) != (t.DeadReason != "") {
		bad("has the reason " + task.Quote(string(t.DeadReason)))
	}
	if t.State != task.Pending && t.Park != 0 {
		bad("has a park mark")
	}
	if t.Attempt < 0 || t.Crashes < 0 {
		bad("has negative counts")
	}
	if (t.Key != "") != (t.Seq > 0) {
		bad("has a key without a seq, or a seq without a key")
	}
	if t.CreatedAt.IsZero() || t.RunAt.IsZero() || t.UpdatedAt.IsZero() {
		bad("lacks a time")
	}
}

// histories checks that attempts are contiguous and claims grow (I3, I4, I6).
func (c *invariants) histories() {
	c.Helper()
	checked := 0
	for id, t := range c.tasks {
		if checked++; checked > historiesChecked {
			return
		}
		attempts, err := c.s.Attempts(c.ctx, id)
		c.ok(err)
		var last task.Attempt
		for i, attempt := range attempts {
			if attempt.Claim <= last.Claim || attempt.Claim > t.Claim {
				c.Errorf("I3: attempt %d of %s has claim %d after %d, the task has %d", i, id, attempt.Claim, last.Claim, t.Claim)
			}
			if i > 0 && !follows(attempt, last) {
				c.Errorf("I6: the history of %s has number %d after %d, which was %s", id, attempt.Number, last.Number, last.Outcome)
			}
			if attempt.Number < 1 || attempt.Outcome == "" || attempt.EndedAt.IsZero() {
				c.Errorf("I4: attempt %d of %s has no number, outcome or end", i, id)
			}
			last = attempt
		}
		if t.State == task.Succeeded && (last.Outcome != task.OutcomeSucceeded || last.Claim != t.Claim) {
			c.Errorf("I3: %s succeeded under claim %d, its last attempt is %s under %d", id, t.Claim, last.Outcome, last.Claim)
		}
	}
}

// follows reports whether an attempt may stand after another: the next
// number, the same one after an attempt that cost nothing, or the first
// after a redrive.
func follows(attempt, last task.Attempt) bool {
	switch last.Outcome {
	case task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeCrashed:
		return attempt.Number == last.Number || attempt.Number == 1
	}
	return attempt.Number == last.Number+1 || attempt.Number == 1
}

// lanes checks that scans see exactly the pending rows, in order (I1, I5).
func (c *invariants) lanes() {
	c.Helper()
	pending := map[task.ID]bool{}
	for _, lane := range c.topology.Lanes {
		marks, err := c.s.Marks(c.ctx, []uint16{lane.Number}, 0)
		c.ok(err)
		for _, mark := range append(marks, store.Entry{}) {
			c.scan(lane.Number, mark.Park, pending)
		}
	}
	for id, t := range c.tasks {
		if (t.State == task.Pending) != pending[id] {
			c.Errorf("I1: scans see the %s task %s: %v", t.State, id, pending[id])
		}
	}
}

func (c *invariants) scan(lane uint16, mark int64, pending map[task.ID]bool) {
	c.Helper()
	from := store.Range{Lane: lane, Park: mark, After: -1 << 62, Until: 1 << 62, Limit: 1000}
	for {
		lists, err := c.s.Scan(c.ctx, []store.Range{from})
		c.ok(err)
		for _, entry := range lists[0] {
			if pending[entry.ID] {
				c.Errorf("I1: scans see %s twice", entry.ID)
			}
			pending[entry.ID] = true
			if t := c.tasks[entry.ID]; t == nil || !isEntryOf(entry, t) {
				c.Errorf("I1: the scan has %+v, the task %+v", entry, t)
			}
			if comparePlaces(entry.Rank, entry.ID, from.After, from.AfterID) <= 0 {
				c.Errorf("I5: the scan has %s out of order", entry.ID)
			}
			from.After, from.AfterID = entry.Rank, entry.ID
		}
		if len(lists[0]) < from.Limit {
			return
		}
	}
}

func comparePlaces(rank int64, id task.ID, otherRank int64, otherID task.ID) int {
	if rank != otherRank {
		return int(max(-1, min(1, rank-otherRank)))
	}
	return bytes.Compare(id[:], otherID[:])
}

// entryOf is the entry that a pending task has.
func entryOf(t *task.Task) store.Entry {
	return store.Entry{
		ID: t.ID, RunAt: t.RunAt.UnixMicro(), Rank: task.Rank(t.RunAt, t.Priority), Seq: t.Seq, Park: t.Park, Key: t.Key, Share: t.Spec.ShareKey,
		Type: t.Type, Target: t.Target, Attempt: t.Attempt, Crashes: t.Crashes, Size: len(t.Payload),
	}
}

// entryOf is the entry that a pending task has in the store.
func (h *harness) entryOf(t *task.Task) store.Entry {
	entry := entryOf(t)
	entry.Size += h.able.Longer
	return entry
}

// keys checks one runner, the order and the hold of each key (I7).
func (c *invariants) keys() {
	c.Helper()
	type name struct {
		lane uint16
		key  string
	}
	keys := map[name][]*task.Task{}
	for _, t := range c.tasks {
		if t.Key != "" {
			at := name{t.ID.Lane(), t.Key}
			keys[at] = append(keys[at], t)
		}
	}
	for at, tasks := range keys {
		state, err := c.s.Key(c.ctx, at.lane, at.key)
		c.ok(err)
		var running, first *task.Task
		for _, t := range tasks {
			switch {
			case t.State == task.Running && running != nil:
				c.Errorf("I7: %s and %s of the key %q run at once", t.ID, running.ID, at.key)
			case t.State == task.Running:
				running = t
			case t.State == task.Pending && (first == nil || before(t, first)):
				first = t
			}
		}
		if state.Running != idOf(running) || state.First != idOf(first) {
			c.Errorf("I7: Key(%q) says running %s, first %s; the rows say %s and %s", at.key, state.Running, state.First, idOf(running), idOf(first))
		}
		if holder := c.tasks[state.Holder]; state.Held && (holder == nil || holder.State != task.Dead || holder.Key != at.key) {
			c.Errorf("I7: the key %q is held by %s, which is no dead letter of it", at.key, state.Holder)
		}
	}
}

// before is the order of a key: started before, then seq.
func before(a, b *task.Task) bool {
	startedA, startedB := a.Attempt+a.Crashes > 0, b.Attempt+b.Crashes > 0
	if startedA != startedB {
		return startedA
	}
	return a.Seq < b.Seq
}

func idOf(t *task.Task) task.ID {
	if t == nil {
		return task.ID{}
	}
	return t.ID
}

// running checks that every running row has a holder that is known (I8).
func (c *invariants) running() {
	c.Helper()
	holders := map[string]bool{} // nodes, and remote workers
	for _, node := range c.topology.Nodes {
		holders[node.ID] = true
	}
	for _, t := range c.tasks {
		if task.Leased(t.Node) && t.State == task.Running {
			holders[t.Node] = true
		}
	}
	held := 0
	for holder := range holders {
		tasks, err := c.s.Running(c.ctx, holder, nil)
		c.ok(err)
		for _, t := range tasks {
			if known := c.tasks[t.ID]; known == nil || known.State != task.Running || known.Node != holder || known.Claim != t.Claim {
				c.Errorf("I8: Running(%q) lists %s, which is %+v", holder, t.ID, known)
			}
		}
		held += len(tasks)
	}
	total := 0
	for _, t := range c.tasks {
		if t.State == task.Running {
			total++
		}
	}
	if held != total {
		c.Errorf("I8: %d tasks run, the nodes hold %d", total, held)
	}
}

// counters checks counts against recounts (I11).
func (c *invariants) counters() {
	c.Helper()
	recount := store.DeadStats{ByType: map[string]int{}, ByReason: map[string]int{}, ByCategory: map[string]int{}}
	states := map[task.State]int{}
	for _, t := range c.tasks {
		states[t.State]++
		if t.State == task.Dead {
			recount.Total++
			recount.ByType[t.Type]++
			recount.ByReason[string(t.DeadReason)]++
			if t.LastError != nil {
				recount.ByCategory[t.LastError.Category]++
			}
		}
	}
	for _, state := range task.States {
		n, err := c.s.Count(c.ctx, store.Filter{State: state}, len(c.tasks)+1)
		c.ok(err)
		if n != states[state] {
			c.Errorf("I11: Count finds %d %s tasks, Find %d", n, state, states[state])
		}
	}
	stats, err := c.s.DeadStats(c.ctx)
	c.ok(err)
	tidy(stats.ByType)
	tidy(stats.ByReason)
	tidy(stats.ByCategory)
	delete(stats.ByCategory, "")
	delete(recount.ByCategory, "")
	if stats.Total != recount.Total || !maps.Equal(stats.ByType, recount.ByType) || !maps.Equal(stats.ByReason, recount.ByReason) ||
		!maps.Equal(stats.ByCategory, recount.ByCategory) {
		c.Errorf("I11: DeadStats says %+v, a recount %+v", *stats, recount)
	}
	groups, err := c.s.DeadGroups(c.ctx, store.Filter{}, recount.Total+1)
	c.ok(err)
	grouped := 0
	for _, group := range groups {
		grouped += group.Count
	}
	if grouped != recount.Total {
		c.Errorf("I11: DeadGroups count %d letters of %d", grouped, recount.Total)
	}
}

func tidy(counters map[string]int) {
	maps.DeleteFunc(counters, func(_ string, n int) bool { return n == 0 })
}

// isEntryOf allows for the bytes that encryption adds to a payload.
func isEntryOf(entry store.Entry, t *task.Task) bool {
	want := entryOf(t)
	if more := entry.Size - want.Size; more > 0 && more <= store.SealRoom {
		want.Size = entry.Size
	}
	return entry == want
}

// groups checks that each group of tasks that is not done counts its live members.
func (c *invariants) groups() {
	c.Helper()
	live := map[task.ID]int{}
	for _, t := range c.tasks {
		if !t.State.Final() {
			live[t.Spec.Group]++
		}
	}
	groups, err := c.s.Groups(c.ctx, "", task.ID{}, 1000)
	c.ok(err)
	for i := range groups {
		if g := &groups[i]; g.Counts.Live() != live[g.ID] {
			c.Errorf("I11: the %s group %s counts %+v, and %d members live", g.State, g.ID, g.Counts, live[g.ID])
		}
	}
}
