package peer

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// sampled is an adaptive limit in the manner of Netflix's concurrency-limits: once
// a second, with ten samples at least, a rule looks at the mean latency.
type sampled struct {
	limit float64
	taken int
	most  int // taken in this window
	from  time.Time
	sum   time.Duration
	n     int
	drop  bool
	rule  func(limit, latency float64, inFlight int, dropped bool) float64
}

const (
	sampleWindow = time.Second
	leastSamples = 10
)

// WithSampled gives each client such a limit with a rule.
func WithSampled(rule func() func(limit, latency float64, inFlight int, dropped bool) float64) func(*world.Kit) {
	return func(k *world.Kit) {
		k.Limit = func(*world.World) world.Limit { return &sampled{limit: 20, rule: rule()} }
	}
}

func (l *sampled) Acquire(time.Time) bool {
	if l.taken >= int(l.limit) {
		return false
	}
	l.taken++
	l.most = max(l.most, l.taken)
	return true
}

func (l *sampled) Release(now time.Time, took time.Duration, c retry.Category) {
	l.taken--
	if l.from.IsZero() {
		l.from = now
	}
	switch c {
	case "":
		l.sum += took
		l.n++
	case retry.Throttled, retry.Timeout:
		l.drop = true
	}
	if now.Sub(l.from) < sampleWindow || l.n < leastSamples {
		return
	}
	l.limit = l.rule(l.limit, l.sum.Seconds()/float64(l.n), l.most, l.drop)
	l.from, l.sum, l.n, l.drop, l.most = now, 0, 0, false, l.taken
}

// Vegas keeps the queue that latency above the lowest one tells of between 3 and 6
// times the logarithm of the limit.
func Vegas() func(limit, latency float64, inFlight int, dropped bool) float64 {
	lowest := math.Inf(1)
	return func(limit, latency float64, inFlight int, dropped bool) float64 {
		lowest = min(lowest, latency)
		queue := math.Ceil(limit * (1 - lowest/latency))
		step := max(1, math.Log10(limit))
		switch {
		case dropped:
			limit -= step
		case float64(inFlight)*2 < limit:
		case queue <= step:
			limit += 6 * step
		case queue < 3*step:
			limit += step
		case queue > 6*step:
			limit -= step
		}
		return min(max(limit, 1), 1000)
	}
}

// Gradient lets the limit sink with the ratio of the long-term latency, times 1.5,
// to the present one, and leaves room for a queue of four.
func Gradient() func(limit, latency float64, inFlight int, dropped bool) float64 {
	long := 0.0
	return func(limit, latency float64, inFlight int, _ bool) float64 {
		if long == 0 {
			long = latency
		}
		if long += (latency - long) * 2 / 601; long/latency > 2 {
			long *= 0.95
		}
		if float64(inFlight) < limit/2 {
			return limit
		}
		target := limit*max(0.5, min(1, 1.5*long/latency)) + 4
		return min(max(limit*0.8+target*0.2, 20), 200)
	}
}
