package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// What the answers of a target teach beside its breaker and budget: how long it takes,
// how many calls at once it bears, and when it wants to be left alone.

// A target is shared; a timeout of a task's own is one caller's word. It says something of
// the target only if that had a fair time to answer.
const (
	// fairTimes is how many times the mean of its answers a target must be waited for.
	// Of healthy answers, whatever their lengths, at most a quarter takes longer: half of
	// what opens a breaker unless configured.
	fairTimes = 4
	// fairUnknown is fair to a target that has not answered yet, and mostFair to each,
	// unless its policy has a timeout: what a request is waited for without one.
	fairUnknown = time.Second
	mostFair    = 30 * time.Second
)

// latency is how long a target takes to answer: the mean length of the last ones, 0 while
// there was none.
type latency time.Duration

// fair reports whether the target had a fair time to answer an attempt that has ended by a
// timeout, unless it was one of the task's own which says nothing of the target. Policy is
// the one that holds for the target, nil for the default.
func (l latency) fair(f *Feedback, policy *retry.Policy) bool {
	if f.OwnTimeout <= 0 || f.Took < f.OwnTimeout {
		return true
	}
	fair, most := fairUnknown, mostFair
	if l > 0 {
		fair = fairTimes * time.Duration(l)
	}
	if policy != nil && policy.Timeout() > 0 {
		most = policy.Timeout()
	}
	return f.OwnTimeout >= min(fair, most)
}

// add weighs in how long a success took: one part in sixteen.
func (l *latency) add(took time.Duration) {
	if *l == 0 {
		*l = latency(max(took, 1))
	}
	*l += (latency(took) - *l) / 16
}

const (
	// quickCall is the length under which requests do not differ for the concurrency
	// limit: what they take is rather this node's own doing.
	quickCall = 50 * time.Millisecond
	// strainShare is which share of the last answers must be refusals or timeouts
	// for the concurrency limit to hear of them.
	strainShare = 1.0 / 6
)

// concurrency is the limit of a target that is learned from its answers.
type concurrency struct {
	limit  *retry.Limit // nil while nothing but the share of the slots is a limit
	strain float64      // share of the last answers that were refusals or timeouts
}

// newLimit makes a limit within a target's share of the slots.
func newLimit(now, share int) *retry.Limit {
	limit, err := retry.NewLimit(retry.LimitConfig{Initial: min(max(now, 1), share), Min: 1, Max: share})
	if err != nil {
		panic(err) // every share is a limit
	}
	return limit
}

// hear tells the limit of an attempt, which held a place in one. How long a request
// takes tells how busy the receiver is. How long a handler takes tells what it
// does: a type has a limit from refusals and timeouts on, until it is the whole
// share of the slots again. Few of those say nothing of the load.
func (c *concurrency) hear(held *retry.Limit, f *Feedback, push bool, running, share int) {
	took, category := quickCall, f.Category
	if push {
		took = max(f.Took, quickCall)
	}
	refused := !f.Silent && (category == retry.Throttled || category == retry.Timeout)
	if !f.Silent {
		c.strain = weighed(c.strain, refused, 32)
	}
	strained := refused && c.strain >= strainShare
	if f.Silent || refused && !strained {
		category = retry.Canceled
	}
	if held != nil {
		held.Release(f.At, took, category)
	}
	switch {
	case push:
	case c.limit == nil && strained:
		c.limit = newLimit(running, share)
	case c.limit != nil && !refused:
		if now, _ := c.limit.Now(); now >= share {
			c.limit = nil
		}
	}
}

const (
	// longestPause bounds what a target can ask for; refusalShare is which share of
	// its last answers must be refusals for the target to be paused as a whole, and
	// not just the tasks that it refused; pauseRamp follows a pause.
	longestPause = time.Minute
	refusalShare = 0.5
	pauseRamp    = 10 * time.Second
)

// pause is the time that a target has asked for, or that nobody takes its tasks.
type pause struct {
	until    time.Time
	refusals float64 // share of the last answers that refused because of too many calls
}

// hear counts an answer, and reports whether the target, which mostly refuses because of
// too many calls, is to be left alone for longer than was known.
func (p *pause) hear(f *Feedback) bool {
	refused := f.Category == retry.Throttled
	p.refusals = weighed(p.refusals, refused, 8)
	until := f.At.Add(min(f.RetryAfter, longestPause))
	if !refused || p.refusals < refusalShare || !until.After(p.until) || f.RetryAfter <= 0 {
		return false
	}
	p.until = until
	return true
}
