package storm

import (
	"math"
	"time"
)

// spectrum measures how much of a crowd's synchrony is left in the times at which
// its attempts arrive.
//
// The line power at frequency f is |A(f)|²/|A(0)|², where A is the Fourier
// transform of the arrivals: 1 when all of them come in step with f, 1/N for N
// arrivals that have nothing in common.
type spectrum struct {
	counts  []int32 // arrivals per grain
	total   int64
	callers int // whose share a peak is
}

// grain is fine enough that rounding to it takes less than half a percent off a
// line at ten per second.
const grain = time.Millisecond

func (s *spectrum) add(at time.Duration) {
	i := int(at / grain)
	for i >= len(s.counts) {
		s.counts = append(s.counts, 0)
	}
	s.counts[i]++
	s.total++
}

// line is the line power at f per second.
func (s *spectrum) line(f float64) float64 {
	if s.total == 0 {
		return 0
	}
	var re, im float64
	turn, width := 2*math.Pi*f, grain.Seconds()
	for i, n := range s.counts {
		if n > 0 {
			sin, cos := math.Sincos(turn * (float64(i) + 0.5) * width)
			re += float64(n) * cos
			im += float64(n) * sin
		}
	}
	all := float64(s.total)
	return (re*re + im*im) / (all * all)
}

// highest is the highest line power between two frequencies.
func (s *spectrum) highest(low, high float64) float64 {
	const points = 40
	most := 0.0
	for i := range points + 1 {
		most = max(most, s.line(low+(high-low)*float64(i)/points))
	}
	return most
}

// mean is the mean time of an arrival in seconds.
func (s *spectrum) mean() float64 {
	sum := 0.0
	for i, n := range s.counts {
		sum += float64(n) * (float64(i) + 0.5)
	}
	return sum * grain.Seconds() / float64(max(s.total, 1))
}

// densest is the highest share of the callers that arrives within one stretch of a
// grid.
func (s *spectrum) densest(stretch time.Duration) float64 {
	per := int(stretch / grain)
	most := int32(0)
	for i := 0; i < len(s.counts); i += per {
		sum := int32(0)
		for _, n := range s.counts[i:min(i+per, len(s.counts))] {
			sum += n
		}
		most = max(most, sum)
	}
	return float64(most) / float64(max(s.callers, 1))
}
