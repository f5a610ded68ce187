// Package events is the call that tells what happens as it happens.
package events

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The measures of streams of events.
const (
	mostStreams      = 200 // of a node
	mostTokenStreams = 20  // of one token
	mostEventTasks   = 100 // in one message
	eventTimeout     = 10 * time.Second
	beatEvery        = 10 * time.Second
	tokenEvery       = 5 * time.Second
)

type eventsInput struct {
	Queue  string          `query:"queue" doc:"Changes of tasks of this queue only."`
	Type   string          `query:"type" doc:"Of this type only."`
	State  task.State      `query:"state" enum:"pending,running,succeeded,dead,canceled" doc:"Into this state only."`
	Target string          `query:"target" doc:"Of tasks that call this target only."`
	Task   task.ID         `query:"task" doc:"Of this task only, on whichever node it runs; without stats and changed."`
	For    client.Duration `query:"for" doc:"End the stream after so long; it goes on until the caller goes when absent."`
	LastID string          `header:"Last-Event-ID" doc:"The id of the last message that was received: what came since is told again, if it is still there."`
}

// Source is where events come from, and who may hear them.
type Source struct {
	Feed    inspect.Events
	Tasks   inspect.Tasks
	Nodes   inspect.Nodes
	Tokens  inspect.Tokens
	Bounds  *scope.Bounds
	Node    func() string // the id of the node that answers
	Version string
}

type calls struct {
	Source
	open streams
}

// Add adds the call that streams events.
func Add(to *route.Table, source Source) {
	c := &calls{Source: source}
	route.Stream[eventsInput, client.Event](to, route.Route{
		Method: "GET", Path: "/v1/events", ID: "watch-events", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "events", Media: "text/event-stream", Endless: true,
		Summary: "Stream changes as they happen (server-sent events)",
		About: "Each message is named hello, tasks, stats, changed or resync, and its data is the field of that name below. Changes of tasks are those of the node that answers; " +
			"stats and changed are of all nodes. At most 200 streams a node, and 20 a token; a token that expires or is revoked ends its streams within 10 seconds.",
		Errors: []task.Code{task.CodeNotFound},
	}, c.watch)
}

// watch checks what is asked for, and streams until the caller or the token goes.
func (c *calls) watch(w http.ResponseWriter, req *http.Request, in *eventsInput) error {
	ctx := req.Context()
	if err := c.watchable(ctx, in); err != nil {
		return err
	}
	leave, err := c.open.join(scope.Bearer(ctx))
	if err != nil {
		return err
	}
	defer leave()
	if in.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(in.For))
		defer cancel()
	}
	listener, resumed := c.Feed.Listen(in.LastID)
	defer listener.Close()
	st := &stream{calls: c, ctx: ctx, out: w, control: http.NewResponseController(w), in: in, token: scope.Bearer(ctx), listener: listener}
	_, st.secret, _ = strings.Cut(req.Header.Get("Authorization"), " ")
	st.run(resumed)
	return nil
}

// watchable refuses what cannot match, and what the token is not for.
func (c *calls) watchable(ctx context.Context, in *eventsInput) error {
	if in.State != "" && !in.State.Valid() {
		return task.Invalid("state", task.Quote(string(in.State))+" is not a state", "one of pending, running, succeeded, dead, canceled")
	}
	if in.For < 0 {
		return task.Invalid("for", "is negative", "leave it out for a stream without end")
	}
	if _, err := scope.Filter(ctx, store.Filter{Queue: in.Queue}); err != nil {
		return err
	}
	if in.Task.IsZero() {
		return nil
	}
	if err := c.Bounds.Task(ctx, in.Task); err != nil {
		return err
	}
	_, err := c.Tasks.Row(ctx, in.Task)
	return err
}
