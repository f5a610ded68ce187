// Package taskview shows tasks and attempts to people, for every command that answers
// with some.
package taskview

import (
	"fmt"
	"io"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/stats"
)

// LastError is the category and message of the last error of a task, in at most so
// many runes; "" if there was none.
func LastError(t *client.Task, width int) string {
	if t.LastError == nil {
		return ""
	}
	return cli.Short(t.LastError.Category+": "+t.LastError.Message, width)
}

// Rows are tasks as a table.
func Rows(tasks []client.Task) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "STATE", "TYPE", "QUEUE", "ATTEMPT", "RUN AT", "WAITING", "LAST ERROR")
		for i := range tasks {
			t := &tasks[i]
			cli.Row(w, t.ID, cli.Clean(string(t.State)), cli.Clean(t.Type), cli.Clean(t.Queue), AttemptOf(t), cli.When(t.RunAt), cli.Clean(t.Waiting), LastError(t, 60))
		}
	}
}

// FailureRows are tasks by when they failed.
func FailureRows(tasks []client.Task) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "STATE", "TYPE", "QUEUE", "ATTEMPT", "FAILED", "RUN AT", "LAST ERROR")
		for i := range tasks {
			t := &tasks[i]
			cli.Row(w, t.ID, cli.Clean(string(t.State)), cli.Clean(t.Type), cli.Clean(t.Queue), AttemptOf(t), cli.When(t.LastFailedAt), cli.When(t.RunAt), LastError(t, 60))
		}
	}
}

// AttemptOf is the number of the last attempt of a task, of how many if that is bounded.
func AttemptOf(t *client.Task) string {
	if t.MaxAttempts == 0 {
		return fmt.Sprint(t.Attempt)
	}
	return fmt.Sprintf("%d/%d", t.Attempt, t.MaxAttempts)
}

// AttemptRows are attempts as a table.
func AttemptRows(attempts []client.Attempt) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "NUMBER", "OUTCOME", "NODE", "STARTED", "ENDED", "POLICY", "RELEASE", "CATEGORY", "CODE", "NEXT DELAY", "ERROR")
		for _, a := range attempts {
			cli.Row(w, a.Number, cli.Clean(a.Outcome), cli.Clean(a.Node), cli.When(a.StartedAt), cli.When(a.EndedAt), cli.Clean(versionOf(a)), cli.Clean(a.Release), cli.Clean(a.Category), cli.Clean(a.Code), cli.Span(a.NextDelay), cli.Short(a.Error, 80))
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
