package tasks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

// waitLimit is how long a caller may wait for the end of a task, and lastLook how long it
// takes at most to look at it then.
const (
	waitLimit = 10 * time.Minute
	lastLook  = 3 * time.Second
)

func checkWait(d client.Duration) error {
	if d < 0 || time.Duration(d) > waitLimit {
		return task.Invalid("wait", fmt.Sprintf("must be 0 to %s, not %s", waitLimit, d), "wait again with GET /v1/tasks/{id}?wait=10m")
	}
	return nil
}

type getInput struct {
	scope.TaskID
	Wait client.Duration `query:"wait" doc:"Wait this long for the end of the task, at most 10m."`
}

// get answers with a task, at its end if the caller waits for it.
func (c *calls) get(ctx context.Context, in *getInput) (*route.Answer[client.Task], error) {
	if err := checkWait(in.Wait); err != nil {
		return nil, err
	}
	view, err := c.bounds.View(ctx, in.ID)
	if err != nil || in.Wait == 0 || view.State.Final() {
		return oneTask(view, err)
	}
	return c.wait(ctx, in.ID, in.Wait, new(route.Answer[client.Task]))
}

// wait answers with the finished task, or with the task as it stands.
func (c *calls) wait(ctx context.Context, id task.ID, d client.Duration, out *route.Answer[client.Task]) (*route.Answer[client.Task], error) {
	waiting, cancel := context.WithTimeoutCause(ctx, time.Duration(d), errWaited)
	defer cancel()
	out.Status = http.StatusOK
	finished, err := c.node.Wait(waiting, id)
	var dead *outlast.DeadError
	switch {
	case err == nil && scope.Narrow(ctx) == nil:
		return c.shown(ctx, finished, out)
	case err != nil && !errors.As(err, &dead) && waiting.Err() == nil:
		return nil, err
	}
	// The request may have ended because the server stops: its caller is told.
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer end()
	view, err := c.bounds.View(ctx, id)
	if err != nil {
		return nil, err
	}
	if !view.State.Final() {
		out.Status = http.StatusAccepted
	}
	out.Body = wire.Task(view)
	return out, nil
}

var errWaited = errors.New("the time of ?wait is over")
