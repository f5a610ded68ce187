package stats

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/buckets"
)

// sizes is how many buckets of times there are: up to 12 days.
const sizes = 160

// counters count times while they come in.
type counters [sizes]atomic.Uint32

func (c *counters) add(took time.Duration) { c[buckets.Of(took, sizes)].Add(1) }

// take empties the counters into times.
func (c *counters) take(into times) {
	for i := range c {
		if n := c[i].Load(); n > 0 {
			c[i].Add(-n)
			into[i] += int(n)
		}
	}
}

// times are numbers of attempts by bucket.
type times map[int]int

// with adds others; the times may be nil.
func (t times) with(other times) times {
	if t == nil {
		t = make(times, len(other))
	}
	for i, n := range other {
		if i >= 0 && i < sizes {
			t[i] += n
		}
	}
	return t
}

// quantile is a time that a share of the attempts did not exceed, 0 without attempts.
func (t times) quantile(share float64) time.Duration {
	total := 0
	for _, n := range t {
		total += n
	}
	left := int(share * float64(total)) // attempts that are below
	for _, i := range slices.Sorted(maps.Keys(t)) {
		if left -= t[i]; left < 0 || left == 0 && share == 1 {
			return buckets.End(i)
		}
	}
	return 0
}
