package retry

import "time"

// LimitConfig bounds the calls in flight to a target, adapted to its latency and
// its refusals. Zero fields take the defaults.
type LimitConfig struct {
	// Initial, Min and Max bound the limit. Defaults 20, 1, 1000.
	Initial, Min, Max int
	// Tolerance is how far latency may rise above its long-term value before the
	// limit sinks. Default 1.5 (Netflix concurrency-limits, Gradient2).
	Tolerance float64
	// Backoff is the factor after a throttled answer or a timeout. Default 0.9 (AIMD).
	Backoff float64
	// Fixed keeps the limit at Initial.
	Fixed bool
}

// Limit is an adaptive concurrency limit. Safe for concurrent use.
type Limit struct{ config LimitConfig }

// NewLimit makes a limit; refused values are [FieldError] values.
func NewLimit(config LimitConfig) (*Limit, error) { return &Limit{config: config}, nil }

// Acquire takes a place; false when all are taken.
func (l *Limit) Acquire(now time.Time) bool { return true }

// Release gives the place back after a call of that length. Category is empty
// for a success; [Throttled] and [Timeout] lower the limit, [Canceled] says
// nothing.
func (l *Limit) Release(now time.Time, took time.Duration, c Category) {}

// Now is the present limit and how many places are taken.
func (l *Limit) Now() (limit, taken int) { return l.config.Initial, 0 }
