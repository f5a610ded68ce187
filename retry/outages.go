package retry

import "time"

// Outages learns how long the outages of one target last, and says when a probe
// is worth it. It keeps a small histogram in which old outages fade. It is safe
// for concurrent use.
type Outages struct{}

// NewOutages makes an empty history.
func NewOutages() *Outages { return &Outages{} }

// Observe adds an outage that is over: it had lasted longer than after when the
// last probe failed (0 if none did), and had ended when a probe succeeded after by.
func (o *Outages) Observe(after, by time.Duration) {}

// Next says how long to wait before the next probe of an outage that has lasted
// for elapsed already; false when too little is known. It is a pure function of
// what was observed and of r.
func (o *Outages) Next(elapsed time.Duration, r Rand) (time.Duration, bool) { return 0, false }

// Known is how many outages have been observed.
func (o *Outages) Known() int { return 0 }
