package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

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
