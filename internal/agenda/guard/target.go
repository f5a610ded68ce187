package guard

import (
	"sync/atomic"
	"time"
)

// Target is what tasks call, as this node sees it.
type Target struct {
	all     *Targets
	Name    string
	Usual   atomic.Int64 // ns: length of an attempt, exponentially weighted; it may be read at any time
	Holds   atomic.Bool  // gates are shut, which may open by the end of an attempt; the same
	share   int          // attempts at once on this node: its share of the slots
	bound   int          // the same: this node's part of the target's configured limit
	running int
	used    int64 // µs: the last outcome
	due     []Backlog
	guard   *guard // nil until something is about to start

	shut    Gates
	until   [gateCount]int64 // µs: when a shut gate is asked again; 0 if only an event opens it
	refused [gateCount]int64 // µs: when a gate last refused
	wakes   int64            // µs: the least of until, 0 for none
	index   int              // in Targets.wakes
}

// Backlog is the due tasks of a target in one queue.
type Backlog interface {
	Refresh()         // which of them starts next is to be chosen anew
	Due(of Gates) int // how many there are that have these gates
	Held() bool       // the queue itself lets nothing start
}

// allowed is how many attempts at once the target is given.
func (t *Target) allowed() int {
	if t.guard == nil || t.guard.concurrency.limit == nil {
		return min(t.bound, t.share)
	}
	now, _ := t.guard.concurrency.limit.Now()
	return min(t.bound, now)
}

// full reports whether nothing of the target may start, whatever it is.
func (t *Target) full() bool { return t.running >= t.share || t.shut&(byRate|byLimit) != 0 }

// Started and Ended count attempts, and shut or open the gates that the share of the
// slots and the configured limit are.
func (t *Target) Started() {
	if t.running++; t.running == t.share {
		t.refresh()
	}
}

// Ended is the other one.
func (t *Target) Ended() {
	if t.running--; t.running == t.share-1 {
		t.refresh()
	}
	if t.running == t.bound-1 {
		t.reopen(byLimit)
	}
}

func (t *Target) refresh() {
	for _, b := range t.due {
		b.Refresh()
	}
}

// learn weighs in the length of an attempt that has come to its end: one part in
// sixteen.
func (t *Target) learn(took time.Duration) {
	usual := t.Usual.Load()
	if usual == 0 {
		usual = int64(took)
	}
	t.Usual.Store(usual + (int64(took)-usual)/16)
}

// leastHold is how long a gate that is shut for a time stays so at least.
const leastHold = time.Millisecond

// hold shuts gates until a time, or, if that is zero, until something opens them.
func (t *Target) hold(shut Gates, until time.Time) {
	at, now := int64(0), t.all.clock.Micros
	if !until.IsZero() {
		at = max(notBefore(until), now+leastHold.Microseconds())
	}
	for i := range gateCount {
		if shut&(1<<i) != 0 {
			t.until[i], t.refused[i] = at, now
		}
	}
	t.shut |= shut
	t.watch()
	t.refresh()
}

// reopen opens gates; whether they hold is asked anew at the next start.
func (t *Target) reopen(open Gates) {
	if t.shut&open != 0 {
		t.renew(open)
	}
}

// renew opens gates after a change of the guard, by which other tasks may be the
// next ones.
func (t *Target) renew(open Gates) {
	t.shut &^= open
	t.watch()
	t.refresh()
}

// watch keeps the order in which targets are looked at again.
func (t *Target) watch() {
	t.wakes = 0
	t.Holds.Store(t.shut != 0)
	for i, until := range t.until {
		if t.shut&(1<<i) != 0 && until != 0 && (t.wakes == 0 || until < t.wakes) {
			t.wakes = until
		}
	}
	switch known := t.index >= 0; {
	case t.wakes == 0 && known:
		t.all.wakes.Remove(t)
	case t.wakes == 0:
	case known:
		t.all.wakes.Fix(t)
	default:
		t.all.wakes.Push(t)
	}
}

// lately is for how long a gate counts as shut that has refused something, and hangsAfter
// how long a target that holds its whole share of the slots must have ended no attempt to
// count as shut as a whole.
const (
	lately     = time.Second
	hangsAfter = time.Second
)

// Blocked is the set of gates that have held tasks of the target for a while,
// or again and again: those should not fill memory. A target that holds its
// share of the slots and ends nothing is blocked as a whole; one that has reached
// its concurrency limit only if that is far below its share.
func (t *Target) Blocked(now int64) (held Gates) {
	if t.running >= t.share && now-t.used > hangsAfter.Microseconds() {
		return anyGate
	}
	for i := range gateCount {
		if t.shut&(1<<i) != 0 || t.refused[i] != 0 && now-t.refused[i] < lately.Microseconds() {
			held |= 1 << i
		}
	}
	if held&byLimit != 0 && t.allowed() > t.share/2 {
		held &^= byLimit
	}
	return held
}

// StillBlocked is the same now, but for a gate that lets out more and more.
func (t *Target) StillBlocked() Gates {
	held := t.Blocked(t.all.clock.Micros)
	if t.guard != nil {
		held &^= t.guard.recovery.ramp.gate
	}
	return held
}

// LeftAlone reports whether nobody took the last task of the target.
func (t *Target) LeftAlone() bool { return t.guard != nil && t.guard.holdOff.why.Failures != 0 }

// Startable says of which sets of gates a task may start now, as far as is known without
// asking, and whether that start is to tell whether the target is back. Which task does so
// should not always be the same: it is drawn, see [Target.NextProbe].
func (t *Target) Startable() (open [Sets]bool, probes bool) {
	if t.full() {
		return open, false
	}
	yields := none
	if probes = t.guard != nil && t.guard.breaker.probes(); !probes {
		if yields = t.yields(); yields != none {
			t.all.yielding[t] = true
		}
	}
	for of := range Gates(Sets) {
		open[of] = t.shut&of == 0 && of.Kind() != yields
	}
	return open, probes
}

// NextProbe is the kind of task whose turn it is to tell whether the target is back:
// first attempts and retries take turns, see [retryMix].
func (t *Target) NextProbe() Kind { return t.guard.recovery.mix.probed.Other() }

// yields is the kind that gives way to the other now.
func (t *Target) yields() Kind {
	g := t.guard
	if g == nil || !t.all.clock.Time.Before(g.recoversUntil()) || g.recovery.mix.trials >= 1 {
		return none
	}
	if k := g.recovery.mix.fails(); k != none && t.anyDue(k.Other()) {
		return k
	}
	return none
}

// anyDue reports whether tasks of that kind are due that nothing but the target's
// gates and free slots can hold.
func (t *Target) anyDue(k Kind) bool {
	for _, b := range t.due {
		if b.Held() {
			continue
		}
		for of := range Gates(Sets) {
			if of.Kind() == k && b.Due(of) > 0 {
				return true
			}
		}
	}
	return false
}
