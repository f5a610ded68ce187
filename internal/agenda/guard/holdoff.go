package guard

import (
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Hold says that nobody took a task, and that nothing of its target is to start for a
// while.
type Hold struct {
	After time.Duration
	Why   store.Held // what others are to know
	Since time.Time  // when that was found; a later [Targets.Unhold] knows better
}

// turnOver is after how long the next task may try although the one before has not
// ended. Who refuses does so sooner, but for addresses that never answer. Tasks that were
// taken before the hold-off began say nothing: they may run for hours.
const turnOver = 30 * time.Second

// holdOff starts nothing of a target for a while of which nobody took a task, and
// after that one at a time, until one was taken. Then what has gathered is let out
// ever faster.
type holdOff struct {
	on       bool       // nobody took the last task, or none yet: one at a time tries
	untested bool       // none yet: nothing has gathered
	why      store.Held // why
	ended    time.Time  // when somebody came who may take tasks
	lone     *grant     // of the one that tries; nil while none does
	began    time.Time  // when it started
}

// holds reports whether nobody took the last task.
func (h *holdOff) holds() bool { return h.on && !h.untested }

// begin begins one, or goes on with it, and returns until when nothing is to start.
func (h *holdOff) begin(at time.Time, hold *Hold) (until time.Time) {
	h.on, h.untested, h.why = true, false, hold.Why
	if !h.ended.IsZero() && !h.ended.Before(hold.Since) {
		return at
	}
	return at.Add(hold.After)
}

// end ends it, and reports whether something was held off.
func (h *holdOff) end() bool {
	h.on, h.lone = false, nil
	if h.untested {
		h.untested = false
		return false
	}
	h.why.Failures = 0
	return true
}
