// Package throttle lets something happen now and then.
package throttle

import (
	"sync"
	"time"
)

// Throttle lets something happen now and then. The zero value is ready; it is safe for
// concurrent use.
type Throttle struct {
	mu   sync.Mutex
	last time.Time
}

// Allow reports whether the last time was at least pause ago.
func (t *Throttle) Allow(pause time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if !t.last.IsZero() && now.Sub(t.last) < pause {
		return false
	}
	t.last = now
	return true
}
