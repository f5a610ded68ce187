package engine

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// lock takes the engine's lock where the guards of targets count, and tells them
// first how attempts have ended since.
func (e *Engine) lock() {
	e.mu.Lock()
	for a := range e.answered.taken {
		e.near.conclude(a.entry, answerOf(&a.run, &a.end))
	}
}

// answered are attempts that have ended and of which the guards of their targets
// have not heard yet. They hear of it before they are asked again, whether it is
// settled or not: a slow store is no reason to go on calling a target that fails.
// The zero value is empty; it is safe for concurrent use.
type answered struct{ last atomic.Pointer[attempt] }

func (s *answered) add(a *attempt) {
	for {
		a.before = s.last.Load()
		if s.last.CompareAndSwap(a.before, a) {
			return
		}
	}
}

// taken takes all, and yields them in the order in which they were added.
func (s *answered) taken(yield func(*attempt) bool) {
	var first *attempt
	for a := s.last.Swap(nil); a != nil; {
		before := a.before
		a.before, first, a = first, a, before
	}
	for a := first; a != nil; {
		next := a.before
		if a.before = nil; !yield(a) {
			return
		}
		a = next
	}
}

// answer notes how an attempt has ended. Where gates of its target are shut, it
// may open them.
func (e *Engine) answer(a *attempt) {
	t := a.entry.stream.target
	e.answered.add(a)
	if t.holds.Load() {
		signal(e.wake)
	}
}

// unlock ends a section under the engine's lock in which breakers may have
// changed, and tells of it.
func (e *Engine) unlock() {
	changes, later := e.near.changes, e.near.later
	e.near.changes, e.near.later = nil, nil
	e.mu.Unlock()
	for _, work := range later {
		work()
	}
	for _, c := range changes {
		if c.To == retry.Ramping || c.To == retry.Closed {
			signal(e.load) // what is parked may come back
		}
		if f := e.config.Observer.BreakerChanged; f != nil {
			f(c.target, c.BreakerChange)
		}
		if c.also != nil {
			c.also(c.BreakerChange)
		}
	}
	if len(changes) > 0 {
		signal(e.wake)
	}
}

// shownAtOnce is how many targets are looked at before others get the lock.
const shownAtOnce = 64

// Targets returns what this node knows of the targets of its tasks, by name.
func (e *Engine) Targets() (out []store.Target) {
	e.mu.Lock()
	names := slices.Collect(maps.Keys(e.near.targets))
	e.mu.Unlock()
	slices.Sort(names)
	for some := range slices.Chunk(names, shownAtOnce) {
		e.lock()
		e.near.reads(time.Now())
		for _, name := range some {
			if t := e.near.targets[name]; t != nil {
				out = append(out, e.near.show(t))
			}
		}
		e.unlock()
	}
	return out
}

// Target is what this node knows of one target.
func (e *Engine) Target(name string) (target store.Target, known bool) {
	e.lock()
	defer e.unlock()
	t := e.near.targets[name]
	if t == nil {
		return store.Target{}, false
	}
	e.near.reads(time.Now())
	return e.near.show(t), true
}

// Troubled returns the targets of this node with something to tell: whose
// breaker is not closed, was not a moment ago, or that hold tasks back. The last
// changed come first, at most [store.MostTargets]. Never nil.
func (e *Engine) Troubled() []store.Target {
	e.lock()
	defer e.unlock()
	e.near.reads(time.Now())
	return e.near.report()
}
