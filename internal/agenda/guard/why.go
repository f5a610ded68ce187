package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Why says what of its target holds a due task now, empty for nothing, and when that is
// asked again: zero where only an event tells. It changes nothing.
func (t *Target) Why(c *Call) (why task.Waiting, until time.Time) {
	if t.guard != nil {
		if why, until = t.guard.why(c, t.all.clock.Time); why != "" {
			return why, until
		}
	}
	switch {
	case t.shut&c.Gates&byBudget != 0:
		return task.BudgetSpent, time.UnixMicro(t.until[1]).UTC()
	case t.full() || t.running >= t.allowed():
		return task.AtConcurrency, time.Time{}
	}
	return "", time.Time{}
}

// why says so of the breaker, and of what asks for time.
func (g *guard) why(c *Call, now time.Time) (why task.Waiting, until time.Time) {
	asked := c.Gates&byBreaker != 0
	switch {
	case asked && g.breaker.ordered(now):
		return task.BreakerOpen, time.Time{}
	case asked && !c.Free && g.breaker.probes():
		_, at := g.breaker.current.Ready(now)
		return task.BreakerOpen, utc(at)
	case g.holdOff.holds():
		return task.InGroupBackoff, utc(g.pause.until)
	case now.Before(g.pause.until):
		return task.RateLimited, utc(g.pause.until)
	case asked && !c.Free && g.breaker.state == retry.Ramping:
		return task.RateLimited, time.Time{}
	}
	return "", time.Time{}
}
