// Package scope is what a token for certain queues may see and change: its tasks and
// queues, as if there were no others.
package scope

import "github.com/outlast-dev/outlast/task"

// Scope says what a route is to a token for certain queues.
type Scope string

// The scopes. A route without one is not served.
const (
	Shared   Scope = "everything: it tells nothing of tasks"
	Unsigned Scope = "everything but who made it: it tells nothing of tasks"
	Partly   Scope = "everything but what tells of other queues"
	Whole    Scope = "refused: it is about all queues"
	ByTask   Scope = "tasks of its queues; others are not found"
	ByQueue  Scope = "its queues; others are not found"
	ByBody   Scope = "what its queues are for; the rest is refused or not found"
	Filtered Scope = "what belongs to its queues"
)

// ofTask and ofQueue are the inputs of routes with the scopes ByTask and ByQueue.
type (
	ofTask  interface{ theTask() task.ID }
	ofQueue interface{ theQueue() string }
)

// TaskID is the input of a route about one task, or a part of it.
type TaskID struct {
	ID task.ID `path:"id" doc:"Id of the task."`
}

// QueueName is the input of a route about one queue, or a part of it.
type QueueName struct {
	Name string `path:"name" doc:"Name of the queue."`
}

func (in *TaskID) theTask() task.ID    { return in.ID }
func (in *QueueName) theQueue() string { return in.Name }

// NoQueue says that there is no queue of a name.
func NoQueue(name string) error {
	err := task.NotFound("queue", name)
	err.Hint = "check the name: outlast queue list; or create it: outlast queue create NAME, PUT /v1/queues/{name}"
	return err
}
