package drafts

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Callback makes the row of the callback of a group of tasks that is complete, in a queue. Its
// id follows from that of the group. Its target is still to be named.
func Callback(g *task.Group, queue *store.Queue) (*task.Task, error) {
	follow := g.Callback
	if Absent(follow.Payload) {
		told := task.GroupEnded{Group: g.ID, Label: g.Label, GroupCounts: g.Counts, CreatedAt: g.CreatedAt, ClosedAt: g.ClosedAt}
		text, err := json.Marshal(told)
		if err != nil {
			return nil, err
		}
		follow.Payload = text
	}
	of := &task.Task{ID: g.ID, Claim: g.ClosedAt.UnixMicro(), Priority: task.DefaultPriority}
	return Follow(of, &follow, task.FollowGroup, nil, queue), nil
}
