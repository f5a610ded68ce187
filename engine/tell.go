package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

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
		e.mu.Lock()
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
	e.mu.Lock()
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
	e.mu.Lock()
	defer e.unlock()
	e.near.reads(time.Now())
	return e.near.report()
}
