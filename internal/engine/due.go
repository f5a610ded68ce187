package engine

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Due makes a node one that works what is due once, a pass, see [Engine.WorkDue]. It is
// a node like any other, but for what it takes into memory: what is due by Until, and
// not what comes up meanwhile. It takes lanes only of queues that no other node works
// on all the time.
type Due struct {
	Types []string  // nil for all
	Since time.Time // what was due before that stays; zero for nothing
	Until time.Time // by the store's clock: what is due later stays
	Limit int       // tasks that are taken at most
	Apart string    // a queue without limit and filters, of which what comes up is worked too
}

// DueCounts is what a pass has done. A task that comes to no recorded end, since
// another node has taken it over, is counted in Started only.
type DueCounts struct {
	Started   int // taken: one attempt each, or an end without one, as at a deadline that has passed
	Succeeded int
	Failed    int // to be tried again
	Dead      int
	Snoozed   int
	Canceled  int
	Released  int // handed back without cost
	// Left are due tasks that match and are still pending, counted to 10 000: beyond the
	// limit, held by a paused queue, an ordering key or a target, of types that nothing
	// here starts, or in the hands of other nodes.
	Left int
}

// Add counts the end of an attempt.
func (d *DueCounts) Add(o *Outcome) { *d.of(o)++ }

func (d *DueCounts) of(o *Outcome) *int {
	switch {
	case o.State == task.Succeeded:
		return &d.Succeeded
	case o.State == task.Dead:
		return &d.Dead
	case o.State == task.Canceled:
		return &d.Canceled
	case o.Settlement.Outcome == task.OutcomeSnoozed:
		return &d.Snoozed
	case o.Settlement.Outcome == task.OutcomeReleased:
		return &d.Released
	}
	return &d.Failed
}

// Ended is the sum of the ends.
func (d *DueCounts) Ended() int {
	return d.Succeeded + d.Failed + d.Dead + d.Snoozed + d.Canceled + d.Released
}
