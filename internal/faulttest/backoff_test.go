//go:build faults

package faulttest

import (
	"encoding/json"
	"testing"
	"time"
)

// Five retries of 10 s × 2 start at 0, 10, 30, 70, 150 and 310 s on the real
// server; in virtual time this is a test of the engine.
func TestBackoffInRealTime(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	p := h.serve()
	o := h.mustSend(p, h.ledger.order(work{Fail: 5}, func(o *order) {
		o.draft.Retry = json.RawMessage(`{"backoff":{"kind":"exponential","initial":"10s","multiplier":2,"jitter":"none"},"max_attempts":6}`)
	}))
	h.calls(320*time.Second, 6, func(c *call) bool { return c.n == o.N })
	calls := h.ledger.callsOf(o.N)
	if len(calls) != 6 {
		t.Fatalf("%d calls", len(calls))
	}
	for i, want := range []time.Duration{0, 10, 30, 70, 150, 310} {
		got := calls[i].start.Sub(calls[0].start)
		t.Logf("start %d after %s", i+1, got.Round(time.Millisecond))
		if want *= time.Second; got < want || got > want+500*time.Millisecond {
			h.violation("I5: start %d came after %s instead of %s", i+1, got, want)
		}
	}
	h.finish(p)
}
