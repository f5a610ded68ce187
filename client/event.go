package client

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Event is one message of GET /v1/events. The field of its name is set.
type Event struct {
	ID      string        `json:"-"`
	Name    string        `json:"-"` // hello, tasks, stats, changed or resync
	Hello   *EventHello   `json:"hello,omitempty" doc:"The first message of every connection."`
	Tasks   *EventTasks   `json:"tasks,omitempty" doc:"What became of tasks, at most four times a second."`
	Stats   *EventStats   `json:"stats,omitempty" doc:"How things stand, about once a second."`
	Changed *EventChanged `json:"changed,omitempty" doc:"An object has changed, on whichever node: read it again."`
	Resync  *EventResync  `json:"resync,omitempty" doc:"Something is missing: read again what is shown."`
}

// EventHello says who answers.
type EventHello struct {
	Node    string `json:"node" doc:"Id of the node that answers."`
	Version string `json:"version,omitempty" doc:"Version of the program."`
	Release string `json:"release,omitempty" doc:"Of the application."`
	Nodes   string `json:"nodes" enum:"this,all" doc:"Whose changes of tasks are told: those of the node that answers, or of all because there is no other."`
	Now     Time   `json:"now" doc:"The time by the clock of the server."`
}

// EventTasks are the changes of tasks within a quarter of a second.
type EventTasks struct {
	At      Time        `json:"at" doc:"When the newest of the changes happened."`
	Seen    int         `json:"seen" doc:"How many changes there were that the filter lets through. Beyond 8192 in a message they are filtered by queue alone."`
	LeftOut int         `json:"left_out" doc:"How many of them are not listed."`
	Tasks   []EventTask `json:"tasks" doc:"The newest 100, oldest first. Those of one task are in their order, but that enqueued may come after started."`
}

// EventTask is a change of a task.
type EventTask struct {
	ID       task.ID    `json:"id" doc:"Id of the task."`
	Type     string     `json:"type" doc:"Type of the task."`
	Queue    string     `json:"queue" doc:"Queue of the task."`
	State    task.State `json:"state" enum:"pending,running,succeeded,dead,canceled" doc:"State of the task after the change."`
	Attempt  int        `json:"attempt" doc:"Attempts started and spent."`
	What     string     `json:"what" enum:"enqueued,started,failed,succeeded,dead,canceled,snoozed,released,crashed" doc:"failed: it will run again; released: given back at no cost, or moved to another time."`
	Category string     `json:"category,omitempty" doc:"Category of the failure. New ones may come."`
	Code     string     `json:"code,omitempty" doc:"HTTP status, SQLSTATE or errno of the failure."`
	Reason   string     `json:"reason,omitempty" enum:"exhausted,permanent,expired,crash_loop,no_handler,rejected" doc:"Why it is dead."`
	Target   string     `json:"target,omitempty" doc:"What the task calls."`
	Key      string     `json:"key,omitempty" doc:"Ordering key of the task."`
	NextAt   Time       `json:"next_at,omitzero" doc:"The next run."`
	At       Time       `json:"at" doc:"When it happened."`
}

// EventStats is how things stand, over all nodes unless it says otherwise.
type EventStats struct {
	At        Time              `json:"at" doc:"When it was counted."`
	Pending   int               `json:"pending" doc:"Each queue counted no further than 10000, as running."`
	Running   int               `json:"running" doc:"Running tasks, each queue counted no further than 10000."`
	Dead      *int              `json:"dead,omitempty" doc:"Letters of all queues; absent for a token for certain queues, as nodes, slots, ready and scheduled."`
	OldestDue Duration          `json:"oldest_due" doc:"For how long the oldest pending task has been due."`
	Nodes     *int              `json:"nodes,omitempty" doc:"Living ones."`
	Slots     *int              `json:"slots,omitempty" doc:"Attempts at most, of the living nodes."`
	Ready     *int              `json:"ready,omitempty" doc:"Due tasks in the memory of the node that answers, and those of all nodes that are set aside, since nobody can start them now: no living node starts their type, their target is down, their key is blocked. Of each queue counted to 10000."`
	Scheduled *int              `json:"scheduled,omitempty" doc:"Tasks in the memory of the node that answers that are not due."`
	Counts    map[string]int    `json:"counts" doc:"What became of tasks on the node that answers since the stats before, by what."`
	Queues    []EventQueueStats `json:"queues" doc:"By name, 100 at most."`
}

// EventQueueStats is how a queue stands, over all nodes.
type EventQueueStats struct {
	Name      string         `json:"name" doc:"Name of the queue."`
	Paused    bool           `json:"paused" doc:"Nothing of it starts."`
	Pending   int            `json:"pending" doc:"Pending tasks, counted no further than 10000."`
	Running   int            `json:"running" doc:"Running tasks, counted no further than 10000."`
	OldestDue Duration       `json:"oldest_due" doc:"For how long its oldest pending task has been due."`
	Counts    map[string]int `json:"counts,omitempty" doc:"What became of its tasks on the node that answers since the stats before, by what."`
}

// EventChanged is a change of something that is no task.
type EventChanged struct {
	Kind string `json:"kind" enum:"policy,queue,schedule,alert,operation,target,node,token,dead" doc:"What has changed. dead: dead letters were redriven or deleted."`
	Name string `json:"name,omitempty" doc:"Absent where any of the kind may have changed."`
}

// EventResync says that something is missing.
type EventResync struct {
	Reason  string `json:"reason" enum:"gone,slow" doc:"gone: what came after Last-Event-ID is not kept any more, or was another process'; slow: the reader was too slow."`
	Dropped int    `json:"dropped,omitempty" doc:"How many messages were dropped at most: one each quarter of a second."`
}

// EventFilter says which changes of tasks are told. The zero value is all.
type EventFilter struct {
	Queue, Type, Target string
	State               task.State
	Task                task.ID       // of this one only, on whichever node it runs
	For                 time.Duration // end after so long; never when 0
}

func (f *EventFilter) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"queue": f.Queue, "type": f.Type, "target": f.Target, "state": string(f.State)} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if !f.Task.IsZero() {
		query.Set("task", f.Task.String())
	}
	return query
}

// Events tells what happens, as it happens, until ctx ends, the time of the filter is
// over, or the loop is left. A stream that breaks off is taken up where it was; before
// that the error is told, and a loop that goes on lets it try again, after a while that
// grows to half a minute. After an error that a repeat does not mend, such as a token
// that is not good, it is over.
func (c *Client) Events(ctx context.Context, filter EventFilter) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		if filter.For > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, filter.For)
			defer cancel()
		}
		s := &eventStream{client: c, call: call{method: http.MethodGet, path: "/v1/events", query: filter.query(), header: http.Header{}}, yield: yield}
		for failures := 0; ctx.Err() == nil; failures++ {
			heard, err := s.read(ctx)
			if heard {
				failures = 0
			}
			if s.left || ctx.Err() != nil || err != nil && !yield(nil, err) || err != nil && !again(err) {
				return
			}
			if pauseFor(ctx, max(s.retry<<min(failures, 5), comeBack(err))) != nil {
				return
			}
		}
	}
}

// longestRetry is the longest wait for a stream that broke off.
const longestRetry = 30 * time.Second

// again reports whether a stream may be there at the next try.
func again(err error) bool {
	var problem *Error
	return passing(err) || errors.As(err, &problem) && problem.Code == task.CodeRateLimited
}

// comeBack is when the server has asked to come back.
func comeBack(err error) time.Duration {
	var problem *Error
	if errors.As(err, &problem) {
		return time.Duration(problem.RetryAfter)
	}
	return 0
}

func pauseFor(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(min(wait, longestRetry))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// eventStream is a stream over all its connections.
type eventStream struct {
	client *Client
	call   call
	yield  func(*Event, error) bool
	retry  time.Duration // what the server asked for
	left   bool          // the loop
}

// mostSilence is how long a connection may say nothing: a server beats every ten seconds.
// A test makes it shorter.
var mostSilence = 30 * time.Second

// read reads one connection to its end, and reports whether there was a message. One
// that has died without a word is at its end too.
func (s *eventStream) read(ctx context.Context) (heard bool, err error) {
	if s.retry == 0 {
		s.retry = time.Second
	}
	connected, end := context.WithCancel(ctx)
	defer end()
	resp, err := s.client.send(connected, s.call, nil)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	silence := time.AfterFunc(mostSilence, end)
	defer silence.Stop()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	event, data := &Event{}, []byte(nil)
	for ; lines.Scan(); silence.Reset(mostSilence) {
		silence.Stop() // the loop may take its time
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "event":
			event.Name = value
		case "id":
			event.ID = value
		case "data":
			data = []byte(value)
		case "retry":
			if ms, err := strconv.Atoi(value); err == nil && ms >= 0 {
				s.retry = min(time.Duration(ms)*time.Millisecond, longestRetry)
			}
		case "":
			if event.ID != "" {
				s.call.header.Set("Last-Event-ID", event.ID)
			}
			if event.Name == "" { // the end of a beat
				continue
			}
			known, err := event.read(data)
			if err != nil {
				return heard, s.client.lost(ctx, err)
			}
			if heard = true; known && !s.yield(event, nil) {
				s.left = true
				return true, nil
			}
			event, data = &Event{}, nil
		}
	}
	return heard, s.client.lost(ctx, cmp.Or(lines.Err(), io.ErrUnexpectedEOF))
}

// maxEvent is more than a message has.
const maxEvent = 4 << 20

// read decodes the data of a message; false for one that is not known.
func (e *Event) read(data []byte) (known bool, err error) {
	switch e.Name {
	case "hello":
		e.Hello = new(EventHello)
		err = json.Unmarshal(data, e.Hello)
	case "tasks":
		e.Tasks = new(EventTasks)
		err = json.Unmarshal(data, e.Tasks)
	case "stats":
		e.Stats = new(EventStats)
		err = json.Unmarshal(data, e.Stats)
	case "changed":
		e.Changed = new(EventChanged)
		err = json.Unmarshal(data, e.Changed)
	case "resync":
		e.Resync = new(EventResync)
		err = json.Unmarshal(data, e.Resync)
	default:
		return false, nil
	}
	return true, err
}
