package plaintext

import (
	"math"
	"testing"
	"time"
)

// Days are written as such: nobody reads 240h0m0s.
func TestSpan(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0s": 0, "250ms": 250 * time.Millisecond, "5m": 5 * time.Minute, "1m30s": 90 * time.Second, "1h": time.Hour, "23h0m1s": 23*time.Hour + time.Second,
		"1 day": 24 * time.Hour, "1 day 12h": 36 * time.Hour, "10 days": 240 * time.Hour, "7 days 30m": 168*time.Hour + 30*time.Minute, "-2 days": -48 * time.Hour,
	} {
		if got := Span(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	if got := Span(math.MaxInt64); got != "106751 days 23h47m16.854775807s" {
		t.Errorf("the longest: %q", got)
	}
	if got := Span(math.MinInt64); got != "-106751 days 23h47m16.854775807s" {
		t.Errorf("the shortest: %q", got)
	}
}
