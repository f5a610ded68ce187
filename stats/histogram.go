package stats

import (
	"maps"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"
)

// buckets of times: the quarters between two powers of two, from 1 µs to 12 days.
const buckets = 160

func bucketOf(took time.Duration) int {
	us := took.Microseconds()
	if us < 1 {
		return 0
	}
	power := bits.Len64(uint64(us)) - 1
	return min(4*power+int(uint64(us)<<2>>power&3), buckets-1)
}

// upperEnd is that of a bucket.
func upperEnd(i int) time.Duration {
	return time.Duration(5+i%4) * time.Microsecond << (i / 4) / 4
}

// counters count times while they come in.
type counters [buckets]atomic.Uint32

func (c *counters) add(took time.Duration) { c[bucketOf(took)].Add(1) }

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

func (t times) merge(other times) {
	for i, n := range other {
		if i >= 0 && i < buckets {
			t[i] += n
		}
	}
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
			return upperEnd(i)
		}
	}
	return 0
}
