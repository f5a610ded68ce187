package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Feedback is what an attempt that has ended says of its target.
type Feedback struct {
	At         time.Time
	Took       time.Duration
	First      bool           // it was no retry
	Silent     bool           // it says nothing
	Category   retry.Category // of the failure, "" for a success
	RetryAfter time.Duration  // what a refusal asked to wait
	HandedOn   bool           // another node is to call the target
	Hold       *Hold          // nobody took the task; nothing of the target is to start for a while
	Policy     *retry.Policy
	OwnPolicy  bool          // the policy is the task's own: it says nothing about the target of all
	OwnTimeout time.Duration // the task's own, 0 for none
}
