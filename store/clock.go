package store

import (
	"context"
	"sync"
	"time"
)

// clockEvery is how often a store's clock is asked for.
const clockEvery = 30 * time.Second

// Clock is the clock of a store: that of this machine, corrected by what the store
// said last, where it is on a server of its own. It is safe for concurrent use.
type Clock struct {
	prober Prober // nil where both are the same

	mu    sync.Mutex
	ahead time.Duration
	asked time.Time
}

// NewClock makes the clock of a store, of whatever interface it is known by.
func NewClock(of any) *Clock {
	prober, _ := As[Prober](of)
	return &Clock{prober: prober}
}

// Now is the time by the store's clock, give or take half of a round trip; by that of
// this machine where the two differ by no more than that, and as long as the store has
// not answered.
func (c *Clock) Now(ctx context.Context) time.Time {
	if c.prober == nil {
		return time.Now().UTC()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() || time.Since(c.asked) >= clockEvery {
		if probe, err := c.prober.Probe(ctx); err == nil {
			c.ahead, c.asked = probe.Ahead, time.Now()
			if c.ahead.Abs() <= probe.Took/2 {
				c.ahead = 0 // the way alone may have made the difference
			}
		}
	}
	return time.Now().Add(c.ahead).UTC()
}
