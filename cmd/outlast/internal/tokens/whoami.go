package tokens

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Whoami makes outlast whoami.
func Whoami(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Show what your token may do, and which server answers", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			self, err := api.Self(ctx)
			if err != nil {
				return err
			}
			return c.Show(self, func(w io.Writer) { selfFields(w, self) })
		}),
	}
}

func selfFields(w io.Writer, self *client.Self) {
	if self.Open {
		cli.Row(w, "token", "none is needed")
	} else {
		if own := self.Token; own != nil {
			cli.Row(w, "token", cli.Clean(own.Prefix), cli.Clean(own.Name))
			cli.Field(w, "expires", cli.When(own.ExpiresAt))
		}
		cli.Row(w, "role", cli.Clean(self.Role))
		cli.Row(w, "queues", cli.Clean(cmp.Or(strings.Join(self.Queues, ", "), "all")))
	}
	cli.Row(w, "may", cli.Clean(strings.Join(self.Permissions, ", ")))
	cli.Row(w, "server", cli.Clean(self.Server.Version), cli.Clean(self.Server.Node))
	cli.Field(w, "release", cli.Clean(self.Server.Release))
	cli.Field(w, "store", cli.Clean(self.Server.Store))
	cli.Row(w, "can be lost", cli.Clean(self.Server.Safety.Loss))
}
