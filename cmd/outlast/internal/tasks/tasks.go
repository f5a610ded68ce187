// Package tasks is outlast task: enqueue, find and steer tasks.
package tasks

import (
	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast task and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("task", "Enqueue, find and manage tasks",
		newEnqueue(c), newList(c), newUpcoming(c), newGet(c), newAttempts(c), newCancel(c), newRetry(c), newReschedule(c), newSignal(c), newTail(c), newExport(c))
}
