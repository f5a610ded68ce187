package statistics

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// Percentiles are bounds of a histogram, and are printed as such.
func TestPercentilesAreBounds(t *testing.T) {
	for d, want := range map[time.Duration]string{33554432 * time.Microsecond: "<=34s", 163840 * time.Microsecond: "<=170ms", 99: "<=99ns", 0: "0s", 2 * time.Second: "<=2s"} {
		if got := bound(client.Duration(d)); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
