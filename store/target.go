package store

import "time"

// MostTargets is how many targets a node reports at most.
const MostTargets = 256

// Report is what a node says of itself with each beat.
type Report struct {
	Serves Serves
	Load   Load
	// Targets replaces what the node said of targets before. Nil leaves that as
	// it is, so that a row is written short while nothing has changed.
	Targets []Target
}

// Target is what one node knows of a target, as others read it: whether it may
// be called, and what holds its tasks. Times are zero where there is none.
type Target struct {
	Name    string  `json:"name"`
	Breaker Breaker `json:"breaker"`
	Budget  Budget  `json:"budget"`
	// Limit is how many attempts at once the node allows itself, InFlight how
	// many run.
	Limit    int `json:"limit"`
	InFlight int `json:"in_flight"`
	// HeldUntil is the end of the time that the target asked for, by refusing
	// calls with a hint.
	HeldUntil Time `json:"held_until,omitzero"`
	// Held is why nobody takes the tasks of a worker group.
	Held Held `json:"held,omitzero"`
	// Unguarded says that the handler of the type wants no guards: only an operator
	// holds its tasks.
	Unguarded bool `json:"unguarded,omitempty"`
	// Waiting counts the due tasks in the node's memory by what holds them.
	Waiting TargetWaiting `json:"waiting"`
}

// Held is how dispatches to a worker group fare: those that nobody took.
type Held struct {
	Failures int    `json:"failures,omitempty"` // in a row; 0 when all is well
	Error    string `json:"error,omitempty"`    // of the last one
	Next     Time   `json:"next,omitzero"`      // the next try
}

// Breaker is the breaker of a target on one node.
type Breaker struct {
	State string `json:"state"` // closed, open, half_open or ramping
	// Forced says that an operator opened it.
	Forced bool `json:"forced,omitempty"`
	Since  Time `json:"since,omitzero"` // of the last change
	// Until is when an open breaker lets a probe through, or, of a half-open one,
	// when a probe that does not end gives up its place.
	Until    Time   `json:"until,omitzero"`
	Opened   Time   `json:"opened,omitzero"` // the beginning of the outage
	Trips    int    `json:"trips,omitempty"` // failed probes of this outage, plus one
	Cause    string `json:"cause,omitempty"` // of the last change
	Calls    int64  `json:"calls"`           // in the window
	Failures int64  `json:"failures"`
	Slow     int64  `json:"slow,omitempty"`
	Probing  int    `json:"probing,omitempty"`
	// Admitted is the share of calls let through: 1 closed, 0 open.
	Admitted float64 `json:"admitted"`
}

// Budget is the retry budget of a target on one node.
type Budget struct {
	Tokens float64 `json:"tokens"`
	// Share is that of the attempts that succeeded lately.
	Share   float64 `json:"share"`
	First   int64   `json:"first"`   // first attempts in the last ten seconds
	Retries int64   `json:"retries"` // retries in the last ten seconds
	Denied  int64   `json:"denied"`  // retries that had to wait, since the start
	// Until is when the next retry that waits may run.
	Until Time `json:"until,omitzero"`
}

// TargetWaiting counts due tasks in memory by the gate that holds them. Tasks
// that are parked on disk are not counted.
type TargetWaiting struct {
	Breaker     int `json:"breaker"`
	Budget      int `json:"budget"`
	Rate        int `json:"rate"`
	Concurrency int `json:"concurrency"`
}

// TargetAction is what an operator can do to a target.
type TargetAction string

// The actions. Open holds until one of the others comes; they happen once.
const (
	TargetOpen  TargetAction = "open"  // nothing calls the target, and nothing probes it
	TargetClose TargetAction = "close" // the outage is over: calls begin again, ever more of them
	TargetReset TargetAction = "reset" // all that nodes have learned of the target is forgotten
)

// MostOrders is how many targets can be ordered open at a time.
const MostOrders = 10_000

// OrderMemory is how long a topology shows orders that happen once.
const OrderMemory = time.Hour

// Valid reports whether it is one of the actions.
func (a TargetAction) Valid() bool {
	return a == TargetOpen || a == TargetClose || a == TargetReset
}

// TargetOrder is what an operator said about a target last.
type TargetOrder struct {
	Target string
	Action TargetAction
	At     Time // set by the store
}
