package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// ill is what is wrong with a server during a fault.
type ill uint8

const (
	refuses ill = iota // every attempt fails after the latency
	fails              // a share of the attempts fails after the latency
	hangs              // attempts are never answered
	holds              // attempts reach the server when the fault ends
	limps              // the rate is multiplied by share; 0 stands still
	slows              // answers take the latency instead of the server's own
)

// fault is a time when something is wrong.
type fault struct {
	from, to time.Duration
	ill      ill
	verdict  *retry.Verdict // of failures
	latency  time.Duration
	share    float64
	held     []*attempt
}

// faults are those of one server, in order and without overlap.
type faults struct {
	list []*fault
	next int
}

func (f *faults) add(more ...*fault) { f.list = append(f.list, more...) }

// now returns the fault of this time, nil when all is well. Time only goes on.
func (f *faults) now(t time.Duration) *fault {
	for f.next < len(f.list) && f.list[f.next].to <= t {
		f.next++
	}
	if f.next < len(f.list) && f.list[f.next].from <= t {
		return f.list[f.next]
	}
	return nil
}

// outage is a time when every attempt fails at once.
func outage(from, length time.Duration) *fault {
	return &fault{from: from, to: from + length, ill: refuses, verdict: &unavailable, latency: 5 * time.Millisecond}
}

// brownout is a time when a share of the attempts fails.
func brownout(from, length time.Duration, share float64) *fault {
	return &fault{from: from, to: from + length, ill: fails, verdict: &unavailable, latency: 5 * time.Millisecond, share: share}
}

// step is a time with another capacity.
func step(from, length time.Duration, capacity float64) *fault {
	return &fault{from: from, to: from + length, ill: limps, share: capacity}
}
