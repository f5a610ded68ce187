package retry

import (
	"testing"
	"time"
)

// An attempt that was not measured is not counted.
func TestSample(t *testing.T) {
	var r running
	if r.sample(time.Time{}); r.recent.Load() != nil {
		t.Error("something is counted")
	}
	for range 10 {
		r.sample(time.Now())
	}
	if _, known := r.lengths().Quantile(0); !known {
		t.Error("ten lengths are not known")
	}
}
