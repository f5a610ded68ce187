// Package lengths remembers how long recent attempts took.
package lengths

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Histogram remembers how long recent attempts took: a histogram with four buckets
// for each doubling, after the log-linear buckets of HdrHistogram (Gil Tene). It
// keeps the last few hundred: when it is full, every bucket is halved, so that
// old ones fade. It has a fixed size, no lock, and is safe for concurrent use.
type Histogram struct {
	total  atomic.Int32
	fading atomic.Bool
	counts [4 * doublings]atomic.Int32
}

const (
	// 1 << unitShift is the width of the first buckets, 1.024 µs; with so many
	// doublings the last bucket begins at 37 minutes.
	unitShift = 10
	doublings = 32
	// most is when the buckets are halved.
	most = 1024
	// least is how many must be known; a quantile wants that at least
	// beyond of them are longer.
	least  = 10
	beyond = 2
	// sampled is how many attempts there are for each one that wants chooses, and
	// enough is how many must be known before it leaves any out.
	sampled = 16
	enough  = 64
	// MostQuantile can still be known just after the buckets have been halved.
	MostQuantile = 0.99
)

// bucket is the bucket of a length.
func bucket(d time.Duration) int {
	units := uint64(max(d, 0)) >> unitShift
	if units < 4 {
		return int(units)
	}
	shift := bits.Len64(units) - 3 // the leading bit and the two after it remain
	return min(4*shift+int(units>>shift), 4*doublings-1)
}

// edge is the upper edge of a bucket.
func edge(bucket int) time.Duration {
	bucket++
	if bucket < 8 {
		return time.Duration(bucket) << unitShift
	}
	shift := bucket/4 - 1
	return time.Duration(4+bucket%4) << (shift + unitShift)
}

// Add counts one attempt.
func (l *Histogram) Add(d time.Duration) {
	l.counts[bucket(d)].Add(1)
	if l.total.Add(1) >= most && l.fading.CompareAndSwap(false, true) {
		l.fade()
		l.fading.Store(false)
	}
}

// Wants reports whether an attempt that began then is one to count, where not all are:
// all until enough are known, then one in sixteen, by the time at which it began.
func (l *Histogram) Wants(began time.Time) bool {
	return l.total.Load() < enough || began.Nanosecond()%sampled == 0
}

// fade halves every bucket.
func (l *Histogram) fade() {
	removed := int32(0)
	for i := range l.counts {
		half := (l.counts[i].Load() + 1) / 2
		l.counts[i].Add(-half)
		removed += half
	}
	l.total.Add(-removed)
}

// Quantile is the upper edge of the bucket that holds the quantile q; false while
// too few lengths are known.
func (l *Histogram) Quantile(q float64) (time.Duration, bool) {
	total := l.total.Load()
	if total < least || float64(total)*(1-q) < beyond {
		return 0, false
	}
	rank, sum := int32(q*float64(total)), int32(0)
	for i := range l.counts {
		if sum += l.counts[i].Load(); sum > rank {
			return edge(i), true
		}
	}
	return 0, false
}
