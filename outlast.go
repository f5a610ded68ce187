package outlast

import (
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
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
)

// NewID makes an id for a draft, for callers that want to repeat an enqueue
// whose outcome they do not know.
func NewID() ID { return accept.NewID(time.Now()) }
