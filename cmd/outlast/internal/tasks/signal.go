package tasks

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newSignal(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "signal ID NAME [JSON]", Short: "Send a signal to a task that waits or will wait for it", Args: cobra.RangeArgs(2, 3),
		Long: "Send a named signal to a task. A handler that waits for it continues; a handler that asks\nlater gets it then. The payload is optional JSON; @FILE reads a file, - standard input.\nThe first signal of a name counts: the same payload again is no error, another payload is\na conflict.",
		Example: `  outlast task signal ID approval '{"by":"ada"}'
  outlast task signal ID payment.received`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := cli.ParseID(args[0])
			if err != nil {
				return err
			}
			var payload json.RawMessage
			if len(args) == 3 {
				if payload, err = c.ReadJSONArgument("the payload", args[2]); err != nil {
					return err
				}
			}
			done, err := api.Signal(ctx, id, args[1], payload)
			if err != nil {
				return err
			}
			return c.Show(done, func(w io.Writer) {
				cli.Field(w, "task", done.ID)
				cli.Field(w, "signal", done.Name)
				cli.Field(w, "at", cli.When(done.At))
				cli.Field(w, "state", done.State)
				cli.Field(w, "note", signalNote(done))
			})
		}),
	}
}

// signalNote is what is special about a signal.
func signalNote(done *client.Signaled) string {
	switch {
	case done.Repeated:
		return "it had this signal already"
	case done.Woken:
		return "the task was waiting for it and is due now"
	}
	return ""
}
