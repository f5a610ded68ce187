package wire

import (
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// TaskGroup is a group of tasks as it is seen.
func TaskGroup(g *task.Group) client.TaskGroup {
	return client.TaskGroup{
		ID: g.ID, Label: g.Label, State: g.State, Callback: *Follow(&g.Callback),
		Members: g.Counts.Members, Succeeded: g.Counts.Succeeded, Dead: g.Counts.Dead, Canceled: g.Counts.Canceled,
		CreatedAt: Time(g.CreatedAt), ClosedAt: Time(g.ClosedAt), DoneAt: Time(g.DoneAt), CallbackTask: g.CallbackTask,
	}
}
