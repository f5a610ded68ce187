// Package audit is outlast audit: who did what to what.
package audit

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast audit and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("audit", "Show who changed what, and when", newList(c))
}

func newList(c *cli.Env) *cobra.Command {
	var filter client.AuditFilter
	var since time.Duration
	cmd := &cobra.Command{
		Use: "list", Short: "List the audit log, newest first", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if since < 0 {
				return cli.Usagef("--since must not be negative")
			}
			if err := cli.OnePage(filter.Limit); err != nil {
				return err
			}
			if since > 0 {
				filter.Since = time.Now().Add(-since)
			}
			log, err := api.Audit(ctx, filter)
			if err != nil {
				return err
			}
			err = cli.List(c, log, log.Rows, func(w io.Writer) {
				cli.Row(w, "AT", "ACTOR", "ADDRESS", "ACTION", "SUBJECT", "BEFORE", "AFTER")
				for i := range log.Rows {
					r := &log.Rows[i]
					cli.Row(w, cli.When(r.At), cli.Clean(r.Actor), cli.Clean(r.Address), cli.Clean(r.Action), cli.Clean(r.Subject), cli.Short(string(r.Before), 60), cli.Short(string(r.After), 60))
				}
			})
			if err == nil && log.NextCursor != "" && c.Output == "table" {
				c.Say("more rows follow: add --cursor %s", cli.Clean(log.NextCursor))
			}
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Actor, "actor", "", "only actions of this actor, such as cli or 'token abcdefgh (ops)'")
	flags.StringVar(&filter.Action, "action", "", "only this action, such as policy.put; policy. matches all that begin with it")
	flags.StringVar(&filter.Subject, "subject", "", "only this subject, such as policy/payment; policy/ matches all that begin with it")
	flags.DurationVar(&since, "since", 0, "only actions of this last period, such as 24h")
	flags.IntVar(&filter.Limit, "limit", 100, "maximum number of rows, 1 to 500")
	flags.StringVar(&filter.Cursor, "cursor", "", "continue from the cursor of an earlier list")
	return cmd
}
