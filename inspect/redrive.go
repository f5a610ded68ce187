package inspect

import (
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// RedriveRequest says which letters to send back and how. Either IDs or Filter.
type RedriveRequest struct {
	IDs []task.ID
	// Filter selects letters that are dead when the redrive begins, or that died before
	// Filter.DiedBefore if that is earlier.
	Filter *store.Filter
	DryRun bool    // count, change nothing
	Rate   float64 // letters per second, 0 for all at once

	// Canary is how many letters go first; the others follow when all of them
	// have succeeded. 0 for none, at most 1000. If one dies again, the
	// operation fails; if some have not ended after 10 minutes, it pauses, and
	// goes on without them when it is resumed.
	Canary int

	// StopIfFailing is a share above 0 and up to 1: the operation fails when,
	// of the last 1000 letters that it sent back, a greater share than this of
	// those with an outcome has failed again, once there are 10 of them.
	// A letter has failed that died again or whose attempt failed and is to be
	// repeated. So that there is something left to stop, no more letters
	// are without an outcome at a time than have one, at least 10 and at most
	// 1000; one that has none after 10 minutes is waited for no more. 0 for none.
	StopIfFailing float64

	KeepAttempts bool   // go on counting instead of from 1
	Payload      []byte // replaces the payload when not nil
}

// RedriveResult is what a request led to.
type RedriveResult struct {
	Operation string         // the id of the operation that does the work; "" when all is done
	Matched   int            // letters sent back, or that will be
	Missing   []task.ID      // ids that are no dead letters
	Sample    []LetterSample // of a dry run: those that would go first
	// DiedBefore is, of a dry run by filter, when it began to count: with it in the
	// filter no letter is meant that dies later.
	DiedBefore time.Time
	Warnings   []RedriveWarning // of a dry run: what speaks against it now
}

// RedriveWarning is what speaks against a redrive.
type RedriveWarning struct {
	Code    WarningCode
	Letters int    // to which it applies
	Of      int    // the letters that were looked at, the newest
	Target  string // of [WarnBreakerOpen]
}

// WarningCode says what a [RedriveWarning] warns of.
type WarningCode string

// What redrives are warned of. A request with a payload is warned of open breakers only:
// the payload may be what mends the letters.
const (
	WarnDiedAgain   WarningCode = "died_again"   // letters were redriven before, and died again with the same fingerprint
	WarnPermanent   WarningCode = "permanent"    // letters died of a permanent failure, and no release, policy or target is known to have changed since
	WarnBreakerOpen WarningCode = "breaker_open" // the breaker of the letters' target is open: they would wait
)

// LetterSample is a dead letter as a dry run shows it.
type LetterSample struct {
	ID       task.ID
	Type     string
	Queue    string
	Key      string
	Reason   task.DeadReason
	Category string
	Message  string // of its last error
	DiedAt   time.Time
}

// RedriveStatus is what has become of one letter of a redrive.
type RedriveStatus string

// What becomes of letters. A letter that was sent back has the state of its
// task: pending, running, succeeded, dead (again) or canceled.
const (
	RedriveWaiting   RedriveStatus = "waiting"   // its turn has not come
	RedrivePending   RedriveStatus = "pending"   // was sent back; waits for its first or next attempt
	RedriveRunning   RedriveStatus = "running"   // was sent back, and runs
	RedriveSucceeded RedriveStatus = "succeeded" // was sent back, and succeeded
	RedriveDead      RedriveStatus = "dead"      // was sent back, and died again
	RedriveCanceled  RedriveStatus = "canceled"  // was sent back, and was canceled
	RedriveResent    RedriveStatus = "resent"    // was sent back, died again, and another redrive has sent it back since
	RedriveGone      RedriveStatus = "gone"      // was sent back; what became of it was deleted, by a purge or after its retention
	RedriveSkipped   RedriveStatus = "skipped"   // was not sent back: it was no dead letter any more when its turn came
)

// RedriveItem is one letter of a redrive.
type RedriveItem struct {
	Place   int // in the order in which they go, from 1
	ID      task.ID
	Status  RedriveStatus
	Type    string // "" when the task is gone
	Queue   string
	Key     string
	Attempt int
	Reason  task.DeadReason // of a letter that is dead
	Error   *task.Failure   // its last, if it has failed since, or waits
	At      time.Time       // when that status began, as far as it is known
}
