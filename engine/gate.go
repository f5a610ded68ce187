package engine

import (
	"sync/atomic"
	"time"
)

// gates is a set of the gates between a due task and its start that belong to
// its target. They are asked when the task's turn has come. One that refuses is
// shut: the target's streams leave it out, until a time or until something
// happens that may have opened it.
type gates uint8

const (
	byBreaker gates = 1 << iota // its breaker, and the ramp after an outage
	byBudget                    // its retry budget
	byRate                      // it asked for a pause
	byLimit                     // its concurrency limit

	gateCount = 4
	// kinds is the number of sets of the gates that an entry has or has not:
	// breaker and budget. The others hold every entry.
	kinds   = 4
	anyGate = byBreaker | byBudget | byRate | byLimit
)

// hold reports whether the gates hold an entry that has those of.
func (g gates) hold(of gates) bool { return g&(of|byRate|byLimit) != 0 }

// target is what tasks call, as this node sees it.
type target struct {
	name    string
	limit   int // attempts at once on this node: its share of the slots
	bound   int // the same: this node's part of the target's configured limit
	running int
	used    int64        // µs: the last outcome
	usual   atomic.Int64 // length of an attempt, exponentially weighted
	streams []*stream
	guard   *guard // nil until something is about to start

	shut    gates
	holds   atomic.Bool      // shut is not empty
	until   [gateCount]int64 // µs: when a shut gate is asked again; 0 if only an event opens it
	refused [gateCount]int64 // µs: when a gate last refused
	wakes   int64            // µs: the least of until, 0 for none
	index   int              // in near.wakes
}

func (t *target) place() *int { return &t.index }

// allowed is how many attempts at once the target is given.
func (t *target) allowed() int { return min(t.bound, t.learned()) }

// learned is the same without the limit that is configured.
func (t *target) learned() int {
	if t.guard == nil || t.guard.calls == nil {
		return t.limit
	}
	now, _ := t.guard.calls.Now()
	return now
}

// full reports whether nothing of the target may start, whatever it is.
func (t *target) full() bool { return t.running >= t.limit || t.shut&(byRate|byLimit) != 0 }

// started and ended count attempts, and shut or open the gate that the share
// of the slots is.
func (t *target) started() {
	if t.running++; t.running == t.limit {
		t.refresh()
	}
}

func (t *target) ended() {
	if t.running--; t.running == t.limit-1 {
		t.refresh()
	}
}

func (t *target) refresh() {
	for _, s := range t.streams {
		s.refresh()
	}
}

// learn weighs in the length of an attempt that has come to its end: one part in
// sixteen.
func (t *target) learn(took time.Duration) {
	usual := t.usual.Load()
	if usual == 0 {
		usual = int64(took)
	}
	t.usual.Store(usual + (int64(took)-usual)/16)
}

// leastHold is how long a gate that is shut for a time stays so at least.
const leastHold = time.Millisecond

// hold shuts gates of a target until a time, or, if that is zero, until
// something opens them.
func (n *near) hold(t *target, shut gates, until time.Time) {
	at := int64(0)
	if !until.IsZero() {
		at = max(micros(until.Add(time.Microsecond-1)), n.now+leastHold.Microseconds())
	}
	for i := range gateCount {
		if shut&(1<<i) != 0 {
			t.until[i], t.refused[i] = at, n.now
		}
	}
	t.shut |= shut
	n.watch(t)
	t.refresh()
}

// reopen opens gates; whether they hold is asked anew at the next start.
func (n *near) reopen(t *target, open gates) {
	if t.shut&open == 0 {
		return
	}
	t.shut &^= open
	n.watch(t)
	t.refresh()
}

// renew opens gates after a change of the guard, by which other tasks may be the
// next ones.
func (n *near) renew(t *target, open gates) {
	t.shut &^= open
	n.watch(t)
	t.refresh()
}

// watch keeps the order in which targets are looked at again.
func (n *near) watch(t *target) {
	t.wakes = 0
	t.holds.Store(t.shut != 0)
	for i, until := range t.until {
		if t.shut&(1<<i) != 0 && until != 0 && (t.wakes == 0 || until < t.wakes) {
			t.wakes = until
		}
	}
	switch known := t.index >= 0; {
	case t.wakes == 0 && known:
		n.wakes.remove(t)
	case t.wakes == 0:
	case known:
		n.wakes.fix(t)
	default:
		n.wakes.push(t)
	}
}

// waken opens the gates whose time has come.
func (n *near) waken(now int64) {
	for n.wakes.len() > 0 && n.wakes.first().wakes <= now {
		t, open := n.wakes.first(), gates(0)
		for i, until := range t.until {
			if until != 0 && until <= now {
				open |= 1 << i
			}
		}
		if open&byBreaker != 0 {
			open |= byBudget // what comes now may be a probe, which costs no token
		}
		n.reopen(t, open)
	}
}

// lately is for how long a gate counts as shut that has refused something.
const lately = time.Second

// stuck is the set of gates that have held entries of the target for a while,
// or again and again: those should not fill memory. A target that holds its
// share of the slots and ends nothing is stuck as a whole; one that has reached
// its concurrency limit only if that is far below its share.
func (n *near) stuck(t *target, now int64) (held gates) {
	if t.running >= t.limit && now-t.used > hangsAfter.Microseconds() {
		return anyGate
	}
	for i := range gateCount {
		if t.shut&(1<<i) != 0 || t.refused[i] != 0 && now-t.refused[i] < lately.Microseconds() {
			held |= 1 << i
		}
	}
	if t.allowed() > t.limit/2 {
		held &^= byLimit
	}
	return held
}
