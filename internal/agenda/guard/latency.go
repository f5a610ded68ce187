package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// A target is shared; a timeout of a task's own is one caller's word. It says something of
// the target only if that had a fair time to answer.
const (
	// fairTimes is how many times the mean of its answers a target must be waited for.
	// Of healthy answers, whatever their lengths, at most a quarter takes longer: half of
	// what opens a breaker unless configured.
	fairTimes = 4
	// fairUnknown is fair to a target that has not answered yet, and mostFair to each,
	// unless its policy has a timeout: what a request is waited for without one.
	fairUnknown = time.Second
	mostFair    = 30 * time.Second
)

// latency is how long a target takes to answer: the mean length of the last ones, 0 while
// there was none.
type latency time.Duration

// fair reports whether the target had a fair time to answer an attempt that has ended by a
// timeout, unless it was one of the task's own which says nothing of the target. Policy is
// the one that holds for the target, nil for the default.
func (l latency) fair(f *Feedback, policy *retry.Policy) bool {
	if f.OwnTimeout <= 0 || f.Took < f.OwnTimeout {
		return true
	}
	fair, most := fairUnknown, mostFair
	if l > 0 {
		fair = fairTimes * time.Duration(l)
	}
	if policy != nil && policy.Timeout() > 0 {
		most = policy.Timeout()
	}
	return f.OwnTimeout >= min(fair, most)
}

// add weighs in how long a success took: one part in sixteen.
func (l *latency) add(took time.Duration) {
	if *l == 0 {
		*l = latency(max(took, 1))
	}
	*l += (latency(took) - *l) / 16
}
