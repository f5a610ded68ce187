package client

import (
	"net/url"
	"time"
)

// Silence changes how long a stream may say nothing, until the returned function is called.
func Silence(d time.Duration) (restore func()) {
	before := mostSilence
	mostSilence = d
	return func() { mostSilence = before }
}

// QueryOf is what is asked for by a filter.
func QueryOf(f Filter) url.Values { return f.query(0, "") }
