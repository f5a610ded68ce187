package engine

import (
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Steer is what a handler asks for by the error that it returns. An error
// in the chain that implements Steerer decides before the policy does.
type Steer struct {
	Action SteerAction
	After  time.Duration // for SteerRetry, SteerSnooze, SteerHold and SteerRelease
	Held   store.Held    // for SteerHold: what others are to know
	Since  time.Time     // for SteerHold: when that was found; a later [Engine.Unhold] knows better
	// Ability is what a node must list to take the task, for SteerElsewhere.
	Ability string
}

// Steerer is implemented by errors that steer.
type Steerer interface {
	error
	Steer() Steer
}

// SteerAction is what to do with the task.
type SteerAction string

// LeastSnooze is the shortest wait of a task that is snoozed: nothing counts its
// runs, so that a shorter one would be a loop without end on the disk.
const LeastSnooze = time.Second

// The actions.
const (
	SteerRetry  SteerAction = "retry"  // failed; the next attempt After from now, if the policy gives one
	SteerSnooze SteerAction = "snooze" // not failed; run again After from now, or LeastSnooze, at no cost
	SteerDead   SteerAction = "dead"   // a dead letter now, reason rejected
	SteerCancel SteerAction = "cancel" // ends as canceled
	// SteerElsewhere hands the task, at no cost, to nodes that list the ability.
	SteerElsewhere SteerAction = "elsewhere"
	// SteerHold: nothing was called, since nobody would take the task. It is handed
	// back, keeps its place, and nothing of its target starts on this node for After.
	// Then one task tries, and others follow once one of them was taken.
	SteerHold SteerAction = "hold"
	// SteerRelease: nothing was called, for want of this node's own means. The task is
	// handed back, and runs again After to twice After from now. It says nothing of the
	// target.
	SteerRelease SteerAction = "release"
)
