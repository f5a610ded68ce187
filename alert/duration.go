package alert

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Duration is a [time.Duration] that is written as in Go: "1.5s", "5m".
type Duration = retry.Duration

func length(d *Duration, usual time.Duration) time.Duration {
	if d == nil {
		return usual
	}
	return time.Duration(*d)
}
