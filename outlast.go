package outlast

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The nouns of the packages below, under the names that callers use.
type (
	// Task is one durable unit of work as the store has it.
	Task = task.Task
	// ID names a task for all its attempts.
	ID = task.ID
	// Error is the typed error of every call: code, message, hint, fields.
	Error = task.Error
	// Attempt is one recorded execution of a task.
	Attempt = task.Attempt
	// Queue is a named stream of tasks with its lanes and limits.
	Queue = store.Queue
)
