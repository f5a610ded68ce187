// Package letters is outlast dead: find, redrive and delete dead letters.
package letters

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
	"github.com/outlast-dev/outlast/task"
)

// Command makes outlast dead and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("dead", "Find, redrive and delete dead letters",
		newList(c), newGet(c), newGroups(c), newStats(c), newRedrive(c), newPurge(c), newExport(c))
}

// selection is which letters an action is about: ids, a filter, or all.
type selection struct {
	cli.FilterFlags
	all bool
}

func (s *selection) addTo(cmd *cobra.Command) {
	s.Add(cmd.Flags(), true)
	cmd.Flags().BoolVar(&s.all, "all", false, "every dead letter")
}

// sampleSize is how many letters are shown before an action.
const sampleSize = 5

// preview says what an action by filter would do.
func preview(ctx context.Context, c *cli.Env, api *client.Client, filter client.Filter, matched int, verb string) error {
	c.Say("%d dead letters match and would be %s", matched, verb)
	if matched == 0 {
		return nil
	}
	sample, err := api.Dead(ctx, filter, sampleSize, "")
	if err != nil {
		return err
	}
	for i := range sample.Tasks {
		t := &sample.Tasks[i]
		c.Say("  %s %s %s %s", t.ID, cli.Clean(t.Type), cli.Clean(t.DeadReason), taskview.LastError(t, 60))
	}
	if matched > len(sample.Tasks) {
		c.Say("  and %d more", matched-len(sample.Tasks))
	}
	return nil
}

func deadRows(tasks []client.Task) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "TYPE", "QUEUE", "REASON", "ATTEMPT", "FINISHED", "LAST ERROR")
		for i := range tasks {
			t := &tasks[i]
			cli.Row(w, t.ID, cli.Clean(t.Type), cli.Clean(t.Queue), cli.Clean(t.DeadReason), taskview.AttemptOf(t), cli.When(t.FinishedAt), taskview.LastError(t, 60))
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
	return cli.Partialf("%d of %d ids are not dead letters, such as %s", len(ids), asked, ids[0])
}
