package task

import "time"

// State says where a task stands. Why a pending task is not running is never
// a state but an answer, see [Waiting].
type State string

// The five states. [Pending] and [Running] are live; the others are final
// and change only by an operator's redrive.
const (
	Pending   State = "pending"   // waiting for its time: first run or retry
	Running   State = "running"   // claimed by a node
	Succeeded State = "succeeded" // ended well
	Dead      State = "dead"      // ended without success: a dead letter
	Canceled  State = "canceled"  // ended by request
)

// States lists every state in the order of a task's life.
var States = [...]State{Pending, Running, Succeeded, Dead, Canceled}

// Final reports whether a task in this state has ended.
func (s State) Final() bool { return s == Succeeded || s == Dead || s == Canceled }

// Valid reports whether s is one of the five states.
func (s State) Valid() bool { return s == Pending || s == Running || s.Final() }

// Event is something that happens to a task.
type Event string

// The events of the state machine.
const (
	Claim      Event = "claim"      // a node takes the task to run it: attempt + 1, claim number raised
	Succeed    Event = "succeed"    // the attempt succeeded
	Retry      Event = "retry"      // the attempt failed and the policy gives another
	Snooze     Event = "snooze"     // the handler asks to run again later; costs no attempt
	Release    Event = "release"    // handed back unrun or unfinished by a living node; costs no attempt
	Crash      Event = "crash"      // the node died; costs no attempt but counts against the crash budget
	Die        Event = "die"        // no attempt is left, or none is wanted: becomes a dead letter
	Cancel     Event = "cancel"     // canceled by request
	Reschedule Event = "reschedule" // an operator moves the next run, also to now
	Redrive    Event = "redrive"    // an operator sends a dead letter back to its queue
)

type step struct {
	from  State
	event Event
}

// transitions is the whole state machine. A pair that is not here is illegal.
var transitions = map[step]State{
	{Pending, Claim}:      Running,
	{Pending, Cancel}:     Canceled,
	{Pending, Reschedule}: Pending,
	{Running, Succeed}:    Succeeded,
	{Running, Retry}:      Pending,
	{Running, Snooze}:     Pending,
	{Running, Release}:    Pending,
	{Running, Crash}:      Pending,
	{Running, Die}:        Dead,
	{Running, Cancel}:     Canceled,
	{Dead, Redrive}:       Pending,
}

// Next is the state that the event leads to. An illegal pair is an [*Error]
// with code [CodeConflict] that names both.
func (s State) Next(event Event) (State, error) {
	next, ok := transitions[step{s, event}]
	if !ok {
		return s, &Error{
			Code:    CodeConflict,
			Message: "a " + string(s) + " task cannot take the event " + string(event),
			State:   s,
		}
	}
	return next, nil
}

// DeadReason says why a task became a dead letter.
type DeadReason string

// The reasons.
const (
	Exhausted DeadReason = "exhausted"  // every attempt that the policy gives has failed
	Permanent DeadReason = "permanent"  // the failure cannot be mended by trying again
	Expired   DeadReason = "expired"    // the deadline for all attempts together has passed or would pass
	CrashLoop DeadReason = "crash_loop" // the task killed its process as often as the crash budget allows
	NoHandler DeadReason = "no_handler" // nothing can start its type, and its queue says that this is the end
	Rejected  DeadReason = "rejected"   // a rule, the handler or the receiver said so
)

// DeadReasons lists every reason.
var DeadReasons = [...]DeadReason{Exhausted, Permanent, Expired, CrashLoop, NoHandler, Rejected}

// Waiting says why a pending task is not running. It is derived, never
// stored.
type Waiting string

// WaitReason is why a task is not started now, and what ends that.
type WaitReason struct {
	Why    Waiting   // empty for one that starts at any moment, or runs
	Until  time.Time // when that is looked at again; zero where only an event tells
	Behind ID        // the task that must end first, where it is one
}

// The answers.
const (
	DueLater       Waiting = "due later"
	InBackoff      Waiting = "backoff"
	QueuePaused    Waiting = "paused"
	BehindKey      Waiting = "behind key"
	KeyBlocked     Waiting = "key blocked"
	BreakerOpen    Waiting = "breaker open"
	BudgetSpent    Waiting = "budget spent"
	RateLimited    Waiting = "rate limited"
	AtConcurrency  Waiting = "concurrency"
	AtShareLimit   Waiting = "share limit" // other tasks of its share key run, or have used up its rate
	InGroupBackoff Waiting = "group backoff"
	NoSlot         Waiting = "no slot"
	NoWorker       Waiting = "no worker"
	NoKey          Waiting = "no key"            // of encryption
	Unproven       Waiting = "not authenticated" // an object that it goes by, such as its policy
	Unowned        Waiting = "unowned"
)

// Waitings lists every answer.
var Waitings = [...]Waiting{
	DueLater, InBackoff, QueuePaused, BehindKey, KeyBlocked, BreakerOpen, BudgetSpent, RateLimited, AtConcurrency, AtShareLimit, InGroupBackoff,
	NoSlot, NoWorker, NoKey, Unproven, Unowned,
}

// Outcome is how an attempt ended, as history records it.
type Outcome string

// The outcomes.
const (
	OutcomeSucceeded Outcome = "succeeded"
	OutcomeFailed    Outcome = "failed"   // and is retried
	OutcomeSnoozed   Outcome = "snoozed"  // runs again later, no attempt spent
	OutcomeReleased  Outcome = "released" // handed back, no attempt spent
	OutcomeDead      Outcome = "dead"
	OutcomeCanceled  Outcome = "canceled"
	OutcomeCrashed   Outcome = "crashed" // written by recovery only
)

// Event is what the outcome does to a running task.
func (o Outcome) Event() Event {
	switch o {
	case OutcomeSucceeded:
		return Succeed
	case OutcomeFailed:
		return Retry
	case OutcomeSnoozed:
		return Snooze
	case OutcomeReleased:
		return Release
	case OutcomeDead:
		return Die
	case OutcomeCanceled:
		return Cancel
	case OutcomeCrashed:
		return Crash
	}
	return ""
}
