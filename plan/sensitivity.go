package plan

import (
	"fmt"
	"math"
	"time"
)

// Sensitivity says how much the uncapped wait before a retry of an exponential
// schedule moves when the schedule is changed a little. A value that does not
// fit is the largest duration.
type Sensitivity struct {
	Retry int
	// ByMultiplier is ∂d/∂M = F·(n−1)·M^(n−2), per 1 of M.
	ByMultiplier time.Duration
	// ByRetry is ∂d/∂n = F·M^(n−1)·ln M, per retry.
	ByRetry time.Duration
}

// Multipliers beyond which, and retries up to which, a schedule can be adjusted.
const (
	lastAdjustable = 8 // retries: 1 % of M is 8 % of the ninth wait
	explosive      = 4 // multipliers: one more retry more than quadruples the last wait
)

// sensitivities of the first retries of an exponential schedule.
func (s *schedule) sensitivities(n int) []Sensitivity {
	f, m, ok := s.exponential()
	if !ok {
		return nil
	}
	list := make([]Sensitivity, min(n, 16))
	for i := range list {
		retry := float64(i + 1)
		list[i] = Sensitivity{
			Retry:        i + 1,
			ByMultiplier: duration(f * (retry - 1) * math.Pow(m, retry-2)),
			ByRetry:      duration(f * math.Pow(m, retry-1) * math.Log(m)),
		}
	}
	return list
}

// exponential returns F in nanoseconds and M of an exponential schedule.
func (s *schedule) exponential() (f, m float64, ok bool) {
	if s.form.Kind != "exponential" {
		return 0, 0, false
	}
	return float64(*s.form.Initial), *s.form.Multiplier, true
}

// advice says in words what the sensitivities of n retries carry.
func (s *schedule) advice(n int) []string {
	f, m, ok := s.exponential()
	if !ok || n < 1 {
		return nil
	}
	var list []string
	wait := func(m float64, n int) time.Duration { return duration(f * math.Pow(m, float64(n-1))) }
	if n >= lastAdjustable && m > 1 {
		list = append(list, fmt.Sprintf("M is hardly adjustable with %d retries: M %.4g instead of %.4g moves the uncapped wait %d from %s to %s",
			n, m+0.1, m, n, Short(wait(m, n)), Short(wait(m+0.1, n))))
	}
	if m >= explosive {
		list = append(list, fmt.Sprintf("the number of retries is explosive at M %.4g: one more retry waits %s more if nothing caps it", m, Short(wait(m, n+1))))
	}
	return list
}

// duration is a number of nanoseconds, at most the largest duration.
func duration(nanoseconds float64) time.Duration {
	if nanoseconds >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Round(nanoseconds))
}
