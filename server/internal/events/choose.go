package events

import (
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/internal/wire"
)

// tasksOf puts the changes of pages together that the filter lets through, nil for none.
func (st *stream) tasksOf(pages []*inspect.EventPage) *client.EventTasks {
	var chosen []*inspect.TaskEvent
	out := &client.EventTasks{}
	for _, page := range pages {
		out.At = client.Time{Time: page.At}
		for queue, n := range page.Omitted {
			if st.inQueue(queue) && st.in.Task.IsZero() {
				out.Seen += n
			}
		}
		for i := range page.Tasks {
			if st.lets(&page.Tasks[i]) {
				chosen = append(chosen, &page.Tasks[i])
			}
		}
	}
	if out.Seen += len(chosen); out.Seen == 0 {
		return nil
	}
	chosen = chosen[max(0, len(chosen)-mostEventTasks):]
	out.LeftOut = out.Seen - len(chosen)
	out.Tasks = make([]client.EventTask, len(chosen))
	for i, change := range chosen {
		out.Tasks[i] = wireChange(change)
	}
	if !st.in.Task.IsZero() {
		st.row.told(chosen[len(chosen)-1])
	}
	return out
}

func (st *stream) lets(t *inspect.TaskEvent) bool {
	in := st.in
	return st.inQueue(t.Queue) && (in.Task.IsZero() || t.ID == in.Task) && (in.Type == "" || t.Type == in.Type) &&
		(in.State == "" || t.State == in.State) && (in.Target == "" || t.Target == in.Target)
}

func (st *stream) inQueue(queue string) bool {
	return (st.in.Queue == "" || queue == st.in.Queue) && (st.token == nil || st.token.Covers(queue))
}

// shows reports whether the bearer may look at an object.
func (st *stream) shows(o inspect.ObjectEvent) bool {
	if st.token == nil {
		return true
	}
	if o.Kind == "token" && !token.May(st.token.Role, inspect.PermissionAdminister) {
		return false
	}
	return !st.token.Scoped() || o.Kind == "policy" || o.Kind == "node" || o.Queue != "" && st.token.Covers(o.Queue)
}

// statsOf are those that the bearer may see.
func (st *stream) statsOf(stats *inspect.EventStats) *client.EventStats {
	out := &client.EventStats{At: client.Time{Time: stats.At}, Counts: map[string]int{}, Queues: []client.EventQueueStats{}}
	covers := func(queue string) bool { return st.token == nil || st.token.Covers(queue) }
	if st.token == nil || !st.token.Scoped() {
		out.Dead, out.Nodes, out.Slots, out.Ready, out.Scheduled = &stats.Dead, &stats.Nodes, &stats.Slots, &stats.Ready, &stats.Waiting
	}
	for i := range stats.Queues {
		queue := &stats.Queues[i]
		if !covers(queue.Name) {
			continue
		}
		out.Pending, out.Running, out.OldestDue = out.Pending+queue.Pending, out.Running+queue.Running, max(out.OldestDue, client.Duration(queue.OldestDue))
		out.Queues = append(out.Queues, client.EventQueueStats{
			Name: queue.Name, Paused: queue.Paused, Pending: queue.Pending, Running: queue.Running, OldestDue: client.Duration(queue.OldestDue), Counts: wireCounts(stats.Counts[queue.Name]),
		})
	}
	for queue, counts := range stats.Counts {
		for what, n := range counts {
			if covers(queue) {
				out.Counts[string(what)] += n
			}
		}
	}
	return out
}

func wireCounts(counts map[inspect.EventKind]int) map[string]int {
	out := make(map[string]int, len(counts))
	for what, n := range counts {
		out[string(what)] = n
	}
	return out
}

func wireChange(t *inspect.TaskEvent) client.EventTask {
	return client.EventTask{
		ID: t.ID, Type: t.Type, Queue: t.Queue, State: t.State, Attempt: t.Attempt, What: string(t.What), Category: t.Category, Code: t.Code,
		Reason: string(t.Reason), Target: t.Target, Key: t.Key, NextAt: wire.Time(t.NextAt), At: wire.Time(t.ChangedAt),
	}
}
