package store

import "github.com/outlast-dev/outlast/task"

// MaxSteered is how many tasks one [Admin.Steer] may name.
const MaxSteered = 1000

// Steering is one action of an operator on many tasks.
type Steering struct {
	IDs   []task.ID  // at most [MaxSteered], each once
	Event task.Event // task.Cancel or task.Reschedule
	At    Time       // the next run of what is rescheduled; zero for now

	// Operation, where there is one, is put as PutOperation does once Note has
	// written into it what was done. If its version is not the stored one,
	// nothing is done. Note may be called more than once, each time with
	// a copy of Operation. Both are there, or neither.
	Operation *Operation
	Note      func(operation *Operation, steered []Steered) error

	Audit []Audit // if any task was changed
}

// Steered is what has become of one task of a [Steering].
type Steered struct {
	ID task.ID
	// Task is it as it then stands, without payload, result, spec and last
	// error; nil with Err.
	Task *task.Task
	Err  error // as of Cancel and Reschedule: a [*task.Error], not found or conflict
}
