package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/task"
)

func newTask(c *cli) *cobra.Command {
	return noun("task", "Enqueue, find and steer tasks",
		newTaskEnqueue(c), newTaskList(c), newTaskUpcoming(c), newTaskGet(c), newTaskAttempts(c), newTaskCancel(c), newTaskRetry(c), newTaskReschedule(c), newTaskTail(c), newTaskExport(c))
}

func taskRows(tasks []client.Task) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "ID", "STATE", "TYPE", "QUEUE", "ATTEMPT", "RUN AT", "WAITING", "LAST ERROR")
		for i := range tasks {
			t := &tasks[i]
			row(w, t.ID, clean(string(t.State)), clean(t.Type), clean(t.Queue), attemptOf(t), when(t.RunAt), clean(t.Waiting), lastError(t, 60))
		}
	}
}

// failureRows are tasks by when they failed.
func failureRows(tasks []client.Task) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "ID", "STATE", "TYPE", "QUEUE", "ATTEMPT", "FAILED", "RUN AT", "LAST ERROR")
		for i := range tasks {
			t := &tasks[i]
			row(w, t.ID, clean(string(t.State)), clean(t.Type), clean(t.Queue), attemptOf(t), when(t.LastFailedAt), when(t.RunAt), lastError(t, 60))
		}
	}
}

func attemptOf(t *client.Task) string {
	if t.MaxAttempts == 0 {
		return fmt.Sprint(t.Attempt)
	}
	return fmt.Sprintf("%d/%d", t.Attempt, t.MaxAttempts)
}

func taskFields(w io.Writer, t *client.Task) {
	field(w, "id", t.ID)
	field(w, "state", clean(string(t.State)))
	field(w, "waiting", clean(t.Waiting))
	field(w, "missing key", clean(t.MissingKey))
	field(w, "next check", when(t.NextCheck))
	field(w, "type", clean(t.Type))
	field(w, "queue", clean(t.Queue))
	row(w, "priority", t.Priority)
	row(w, "attempt", attemptOf(t))
	field(w, "crashes", t.Crashes)
	field(w, "policy", clean(t.Policy))
	field(w, "run at", when(t.RunAt))
	field(w, "last failed", when(t.LastFailedAt))
	field(w, "key", clean(t.Key))
	field(w, "dedupe key", clean(t.DedupeKey))
	field(w, "timeout", span(t.Timeout))
	field(w, "deadline", when(t.Deadline))
	if t.Target != nil {
		field(w, "target", clean(cmp.Or(t.Target.Method, "POST")+" "+callee(t.Target)))
	}
	field(w, "node", clean(t.Node))
	field(w, "worker", clean(t.Worker))
	field(w, "lease until", when(t.LeaseUntil))
	field(w, "progress", short(string(t.Progress), 400))
	if t.Dispatch != nil {
		field(w, "dispatches", fmt.Sprintf("%d in a row failed: %s", t.Dispatch.Failures, short(t.Dispatch.LastError, 400)))
		field(w, "next dispatch", when(t.Dispatch.NextAt))
	}
	field(w, "created", when(t.CreatedAt))
	field(w, "started", when(t.StartedAt))
	field(w, "finished", when(t.FinishedAt))
	field(w, "dead reason", clean(t.DeadReason))
	if t.LastError != nil {
		field(w, "last error", short(t.LastError.Category+": "+t.LastError.Message, 400))
		field(w, "fingerprint", clean(t.LastError.Fingerprint))
	}
	if !t.FallbackTask.IsZero() {
		field(w, "fallback", t.FallbackTask.String()+" "+clean(t.FallbackState))
		field(w, "its last error", short(t.FallbackError, 400))
	}
	if !t.CallbackTask.IsZero() {
		field(w, "callback", t.CallbackTask.String()+" "+clean(t.CallbackState))
		field(w, "its last error", short(t.CallbackError, 400))
	}
	if !t.Parent.IsZero() {
		field(w, "follows", t.Parent.String()+" "+clean(t.Follows))
	}
	field(w, "payload", short(string(t.Payload), 400))
	field(w, "result", short(string(t.Result), 400))
}

// callee is the URL or the group and path of a request.
func callee(t *client.Target) string {
	if t.Group != "" {
		return "group " + t.Group + " " + t.Path
	}
	return t.URL
}

func (c *cli) showTask(t *client.Task) error {
	return c.show(t, func(w io.Writer) { taskFields(w, t) })
}

func attemptRows(attempts []client.Attempt) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "NUMBER", "OUTCOME", "NODE", "STARTED", "ENDED", "POLICY", "RELEASE", "CATEGORY", "CODE", "NEXT DELAY", "ERROR")
		for _, a := range attempts {
			row(w, a.Number, clean(a.Outcome), clean(a.Node), when(a.StartedAt), when(a.EndedAt), clean(versionOf(a)), clean(a.Release), clean(a.Category), clean(a.Code), span(a.NextDelay), short(a.Error, 80))
		}
	}
}

// versionOf names the version of the policy of an attempt: payment@3.
func versionOf(a client.Attempt) string {
	if a.PolicyVersion == 0 {
		return ""
	}
	return stats.VersionName(a.Policy, a.PolicyVersion)
}

// parseID reads an id of the command line.
func parseID(text string) (task.ID, error) {
	id, err := task.ParseID(text)
	if err != nil {
		return id, usage("%s is not a task id: an id looks like 019a9f2e-5c00-7abc-8def-0123456789ab", task.Quote(text))
	}
	return id, nil
}

func parseIDs(texts []string) ([]task.ID, error) {
	var ids []task.ID // nil without texts: an empty list beside a filter is refused
	for _, text := range texts {
		id, err := parseID(text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
