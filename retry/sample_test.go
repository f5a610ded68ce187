package retry

import (
	"testing"
	"time"
)

// The first attempts are all counted, later ones seldom; one that was not
// measured is not.
func TestSample(t *testing.T) {
	var r running
	r.sample(time.Time{})
	for ns := range int64(1000) {
		r.sample(time.Unix(0, ns))
	}
	if total := r.lengths().total.Load(); total != enough+(1000-enough+sampled-1)/sampled {
		t.Errorf("%d of 1000 are counted", total)
	}
}
