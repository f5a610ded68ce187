package server

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/feed"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// stream is one stream of events. It keeps nothing of what it tells: a reader that is
// slow is told later, and of what is not there any more then, that it was dropped.
type stream struct {
	server   *Server
	ctx      context.Context
	out      http.ResponseWriter
	control  *http.ResponseController
	in       *eventsInput
	token    *token.Token // nil where none is needed
	secret   string       // its text
	listener *feed.Listener
	position string // up to where everything was told
	buffer   []byte
	gone     bool // the reader
	row      rowWatch
}

// run streams until somebody goes: the reader, the token, or the node.
func (st *stream) run(resumed bool) {
	st.begin(resumed)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	beat, checked := time.Now(), time.Now()
	for !st.gone {
		more := st.forward()
		select {
		case <-st.ctx.Done():
			return
		case <-st.listener.Ended():
			return
		case <-more:
			continue
		case <-ticker.C:
		}
		now := time.Now()
		if now.Sub(checked) >= tokenEvery {
			if checked = now; !st.allowed() {
				return
			}
		}
		if !st.in.Task.IsZero() {
			st.lookUp()
		}
		if now.Sub(beat) >= beatEvery {
			beat = now
			st.forward() // the position is that of now, whatever woke the stream before
			st.write(append(append(st.buffer[:0], "id: "+st.position...), "\n: beat\n\n"...))
		}
	}
}

// allowed reports whether the token still lets its bearer in; without one, whether none
// is needed.
func (st *stream) allowed() bool {
	tokens := st.server.tokens
	if st.token == nil {
		required, err := tokens.Required(st.ctx)
		return err == nil && !required
	}
	_, err := tokens.Check(st.ctx, st.secret)
	return err == nil
}

// begin sends the header, when to come back, and who answers.
func (st *stream) begin(resumed bool) {
	header := st.out.Header()
	header["Content-Type"] = []string{"text/event-stream"}
	header["Cache-Control"] = noStore
	header["X-Accel-Buffering"] = []string{"no"}
	st.out.WriteHeader(http.StatusOK)
	retry := 1000 + rand.IntN(3000) //nolint:gosec // spreads callers; nothing is secret
	st.buffer = append(st.buffer[:0], "retry: "+strconv.Itoa(retry)+"\n"...)
	st.position = st.listener.Position()
	s := st.server
	hello := &client.EventHello{Node: s.client.Stats().Node, Version: s.api.Info.Version, Nodes: "all", Now: client.Time{Time: time.Now()}}
	if topology, err := s.inspect.Nodes.Topology(st.ctx); err == nil {
		for i := range topology.Nodes {
			switch node := &topology.Nodes[i]; {
			case node.ID == hello.Node:
				hello.Release = node.Release
			case node.State == store.NodeAlive && !node.Gone:
				hello.Nodes = "this"
			}
		}
	}
	st.add("hello", st.position, hello)
	if !resumed {
		st.add("resync", st.position, &client.EventResync{Reason: "gone"})
	}
	st.flush()
}

// forward tells what is new. Objects go first, with the position before: who is cut off
// in between hears of them again, and of no task twice.
func (st *stream) forward() (more <-chan struct{}) {
	pages, dropped, stats, more := st.listener.Read()
	position := st.listener.Position()
	if dropped > 0 {
		st.add("resync", st.position, &client.EventResync{Reason: "slow", Dropped: dropped})
	}
	whole := st.in.Task.IsZero()
	if whole {
		for _, page := range pages {
			for _, object := range page.Objects {
				if st.shows(object) {
					st.add("changed", st.position, &client.EventChanged{Kind: object.Kind, Name: object.Name})
				}
			}
		}
	}
	if tasks := st.tasksOf(pages); tasks != nil {
		st.add("tasks", position, tasks)
	}
	if stats != nil && whole {
		st.add("stats", position, st.statsOf(stats))
	}
	st.position = position
	st.flush()
	return more
}

// tasksOf puts the changes of pages together that the filter lets through, nil for none.
func (st *stream) tasksOf(pages []*feed.Page) *client.EventTasks {
	var chosen []*feed.Task
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

func (st *stream) lets(t *feed.Task) bool {
	in := st.in
	return st.inQueue(t.Queue) && (in.Task.IsZero() || t.ID == in.Task) && (in.Type == "" || t.Type == in.Type) &&
		(in.State == "" || t.State == in.State) && (in.Target == "" || t.Target == in.Target)
}

func (st *stream) inQueue(queue string) bool {
	return (st.in.Queue == "" || queue == st.in.Queue) && (st.token == nil || st.token.Covers(queue))
}

// shows reports whether the bearer may look at an object.
func (st *stream) shows(o feed.Object) bool {
	if st.token == nil {
		return true
	}
	if o.Kind == "token" && !st.token.Role.May(token.Administer) {
		return false
	}
	return !st.token.Scoped() || o.Kind == "policy" || o.Kind == "node" || o.Queue != "" && st.token.Covers(o.Queue)
}

// statsOf are those that the bearer may see.
func (st *stream) statsOf(stats *feed.Stats) *client.EventStats {
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

func wireCounts(counts map[feed.What]int) map[string]int {
	out := make(map[string]int, len(counts))
	for what, n := range counts {
		out[string(what)] = n
	}
	return out
}

func wireChange(t *feed.Task) client.EventTask {
	return client.EventTask{
		ID: t.ID, Type: t.Type, Queue: t.Queue, State: t.State, Attempt: t.Attempt, What: string(t.What), Category: t.Category, Code: t.Code,
		Reason: string(t.Reason), Target: t.Target, Key: t.Key, NextAt: wireTime(t.NextAt), At: wireTime(t.ChangedAt),
	}
}

// add puts a message into the buffer.
func (st *stream) add(name, id string, data any) {
	start := len(st.buffer)
	st.buffer = append(st.buffer, "event: "+name+"\nid: "+id+"\ndata: "...)
	buffer, err := client.Append(st.buffer, data)
	if err != nil { // the types are our own
		st.buffer = st.buffer[:start]
		return
	}
	oneLine(buffer[start+len("event: "+name+"\nid: "+id+"\n"):])
	st.buffer = append(buffer, "\n\n"...)
}

// flush sends what is in the buffer.
func (st *stream) flush() {
	if len(st.buffer) > 0 {
		st.write(st.buffer)
	}
}

func (st *stream) write(data []byte) {
	deadline(st.out, eventTimeout)
	_, err := st.out.Write(data)
	if err == nil {
		err = st.control.Flush()
	}
	st.gone = st.gone || err != nil
	if st.buffer = data[:0]; cap(data) > 1<<20 {
		st.buffer = nil
	}
}

// rowWatch compares a task's row with what was told, for changes that other nodes have
// made.
type rowWatch struct {
	last, row rowState
}

// rowState is what a change changes.
type rowState struct {
	state   task.State
	attempt int
}

func (w *rowWatch) told(t *feed.Task) { w.last = rowState{t.State, t.Attempt} }

// lookUp tells of a change that the feed has not told of for a second.
func (st *stream) lookUp() {
	t, err := st.server.inspect.Tasks.Row(st.ctx, st.in.Task)
	if err != nil {
		return // its retention is over, or the store does not answer: the caller sees that itself
	}
	now := rowState{t.State, t.Attempt}
	before := st.row.row
	st.row.row = now
	if before != now || now == st.row.last { // new, and the feed may be about to tell; or told
		return
	}
	first := st.row.last == rowState{}
	if st.row.last = now; first {
		return // as it was when the stream began
	}
	if in := st.in; in.State != "" && in.State != t.State {
		return
	}
	st.add("tasks", st.position, &client.EventTasks{At: client.Time{Time: time.Now()}, Seen: 1, Tasks: []client.EventTask{changeOfRow(t)}})
	st.flush()
}

// changeOfRow is what must have become of a task.
func changeOfRow(t *task.Task) client.EventTask {
	change := &feed.Task{
		ID: t.ID, Type: t.Type, Queue: t.Queue, Target: t.Target, Key: t.Key, State: t.State, Attempt: t.Attempt,
		Reason: t.DeadReason, ChangedAt: t.UpdatedAt,
	}
	if failure := t.LastError; failure != nil && (t.State == task.Pending || t.State == task.Dead) {
		change.Category, change.Code = failure.Category, failure.Code
	}
	switch t.State {
	case task.Pending:
		change.What, change.NextAt = feed.Released, t.RunAt
		if change.Category != "" {
			change.What = feed.Failed
		}
	case task.Running:
		change.What = feed.Started
	default:
		change.What = feed.What(t.State)
	}
	return wireChange(change)
}
