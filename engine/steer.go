package engine

import "time"

// Steer is what a handler asks for by the error that it returns. An error
// in the chain that implements Steerer decides before the policy does.
type Steer struct {
	Action SteerAction
	After  time.Duration // for SteerRetry and SteerSnooze
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

// The actions.
const (
	SteerRetry  SteerAction = "retry"  // failed; the next attempt After from now, if the policy gives one
	SteerSnooze SteerAction = "snooze" // not failed; run again After from now, at no cost
	SteerDead   SteerAction = "dead"   // a dead letter now, reason rejected
	SteerCancel SteerAction = "cancel" // ends as canceled
	// SteerElsewhere hands the task, at no cost, to nodes that list the ability.
	SteerElsewhere SteerAction = "elsewhere"
)
