package retry

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// lengths remembers how long recent attempts took: a histogram with four buckets
// for each doubling, after the log-linear buckets of HdrHistogram (Gil Tene). It
// keeps the last few hundred: when it is full, every bucket is halved, so that
// old ones fade. It has a fixed size, no lock, and is safe for concurrent use.
type lengths struct {
	total  atomic.Int32
	fading atomic.Bool
	counts [4 * lengthDoublings]atomic.Int32
}

const (
	// lengthUnit is the width of the first buckets, 1.024 µs; with so many
	// doublings the last bucket begins at 37 minutes.
	lengthShift     = 10
	lengthDoublings = 32
	// mostLengths is when the buckets are halved.
	mostLengths = 1024
	// leastLengths is how many must be known; a quantile wants that at least
	// leastBeyond of them are longer.
	leastLengths = 10
	leastBeyond  = 2
	// sampled is how many attempts there are for each one that sample counts, and
	// enough is how many must be known before it leaves any out.
	sampled = 16
	enough  = 64
	// mostQuantile can still be known just after the buckets have been halved.
	mostQuantile = 0.99
)

// lengthBucket is the bucket of a length.
func lengthBucket(d time.Duration) int {
	units := uint64(max(d, 0)) >> lengthShift
	if units < 4 {
		return int(units)
	}
	shift := bits.Len64(units) - 3 // the leading bit and the two after it remain
	return min(4*shift+int(units>>shift), 4*lengthDoublings-1)
}

// lengthEdge is the upper edge of a bucket.
func lengthEdge(bucket int) time.Duration {
	bucket++
	if bucket < 8 {
		return time.Duration(bucket) << lengthShift
	}
	shift := bucket/4 - 1
	return time.Duration(4+bucket%4) << (shift + lengthShift)
}

// add counts one attempt.
func (l *lengths) add(d time.Duration) {
	l.counts[lengthBucket(d)].Add(1)
	if l.total.Add(1) >= mostLengths && l.fading.CompareAndSwap(false, true) {
		l.fade()
		l.fading.Store(false)
	}
}

// sample counts an attempt that began then and has just succeeded, if nobody else
// measures it: all until enough are known, then one in sixteen, by the time at
// which it began. Zero counts nothing.
func (r *running) sample(began time.Time) {
	if began.IsZero() {
		return
	}
	l := r.lengths()
	if l.total.Load() < enough || began.Nanosecond()%sampled == 0 {
		l.add(clock().Sub(began))
	}
}

// fade halves every bucket.
func (l *lengths) fade() {
	removed := int32(0)
	for i := range l.counts {
		half := (l.counts[i].Load() + 1) / 2
		l.counts[i].Add(-half)
		removed += half
	}
	l.total.Add(-removed)
}

// quantile is the upper edge of the bucket that holds the quantile q; false while
// too few lengths are known.
func (l *lengths) quantile(q float64) (time.Duration, bool) {
	total := l.total.Load()
	if total < leastLengths || float64(total)*(1-q) < leastBeyond {
		return 0, false
	}
	rank, sum := int32(q*float64(total)), int32(0)
	for i := range l.counts {
		if sum += l.counts[i].Load(); sum > rank {
			return lengthEdge(i), true
		}
	}
	return 0, false
}
