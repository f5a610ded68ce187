// Package guard protects what tasks call. Each target of a node has a breaker, a retry
// budget, a concurrency limit, ramps behind outages and pauses, and a limit of the
// operators; [Targets] has all of them, and hears what other nodes say. Like the agenda it
// is pure, and not safe for concurrent use but for the methods that say so.
//
// Before a task starts, [Target.Allow] asks all gates. What they grant goes back by
// [Target.GiveBack], or ends by [Target.Conclude], which hears how the attempt went.
package guard

import (
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// Call is a task as the guards of its target see it: what its next start needs, and what
// it was granted.
type Call struct {
	cost  float64 // budget tokens that its start takes
	grant *grant
	Gates Gates // that it must pass
	Local bool  // its target is no more than its type
	Free  bool  // its handler wants no guards
	Push  bool  // it is a request that the node itself makes
}

// grant is what a task holds from its choice to the end of its attempt.
type grant struct {
	permit  retry.Permit
	breaker *retry.Breaker // that has given it
	limit   *retry.Limit   // with a place for the attempt
	budget  *retry.Budget  // that has paid
	tokens  float64
	trial   bool // see retryMix
}

// grants allocates them many at a time.
type grants []grant

const grantChunk = 32

func (s *grants) take() *grant {
	if len(*s) == 0 {
		*s = make([]grant, grantChunk)
	}
	made := &(*s)[0]
	*s = (*s)[1:]
	return made
}

// Requirement is what the next start of a task needs of its target's guards.
type Requirement struct {
	breaker, budget bool
	cost            float64 // tokens of a retry
}

// Usual is the requirement of rows which were read from disk: neither their policy nor
// their last failure is known before the claim.
var Usual = Requirement{breaker: true, budget: true, cost: 1}

// RequirementAfter is that of a task after an attempt under a policy.
func RequirementAfter(policy *retry.Policy, s *store.Settlement) Requirement {
	next := Usual
	next.breaker, next.budget = wanted(policy)
	if s.Failure == nil {
		return next
	}
	category := retry.Category(s.Failure.Category)
	if !category.Valid() {
		category = retry.Unknown
	}
	if next.cost = category.Advice().Cost; s.Task.Target == s.Task.Type && !ofDependency(category) {
		next.cost = 0
	}
	return next
}

// wanted says which guards a policy wants at all.
func wanted(policy *retry.Policy) (breaker, budget bool) {
	_, breaker = policy.BreakerConfig()
	_, budget = policy.BudgetConfig()
	return breaker, budget
}

// ofDependency reports whether a failure is one of something that was called. Where
// nobody has said what a handler calls, its target is its type, which is nothing
// that could be down: other failures are those of a task, and hold no other one.
func ofDependency(c retry.Category) bool {
	switch c {
	case retry.Unsent, retry.Network, retry.Timeout, retry.Throttled, retry.Unavailable:
		return true
	}
	return false
}

// Require sets the gates that the call must pass. Tasks that have not failed yet
// pay nothing.
func (c *Call) Require(r Requirement, failed bool) {
	if c.Gates, c.cost = 0, r.cost; r.breaker {
		c.Gates |= byBreaker
	}
	if failed && r.budget && r.cost > 0 && !c.Free {
		c.Gates |= byBudget
	}
}

// Gates is a set of the gates between a due task and its start that belong to
// its target. They are asked when the task's turn has come. One that refuses is
// shut: the target's backlogs leave out what it holds, until a time or until something
// happens that may have opened it.
type Gates uint8

const (
	byBreaker Gates = 1 << iota // its breaker, and the ramp after an outage
	byBudget                    // its retry budget
	byRate                      // it asked for a pause
	byLimit                     // its concurrency limit

	gateCount = 4
	anyGate   = byBreaker | byBudget | byRate | byLimit
	// Sets is the number of sets of gates that tasks have or have not: breaker and
	// budget. The others hold every task. These sets are the numbers below Sets.
	Sets = 4
)

// Hold reports whether gates that are shut hold a task that has those of.
func (g Gates) Hold(of Gates) bool { return g&(of|byRate|byLimit) != 0 }

// WithoutBudget is the set without the retry budget.
func (g Gates) WithoutBudget() Gates { return g &^ byBudget }

// Kind tells retries that pay from all other attempts.
type Kind int

// First and Retries are the kinds; none stands for neither.
const (
	none Kind = iota - 1
	First
	Retries
)

// Other is the other kind.
func (k Kind) Other() Kind { return Retries - k }

// Kind is the kind of tasks that have those gates.
func (g Gates) Kind() Kind {
	if g&byBudget != 0 {
		return Retries
	}
	return First
}
