package engine

import (
	"time"

	"github.com/outlast-dev/outlast/store"
)

// HandlerOutcome is what a handler asks for by the error that it returns. An error
// in the chain that implements OutcomeError decides before the policy does.
type HandlerOutcome struct {
	Action HandlerAction
	After  time.Duration // for ActionRetry, ActionSnooze, ActionHold and ActionRelease
	Held   store.Held    // for ActionHold: what others are to know
	Since  time.Time     // for ActionHold: when that was found; a later [Engine.Unhold] knows better
	// Ability is what a node must list to take the task, for ActionHandOver.
	Ability string
}

// OutcomeError is implemented by errors by which handlers say what is to follow.
type OutcomeError interface {
	error
	HandlerOutcome() HandlerOutcome
}

// HandlerAction is what to do with the task.
type HandlerAction string

// LeastSnooze is the shortest wait of a task that is snoozed: nothing counts its
// runs, so that a shorter one would be a loop without end on the disk.
const LeastSnooze = time.Second

// The actions.
const (
	ActionRetry  HandlerAction = "retry"  // failed; the next attempt After from now, if the policy gives one
	ActionSnooze HandlerAction = "snooze" // not failed; run again After from now, or LeastSnooze, at no cost
	// ActionAwait: the attempt waits for signals. Not failed; run again when one has come, or
	// the first wait is over, at no cost.
	ActionAwait  HandlerAction = "await"
	ActionDead   HandlerAction = "dead"   // a dead letter now, reason rejected
	ActionCancel HandlerAction = "cancel" // ends as canceled
	// ActionHandOver hands the task, at no cost, to nodes that list the ability.
	ActionHandOver HandlerAction = "elsewhere"
	// ActionHold: nothing was called, since nobody would take the task. It is handed
	// back, keeps its place, and nothing of its target starts on this node for After.
	// Then one task tries, and others follow once one of them was taken.
	ActionHold HandlerAction = "hold"
	// ActionRelease: nothing was called, for want of this node's own means. The task is
	// handed back, and runs again After to twice After from now. It says nothing of the
	// target.
	ActionRelease HandlerAction = "release"
)
