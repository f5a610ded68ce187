package policies

import (
	"testing"
)

// A share that rounds to all of it is not printed as all of it.
func TestAlmostAllIsNotAll(t *testing.T) {
	for v, want := range map[float64]string{1: "100 %", 0.9999999: "> 99.99 %", 0.99994: "99.99 %", 0.5: "50 %", 0: "0 %"} {
		if got := share(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
