package agenda

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
)

// timeline knows where entries are, and when that is to change: it holds those that wait
// for a time, and moves others into and out of the streams of their targets, from behind
// the heads of their keys, and to those that may be poison.
type timeline struct {
	clock   *guard.Clock
	waiting heap.Heap[*Entry] // not due yet, by at
	ready   int               // entries in streams
	poison  isolation

	// A task ends at its deadline also while gates hold it, if the deadline is known: a row
	// does not show it, only the whole task does. It is known of tasks that were claimed
	// before, and of those that wait for a target of which nobody took the last task: they
	// are read for it, once.
	deadlines heap.Heap[*Entry] // of ready entries, where it is known
}

func newTimeline(clock *guard.Clock) timeline {
	return timeline{
		clock:     clock,
		waiting:   heap.New(func(e *Entry) heap.Rank { return heap.Rank{First: e.at} }, placeOf),
		deadlines: heap.New(func(e *Entry) heap.Rank { return heap.Rank{First: e.expires} }, func(e *Entry) *int { return &e.deadlineIndex }),
	}
}

// schedule puts an entry that nothing but time holds back where it belongs.
func (t *timeline) schedule(e *Entry) {
	now := t.clock.Micros
	if e.sequence != nil && e.at <= now && e.held(now) {
		e.at = e.lane.drained
	}
	if e.at > now {
		e.where = isWaiting
		t.waiting.Push(e)
		return
	}
	e.where = isReady
	e.stream.push(e)
	t.ready++
	if e.expires != 0 {
		t.awaitDeadline(e)
	}
}

// lift takes an entry out of the structure that holds it.
func (t *timeline) lift(e *Entry) {
	switch e.where {
	case isWaiting:
		t.waiting.Remove(e)
	case isReady:
		e.stream.remove(e)
		t.ready--
		if e.deadlineIndex >= 0 {
			t.deadlines.Remove(e)
		}
	case isBehind:
		e.sequence.behind.Remove(e)
		if e.lane != nil {
			e.lane.behind--
		}
	case isIsolated:
		t.poison.remove(e)
	}
	e.where = nowhere
}

// Delay makes an entry wait until at, whatever its RunAt.
func (t *timeline) Delay(e *Entry, at int64) {
	t.lift(e)
	e.at = at
	t.schedule(e)
}

// advance moves entries whose time has come to the streams.
func (t *timeline) advance(now int64) {
	for t.waiting.Len() > 0 && t.waiting.First().at <= now {
		t.schedule(t.waiting.Pop())
	}
}

// next is when the next entry will be due or ends; the greatest number for never.
func (t *timeline) next() int64 {
	at := int64(math.MaxInt64)
	if t.waiting.Len() > 0 {
		at = t.waiting.First().at
	}
	if t.deadlines.Len() > 0 {
		at = min(at, t.deadlines.First().expires)
	}
	if len(t.poison.waiting) > 0 && t.poison.alone != nil {
		at = min(at, t.poison.since+isolatedFor.Microseconds())
	}
	return at
}

// isolateFrom is from how many crashes on a task may be poison: it runs without another
// such task beside it on the node, so that the next crash tells which of them kills its
// process.
const isolateFrom = 2

// isolatedFor is how long a task that may be poison is alone among its like: one that has
// run so long holds the others up no more.
const isolatedFor = 30 * time.Second

// isolation lets tasks that may be poison run one at a time.
type isolation struct {
	alone   *Entry   // that is claimed or runs
	since   int64    // when it began
	waiting []*Entry // for their turn
}

func (i *isolation) remove(e *Entry) {
	for at, other := range i.waiting {
		if other == e {
			i.waiting = append(i.waiting[:at], i.waiting[at+1:]...)
			return
		}
	}
}

// isolate makes an entry that may be poison wait until another one ends.
func (t *timeline) isolate(e *Entry) {
	t.lift(e)
	e.where = isIsolated
	t.poison.waiting = append(t.poison.waiting, e)
}

// endIsolation lets all that wait for the one that runs alone try: the first to be picked
// goes, the others wait again. So none waits for one that was canceled meanwhile.
func (t *timeline) endIsolation() {
	waiting := t.poison.waiting
	t.poison.alone, t.poison.waiting = nil, nil
	for _, other := range waiting {
		t.schedule(other)
	}
}

// checkIsolation lets the next one run beside one that has run long enough.
func (t *timeline) checkIsolation() {
	if t.poison.alone != nil && t.clock.Micros-t.poison.since >= isolatedFor.Microseconds() {
		t.endIsolation()
	}
}

// awaitDeadline watches the deadline of an entry that is ready and has one.
func (t *timeline) awaitDeadline(e *Entry) {
	if e.deadlineIndex < 0 {
		t.deadlines.Push(e)
	}
}

// awaitDeadlines does so again for all of a queue that goes on: those whose deadline has
// passed in the pause were left.
func (t *timeline) awaitDeadlines(q *Queue) {
	for _, c := range q.crowds {
		for e := range c.each {
			if e.expires != 0 {
				t.awaitDeadline(e)
			}
		}
	}
}

// overdue is the entry whose deadline is the first to have passed, nil for none.
func (t *timeline) overdue() *Entry {
	if t.deadlines.Len() == 0 || t.deadlines.First().expires > t.clock.Micros {
		return nil
	}
	return t.deadlines.First()
}
