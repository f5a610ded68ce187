package taskview

import (
	"cmp"
	"fmt"
	"io"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Fields writes all that is known of a task, a line for each.
func Fields(w io.Writer, t *client.Task) {
	cli.Field(w, "id", t.ID)
	cli.Field(w, "state", cli.Clean(string(t.State)))
	cli.Field(w, "waiting", cli.Clean(t.Waiting))
	cli.Field(w, "missing key", cli.Clean(t.MissingKey))
	cli.Field(w, "next check", cli.When(t.NextCheck))
	cli.Field(w, "type", cli.Clean(t.Type))
	cli.Field(w, "queue", cli.Clean(t.Queue))
	cli.Row(w, "priority", t.Priority)
	cli.Row(w, "attempt", AttemptOf(t))
	cli.Field(w, "crashes", t.Crashes)
	cli.Field(w, "policy", cli.Clean(t.Policy))
	cli.Field(w, "run at", cli.When(t.RunAt))
	cli.Field(w, "last failed", cli.When(t.LastFailedAt))
	cli.Field(w, "key", cli.Clean(t.Key))
	cli.Field(w, "share key", cli.Clean(t.ShareKey))
	cli.Field(w, "dedupe key", cli.Clean(t.DedupeKey))
	cli.Field(w, "timeout", cli.Span(t.Timeout))
	cli.Field(w, "deadline", cli.When(t.Deadline))
	if t.Target != nil {
		cli.Field(w, "target", cli.Clean(cmp.Or(t.Target.Method, "POST")+" "+callee(t.Target)))
	}
	cli.Field(w, "node", cli.Clean(t.Node))
	cli.Field(w, "worker", cli.Clean(t.Worker))
	cli.Field(w, "lease until", cli.When(t.LeaseUntil))
	cli.Field(w, "progress", cli.Short(string(t.Progress), 400))
	if t.Dispatch != nil {
		cli.Field(w, "dispatches", fmt.Sprintf("%d failed in a row: %s", t.Dispatch.Failures, cli.Short(t.Dispatch.LastError, 400)))
		cli.Field(w, "next dispatch", cli.When(t.Dispatch.NextAt))
	}
	cli.Field(w, "created", cli.When(t.CreatedAt))
	cli.Field(w, "started", cli.When(t.StartedAt))
	cli.Field(w, "finished", cli.When(t.FinishedAt))
	cli.Field(w, "dead reason", cli.Clean(t.DeadReason))
	if t.LastError != nil {
		cli.Field(w, "last error", cli.Short(t.LastError.Category+": "+t.LastError.Message, 400))
		cli.Field(w, "fingerprint", cli.Clean(t.LastError.Fingerprint))
	}
	if !t.FallbackTask.IsZero() {
		cli.Field(w, "fallback", t.FallbackTask.String()+" "+cli.Clean(t.FallbackState))
		cli.Field(w, "its last error", cli.Short(t.FallbackError, 400))
	}
	if !t.CallbackTask.IsZero() {
		cli.Field(w, "callback", t.CallbackTask.String()+" "+cli.Clean(t.CallbackState))
		cli.Field(w, "its last error", cli.Short(t.CallbackError, 400))
	}
	if !t.CompensationTask.IsZero() {
		cli.Field(w, "compensation", t.CompensationTask.String()+" "+cli.Clean(t.CompensationState))
	}
	if !t.Group.IsZero() {
		cli.Field(w, "task group", t.Group.String())
	}
	if !t.Parent.IsZero() {
		cli.Field(w, "follows", t.Parent.String()+" "+cli.Clean(t.Follows))
	}
	cli.Field(w, "payload", cli.Short(string(t.Payload), 400))
	cli.Field(w, "result", cli.Short(string(t.Result), 400))
}

// callee is the URL or the group and path of a request.
func callee(t *client.Target) string {
	if t.Group != "" {
		return "group " + t.Group + " " + t.Path
	}
	return t.URL
}

// Show writes a task as JSON, or by its fields, with what is done of it.
func Show(c *cli.Env, t *client.Task) error {
	if err := c.Show(t, func(w io.Writer) { Fields(w, t) }); err != nil {
		return err
	}
	return ShowSteps(c, t.Steps)
}
