package world

import (
	"math/bits"
	"time"
)

// Histogram counts durations in buckets that are a sixteenth of an octave wide, so
// that a quantile is known to about 4 %.
type Histogram struct {
	counts []uint32
	total  int64
}

const steps = 16 // buckets per octave

// bucket is the place of d, counted in microseconds.
func bucket(d time.Duration) int {
	us := uint64(max(d, 0) / time.Microsecond)
	if us < steps {
		return int(us)
	}
	octave := bits.Len64(us) - 5 // 16..31 is octave 0
	return steps + octave*steps + int(us>>octave) - steps
}

// middle is the duration that stands for a bucket.
func middle(bucket int) time.Duration {
	if bucket < steps {
		return time.Duration(bucket) * time.Microsecond
	}
	octave := (bucket - steps) / steps
	low := uint64(bucket-steps-octave*steps+steps) << octave
	return time.Duration(low+uint64(1)<<octave/2) * time.Microsecond
}

// Add counts a duration.
func (h *Histogram) Add(d time.Duration) { h.addTo(bucket(d), 1) }

func (h *Histogram) addTo(bucket int, n uint32) {
	if missing := bucket + 1 - len(h.counts); missing > 0 {
		h.counts = append(h.counts, make([]uint32, missing)...)
	}
	h.counts[bucket] += n
	h.total += int64(n)
}

func (h *Histogram) merge(other *Histogram) {
	for b, n := range other.counts {
		if n > 0 {
			h.addTo(b, n)
		}
	}
}

// Quantile is the duration below which that share lies; 0 when nothing was added.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := int64(q * float64(h.total))
	for b, n := range h.counts {
		if rank -= int64(n); rank < 0 {
			return middle(b)
		}
	}
	if len(h.counts) == 0 {
		return 0
	}
	return middle(len(h.counts) - 1)
}
