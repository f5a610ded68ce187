package group

import (
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/retry"
)

// history is what this node has seen of how long outages of one kind of a group last.
type history struct {
	outages *retry.Outages
	waits   atomic.Pointer[Waits] // what the steps are: a plan is about as late as they
}

// finest is how exactly the end of an outage can be planned for, in parts of ten thousand
// of its length: half of a cell of [retry.Outages].
const finest = 225

func newHistory() *history {
	h := &history{}
	h.outages = retry.NewOutages(retry.OutagesConfig{Allowed: func(length time.Duration) time.Duration {
		return max(h.waits.Load().late(length), length*finest/10_000)
	}})
	return h
}

// past is the history of a kind. The lock must be held.
func (g *group) past(kind inspect.DispatchKind) *history {
	known := g.histories[kind]
	if known == nil {
		if g.histories == nil {
			g.histories = map[inspect.DispatchKind]*history{}
		}
		known = newHistory()
		g.histories[kind] = known
	}
	waits := g.settings.waits(kind)
	known.waits.Store(&waits)
	return known
}

// wait is how long the group is left alone after a failure: by the steps, and once it is
// known how long its outages last until its end is likely, at least the first step and at
// most the maximum. What the group asks for counts if it is longer. The lock must be held.
func (g *group) wait(kind inspect.DispatchKind, now time.Time, asked time.Duration, random retry.Rand) time.Duration {
	known := g.past(kind)
	waits := known.waits.Load()
	step := waits.step(g.failures)
	if planned, ok := known.outages.Next(now.Sub(g.began), random); ok {
		step = max(planned, waits.step(1))
	}
	return waits.bound(max(step, asked))
}

// lesson is an outage that is over.
type lesson struct {
	of        *history
	after, by time.Duration
}

func (l *lesson) learn() {
	if l.of != nil {
		l.of.outages.Observe(l.after, l.by)
	}
}

// lesson is what the end of the outage tells, nothing if there was none, or if it was
// over before the group was tried again. The lock must be held.
func (g *group) lesson(now time.Time) (l lesson) {
	if g.failures == 0 || now.Before(g.next) {
		return l
	}
	return lesson{g.past(g.kind), g.failed.Sub(g.began), now.Sub(g.began)}
}
