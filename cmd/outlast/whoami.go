package main

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newWhoami(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Show what your token lets you do, and which server answers", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			self, err := api.Self(ctx)
			if err != nil {
				return err
			}
			return c.show(self, func(w io.Writer) { selfFields(w, self) })
		}),
	}
}

func selfFields(w io.Writer, self *client.Self) {
	if self.Open {
		row(w, "token", "none is needed")
	} else {
		if own := self.Token; own != nil {
			row(w, "token", clean(own.Prefix), clean(own.Name))
			field(w, "expires", when(own.ExpiresAt))
		}
		row(w, "role", clean(self.Role))
		row(w, "queues", clean(cmp.Or(strings.Join(self.Queues, ", "), "all")))
	}
	row(w, "may", clean(strings.Join(self.Permissions, ", ")))
	row(w, "server", clean(self.Server.Version), clean(self.Server.Node))
	field(w, "release", clean(self.Server.Release))
	field(w, "store", clean(self.Server.Store))
	row(w, "can be lost", clean(self.Server.Safety.Loss))
}
