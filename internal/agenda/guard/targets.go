package guard

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/heap"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// Config is what targets ask. Its functions take no lock and must not block.
type Config struct {
	Clock *Clock
	Share int // attempts of one target at once on this node
	Rand  retry.Rand

	// TargetLimit is how many attempts of a target may run at once over all nodes, 0 for no
	// limit; nil for none at all.
	TargetLimit func(target string) int
	// Untested reports whether it is not known that anybody takes tasks of a target; nil
	// for never.
	Untested func(target string) bool
	// Unguarded reports whether the handler of a type wants no guards; nil for never.
	Unguarded func(taskType string) bool
}

// Targets is all that is known of targets on this node.
type Targets struct {
	config Config
	clock  *Clock
	byName map[string]*Target

	wakes    heap.Heap[*Target] // those with a gate that is shut for a time, by that
	yielding map[*Target]bool   // those where some give way to others, see retryMix

	remote   map[string]store.Breaker // what other nodes say
	orders   map[string]store.TargetOrder
	position Position
	sharers  int // nodes between which the floors of budgets are divided

	changes []Change // of breakers, still to be told
	later   []func() // what takes long, to be done without the lock
	grants  grants
}

// New makes a set without targets.
func New(config Config) *Targets {
	return &Targets{
		config: config, clock: config.Clock, byName: map[string]*Target{}, yielding: map[*Target]bool{}, sharers: 1,
		wakes: heap.New(func(t *Target) heap.Rank { return heap.Rank{First: t.wakes} }, func(t *Target) *int { return &t.index }),
	}
}

// Attach adds a backlog to the target of a name, which is new if need be.
func (ts *Targets) Attach(name string, b Backlog) *Target {
	t := ts.byName[name]
	if t == nil {
		t = &Target{all: ts, Name: name, share: ts.config.Share, bound: ts.bound(name), index: -1}
		ts.byName[name] = t
	}
	t.due = append(t.due, b)
	return t
}

// Known is the target of a name, nil if nothing is known of it.
func (ts *Targets) Known(name string) *Target { return ts.byName[name] }

// TargetNames lists the targets that are known, in order.
func (ts *Targets) TargetNames() []string { return slices.Sorted(maps.Keys(ts.byName)) }

// Detach takes out a backlog that is empty.
func (t *Target) Detach(b Backlog) {
	if i := slices.Index(t.due, b); i >= 0 {
		last := len(t.due) - 1
		t.due[i] = t.due[last]
		t.due = t.due[:last]
	}
	if len(t.due) == 0 && len(t.all.byName) > mostTargets {
		t.all.forget(t)
	}
}

// What is known of targets without work is kept for a while, longer while
// their breaker is not closed, and not of more than so many.
const (
	targetMemory = time.Minute
	outageMemory = 10 * time.Minute
	mostTargets  = 10_000
)

// ForgetTargets drops what is known of targets that had no work for a while,
// and the guards of those whose work is later: what they have seen is too old
// to count.
func (ts *Targets) ForgetTargets(now int64) {
	for _, t := range ts.byName {
		g, kept, idle := t.guard, targetMemory, t.running == 0
		if g != nil && !g.healthy(ts.clock.Time) {
			kept, idle = outageMemory, false
		}
		switch old := t.used < now-kept.Microseconds(); {
		case old && len(t.due) == 0:
			ts.forget(t)
		case old && idle && g != nil && g.breaker.outages.Known() == 0 && ts.clock.Time.Sub(g.changed) > shown:
			t.guard = nil
			t.renew(anyGate)
		}
	}
}

func (ts *Targets) forget(t *Target) {
	delete(ts.byName, t.Name)
	delete(ts.yielding, t)
	if t.index >= 0 {
		ts.wakes.Remove(t)
	}
}

// Wake opens the gates whose time has come.
func (ts *Targets) Wake(now int64) {
	for ts.wakes.Len() > 0 && ts.wakes.First().wakes <= now {
		t, open := ts.wakes.First(), Gates(0)
		for i, until := range t.until {
			if until != 0 && until <= now {
				open |= 1 << i
			}
		}
		if open&byBreaker != 0 {
			open |= byBudget // what comes now may be a probe, which costs no token
		}
		t.reopen(open)
	}
}

// AskYielding lets those start that have nothing to give way to any more. They are
// asked before each choice, since that for which they wait can end in many ways: by
// the last entry of another queue, a pause of that queue, its limit, or time.
func (ts *Targets) AskYielding() {
	for t := range ts.yielding {
		if t.refresh(); t.yields() == none {
			delete(ts.yielding, t)
		}
	}
}

// NextWake is when something is to be asked again: a gate opens, or those that give way
// stop doing so at the latest, µs; the greatest number for never.
func (ts *Targets) NextWake() int64 {
	at := int64(math.MaxInt64)
	if ts.wakes.Len() > 0 {
		at = ts.wakes.First().wakes
	}
	for t := range ts.yielding {
		if g := t.guard; g != nil {
			at = min(at, max(ts.clock.Micros, notBefore(g.recoversUntil())))
		}
	}
	return at
}

// bound is how many attempts at once this node may make of a target, whatever is
// learned of it.
func (ts *Targets) bound(name string) int {
	if ts.config.TargetLimit == nil {
		return unbound
	}
	limit := ts.config.TargetLimit(name)
	if limit == 0 {
		return unbound
	}
	return ts.position.Part(limit)
}

// Change is a change of a target's breaker that is still to be told.
type Change struct {
	Target string
	retry.BreakerChange
	Also func(retry.BreakerChange) // what the policy wants to be told; may be nil
}

// TakeChanges returns what is still to be told of breakers, and the work that takes long and
// is to be done without the lock, and forgets both.
func (ts *Targets) TakeChanges() (changes []Change, later []func()) {
	changes, later = ts.changes, ts.later
	ts.changes, ts.later = nil, nil
	return changes, later
}
