package retry_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// At exactly the failure rate a breaker opens by a failure, and not by a success.
func TestBreakerAtItsRate(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for outcomes, want := range map[string]retry.BreakerState{
		"wwff": retry.Open, "fwwf": retry.Open,
		"ffww": retry.Closed, "fffw": retry.Closed, "fffwf": retry.Open,
	} {
		b, err := retry.NewBreaker(retry.BreakerConfig{FailureRate: 0.5, MinCalls: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, outcome := range outcomes {
			permit, err := b.Acquire(now)
			if err != nil {
				t.Fatal(outcomes, err)
			}
			if outcome == 'w' {
				permit.Success(now, 0)
			} else {
				permit.Failure(now, 0, retry.Unavailable)
			}
		}
		if got := b.View(now).State; got != want {
			t.Errorf("%s: %v, want %v", outcomes, got, want)
		}
	}
}
