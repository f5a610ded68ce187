package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func newDead(c *cli) *cobra.Command {
	return noun("dead", "Look at dead letters, send them back, delete them",
		newDeadList(c), newDeadGet(c), newDeadGroups(c), newDeadStats(c), newDeadRedrive(c), newDeadPurge(c), newDeadExport(c))
}

// selection is which letters an action is about: ids, a filter, or all.
type selection struct {
	filterFlags
	all bool
}

func (s *selection) addTo(cmd *cobra.Command) {
	s.add(cmd.Flags(), true)
	cmd.Flags().BoolVar(&s.all, "all", false, "every dead letter")
}

// sampleSize is how many letters are shown before an action.
const sampleSize = 5

// preview says what an action by filter would do.
func (c *cli) preview(ctx context.Context, api *client.Client, filter client.Filter, matched int, verb string) error {
	c.say("%d dead letters match and would be %s", matched, verb)
	if matched == 0 {
		return nil
	}
	sample, err := api.Dead(ctx, filter, sampleSize, "")
	if err != nil {
		return err
	}
	for i := range sample.Tasks {
		t := &sample.Tasks[i]
		c.say("  %s %s %s %s", t.ID, clean(t.Type), clean(t.DeadReason), lastError(t, 60))
	}
	if matched > len(sample.Tasks) {
		c.say("  and %d more", matched-len(sample.Tasks))
	}
	return nil
}

func lastError(t *client.Task, width int) string {
	if t.LastError == nil {
		return ""
	}
	return short(t.LastError.Category+": "+t.LastError.Message, width)
}

func deadRows(tasks []client.Task) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "ID", "TYPE", "QUEUE", "REASON", "ATTEMPT", "FINISHED", "LAST ERROR")
		for i := range tasks {
			t := &tasks[i]
			row(w, t.ID, clean(t.Type), clean(t.Queue), clean(t.DeadReason), attemptOf(t), when(t.FinishedAt), lastError(t, 60))
		}
	}
}

// missing is an error if some of the ids were no dead letters.
func missing(ids []task.ID, asked int) error {
	switch {
	case len(ids) == 0:
		return nil
	case len(ids) == asked && asked == 1:
		return task.NotFound("dead letter", ids[0].String())
	case len(ids) == asked:
		return &task.Error{Code: task.CodeNotFound, Message: fmt.Sprintf("none of the %d ids is a dead letter", asked)}
	}
	return partial("%d of %d ids are no dead letters, such as %s", len(ids), asked, ids[0])
}
