package engine

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// learn puts one pending row into memory if this node owns its lane and can
// start it. The engine's lock must be held.
func (c *core) learn(row store.Entry) {
	l := c.agenda.Lane(row.ID.Lane())
	if l == nil {
		c.changedLane(row.ID.Lane(), row.Rank)
		return
	}
	if row.Park != 0 || !c.agenda.Works(l.Queue(), &row) {
		return
	}
	if c.agenda.Entry(row.ID) != nil {
		c.sighted(row.ID)
	}
	c.keep(l, &row, false)
}

// keep puts a row of an owned lane into memory, or parks one that is to be left to other
// nodes: what nobody here can start would end here. It reports whether the row is this
// node's. The engine's lock must be held.
func (c *core) keep(l *agenda.Lane, row *store.Entry, wanted bool) bool {
	if c.parksType(l.Queue(), row) {
		c.parking[row.ID] = l.NoteLeft(agenda.Capability(row))
		signal(c.load)
		return false
	}
	c.agenda.Add(l.Queue(), *row, wanted)
	return true
}

// leave forgets an entry that came back into memory, if nobody here can start it any more,
// and parks it; one of another's lane is found again by its mark. The engine's lock must
// be held.
func (c *core) leave(entry *agenda.Entry) {
	if c.agenda.Entry(entry.ID) != entry || !c.parksType(entry.Queue(), &entry.Entry) {
		return
	}
	c.agenda.Forget(entry)
	if l := entry.Lane(); l != nil {
		c.parking[entry.ID] = l.NoteLeft(agenda.Capability(&entry.Entry))
		signal(c.load)
	}
}

// sighted doubts the lease of a task that was seen waiting on disk although a worker
// of this node should have it: another node may have settled or recovered it. The
// engine's lock must be held.
func (c *core) sighted(id task.ID) {
	if a := leaseOf(c.agenda.Entry(id)); a != nil {
		c.leases.Doubt(a.lease)
	}
}

// takes says who is given an entry of the capability: this node, nil, or a worker; ok is
// false if only a worker can start it and none waits. The engine's lock must be held.
func (c *core) takes(queue, capability string) (to agenda.Taker, ok bool) {
	if c.config.Registry.CanStart(capability) {
		return nil, true
	}
	return c.takers(queue, capability)
}

// canStart reports whether this node can start a capability in a queue: by a
// handler of its own, or by a worker that is connected to it.
func (c *core) canStart(queue, capability string) bool {
	return c.config.Registry.CanStart(capability) || c.leases.Served().Has(queue, capability)
}

// parksType reports whether a row must be left to other nodes because
// nothing here starts its type. Where its queue says that such tasks die,
// and no living node can start it, it is kept, and dies at its attempt.
func (c *core) parksType(q *agenda.Queue, row *store.Entry) bool {
	can := agenda.Capability(row)
	if c.canStart(q.Name(), can) {
		return false
	}
	return !q.UnknownDies || c.member.View().CanStart(q.Name(), can)
}

// noteMark remembers what the mark of a row in a lane stands for.
func (c *core) noteMark(l *agenda.Lane, row *store.Entry) {
	if !l.Knows(row) {
		l.Note(row, c.member.View().Abilities(l.Queue().Name()))
	}
}

// returns reports whether rows that were left to nodes with a capability should come
// back: this node has it, or it is an ability of which no node lives that has it. A type
// waits for a node that knows it, also where the queue says that unknown types die: the
// last one that did may only be restarted.
func (c *core) returns(queue, capability string) bool {
	_, ability := store.ReachOf(capability)
	return c.canStart(queue, capability) || ability && !slices.Contains(c.member.View().Abilities(queue), capability)
}

// unended yields the attempts that have not been settled. The engine's lock must be
// held.
func (c *core) unended(yield func(*attempt) bool) {
	for entry := range c.agenda.Entries {
		if a := attemptOf(entry); a != nil && !yield(a) {
			return
		}
	}
}

// attemptOf is the attempt of an entry that has been claimed and not settled, else nil.
func attemptOf(entry *agenda.Entry) *attempt {
	if entry == nil {
		return nil
	}
	a, _ := entry.Run.(*attempt)
	return a
}

// leaseOf is the attempt of an entry that a remote worker runs, else nil.
func leaseOf(entry *agenda.Entry) *attempt {
	if a := attemptOf(entry); a != nil && a.lease != nil {
		return a
	}
	return nil
}

// Canceled tells the engine that a cancel was committed for the task: a
// pending one is forgotten, a running one has its context canceled.
func (c *core) Canceled(id task.ID) {
	c.lock()
	entry := c.agenda.Entry(id)
	if a := attemptOf(entry); a != nil {
		a.ctx.cancel(ErrCanceled)
	} else if entry != nil && !entry.Claimed() {
		c.agenda.Forget(entry)
	}
	if l := c.agenda.Lane(id.Lane()); l != nil && l.Reopen() { // it may have been the head of a key
		signal(c.load)
	}
	c.changedLane(id.Lane(), store.AnyRank)
	c.unlock()
	signal(c.wake)
}

// Rescheduled tells the engine that the task's next run was moved, to now
// or to another time.
func (c *core) Rescheduled(t *task.Task) {
	c.lock()
	if entry := c.agenda.Entry(t.ID); entry != nil && !entry.Claimed() {
		c.agenda.Forget(entry)
	}
	c.learn(entryOf(t))
	c.unlock()
	signal(c.wake)
}

// Steered tells the engine what was done to many tasks: they were canceled, asked to
// end, or their next run was moved. They need not be whole: their lanes are read.
func (c *core) Steered(tasks []*task.Task) {
	var moved []store.ChangedLane
	for _, t := range tasks {
		if t.State != task.Pending {
			c.Canceled(t.ID)
			continue
		}
		c.lock()
		if entry := c.agenda.Entry(t.ID); entry != nil && !entry.Claimed() {
			c.agenda.Forget(entry)
		}
		at := store.ChangedLane{Lane: t.ID.Lane(), From: task.Rank(t.RunAt, t.Priority)}
		c.agenda.LookFor(at.Lane, at.From)
		c.unlock()
		moved = append(moved, at)
	}
	if len(moved) > 0 {
		c.WakeFrom(moved...)
	}
}

func entryOf(t *task.Task) store.Entry {
	return store.Entry{
		ID: t.ID, RunAt: micros(t.RunAt), Rank: task.Rank(t.RunAt, t.Priority), Seq: t.Seq, Park: t.Park, Key: t.Key, Share: t.Spec.ShareKey,
		Type: t.Type, Target: t.Target, Attempt: t.Attempt, Crashes: t.Crashes, Size: len(t.Payload),
	}
}

// Underway counts the tasks that match and are claimed here, run, or have ended without
// observers having heard of it: none of them can be missed between two of these.
func (c *core) Underway(matches func(queue, taskType string, runAt time.Time) bool) (count int) {
	c.lock()
	defer c.unlock()
	add := func(queue, taskType string, runAt time.Time) {
		if matches(queue, taskType, runAt) {
			count++
		}
	}
	for entry := range c.agenda.Entries {
		if entry.Claimed() || entry.Run != nil {
			add(entry.Queue().Name(), entry.Type, time.UnixMicro(entry.RunAt))
		}
	}
	for _, batch := range c.reporting {
		for _, a := range batch {
			add(a.run.Task.Queue, a.run.Task.Type, a.run.Task.RunAt)
		}
	}
	return count
}
