package client

import "time"

// Silence changes how long a stream may say nothing, until the returned function is called.
func Silence(d time.Duration) (restore func()) {
	before := mostSilence
	mostSilence = d
	return func() { mostSilence = before }
}
