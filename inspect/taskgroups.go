package inspect

import (
	"context"

	"github.com/outlast-dev/outlast/task"
)

// TaskGroups are groups of tasks with one callback. They have nothing to do with groups of
// workers, or of dead letters.
type TaskGroups interface {
	// Create makes a group, open and without members. Its ID, if it has one, makes the call
	// repeatable: a group that is there with the same label and callback is returned as it stands;
	// "id_conflict" for another.
	Create(ctx context.Context, group task.Group) (*task.Group, error)
	// Get returns a group with its counts; "not_found".
	Get(ctx context.Context, id task.ID) (*task.Group, error)
	// List lists groups in a state, or with "" all, the newest first, with ids below before
	// unless that is zero, at most limit.
	List(ctx context.Context, state task.GroupState, before task.ID, limit int) ([]task.Group, error)
	// Close says that no more members come, and enqueues the callback if all have ended. A group
	// that is closed already is no error; "not_found".
	Close(ctx context.Context, id task.ID) (*task.Group, error)
}
