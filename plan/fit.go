package plan

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Fitting is a preset that fits a time limit.
type Fitting struct {
	Preset   string
	Purpose  string
	Attempts int
	// Elapsed is the longest time that waits and attempts take, Slack what the
	// limit leaves.
	Elapsed, Slack time.Duration
}

// Fit names the presets that certainly end within a limit when each attempt takes
// the given time: those with the most attempts first, and among equal ones those
// that use more of the time. Presets without a limit on attempts never fit.
func Fit(limit, attempt time.Duration) ([]Fitting, error) {
	var f findings
	if limit <= 0 {
		f.refuse("ttl", "it is the time that all attempts and waits may take", "%v is not longer than 0", limit)
	}
	if attempt < 0 {
		f.refuse("attempt_time", "", "%v is negative", attempt)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	var fitting []Fitting
	for _, name := range retry.Presets() {
		policy, err := retry.Preset(name)
		if err != nil {
			return nil, err
		}
		n := policy.MaxAttempts() - 1
		fit, elapsed := scheduleOf(policy).longest(n, attempt, limit)
		if n < 0 || fit < n {
			continue
		}
		info, _ := retry.DescribePreset(name)
		fitting = append(fitting, Fitting{name, info.Purpose, n + 1, elapsed, limit - elapsed})
	}
	slices.SortStableFunc(fitting, func(a, b Fitting) int {
		if a.Attempts != b.Attempts {
			return b.Attempts - a.Attempts
		}
		return int(max(-1, min(1, b.Elapsed-a.Elapsed)))
	})
	return fitting, nil
}
