package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// clock is the clock of the store: that of this machine, corrected by what the
// store said last, where it is on a server of its own. Tasks never start early
// even so, since the store itself compares their time.
type clock struct {
	prober store.Prober // nil where both are the same

	mu    sync.Mutex
	ahead time.Duration
	asked time.Time
}

func (c *clock) now(ctx context.Context) time.Time {
	if c.prober == nil {
		return time.Now().UTC()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() || time.Since(c.asked) >= probeEvery {
		if probe, err := c.prober.Probe(ctx); err == nil {
			c.ahead, c.asked = probe.Ahead, time.Now()
		}
	}
	return time.Now().Add(c.ahead).UTC()
}
