package plan

import (
	"math"
	"time"
)

// cells is how many intervals the distribution of a delay is kept in.
const cells = 1024

// mostDrawnFrom is after how many delays the distribution is taken as settled in
// any case: with a cap it is long before.
const mostDrawnFrom = 1000

// chain follows the distribution of decorrelated delays: each is drawn from
// U[F, min(cap, 3·previous)), the first one as if the delay before had been F.
// Without a cap the mean follows m(n) = (F + 3·m(n−1))/2.
type chain struct {
	first, cap float64
	mean       float64            // of the next delay
	mass       [cells]float64     // of the last delay, over intervals of equal logarithms
	edge       [cells + 1]float64 // of the intervals, from first to cap
	drawn      int                // delays so far
	settled    bool               // further delays have the same distribution
}

func newChain(first, limit time.Duration) *chain {
	c := &chain{first: float64(first), cap: float64(limit)}
	if c.first <= 0 || c.cap > 0 && c.cap < c.first*(1+1e-6) {
		c.mean, c.settled = max(c.first, 0), true // nothing to draw
	}
	for i := range c.edge {
		c.edge[i] = c.first * math.Pow(c.cap/c.first, float64(i)/cells)
	}
	return c
}

// next is the mean of the next delay.
func (c *chain) next() time.Duration {
	switch {
	case c.settled:
	case c.cap <= 0 && c.drawn == 0:
		c.mean = 2 * c.first
	case c.cap <= 0:
		c.mean = (c.first + 3*c.mean) / 2
	default:
		before := c.mean
		c.draw()
		c.settled = math.Abs(c.mean-before) < 1e-9*before || c.drawn == mostDrawnFrom
	}
	c.drawn++
	if c.mean >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Round(c.mean))
}

// draw replaces the distribution of the last delay by that of the next one.
func (c *chain) draw() {
	// ends[i] is the density of the draws from first to edge i.
	var ends [cells + 1]float64
	c.mean = 0
	for i := range c.mass {
		mass, middle := c.mass[i], (c.edge[i]+c.edge[i+1])/2
		if c.drawn == 0 {
			mass, middle = 0, c.first
			if i == 0 {
				mass = 1
			}
		}
		high := min(c.cap, 3*middle)
		c.mean += mass * (c.first + high) / 2
		at := min(max(int(math.Round(math.Log(high/c.first)/math.Log(c.cap/c.first)*cells)), 1), cells)
		ends[at] += mass / (c.edge[at] - c.first)
	}
	density := 0.0
	for i := cells - 1; i >= 0; i-- {
		density += ends[i+1]
		c.mass[i] = density * (c.edge[i+1] - c.edge[i])
	}
}
