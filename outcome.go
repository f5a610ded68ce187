package outlast

import (
	"time"

	"github.com/outlast-dev/outlast/internal/outcome"
)

// RetryAfter makes the attempt fail with err, and the next one start after d
// instead of the policy's delay, also where err looks permanent. The policy
// still counts the attempts. A nil err reads as "try again".
func RetryAfter(d time.Duration, err error) error {
	return outcome.RetryAfter(d, err)
}

// Snooze asks to run again after d, a second at the least: 0 and a time that is
// past wait that long. It is no failure and costs no attempt; only the task's
// deadline ends it. The history keeps the newest 20 runs of a task that cost none.
func Snooze(d time.Duration) error {
	return outcome.Snooze(d)
}

// GiveUp ends the task now as a dead letter with the reason "rejected",
// whatever attempts are left.
func GiveUp(err error) error {
	return outcome.GiveUp(err)
}

// Cancel ends the task now as canceled: it is no longer wanted, and nobody
// needs to look at it.
func Cancel(err error) error {
	return outcome.Cancel(err)
}
