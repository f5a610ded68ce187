package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newAudit(c *cli) *cobra.Command {
	return noun("audit", "See who did what to what", newAuditList(c))
}

func newAuditList(c *cli) *cobra.Command {
	var filter client.AuditFilter
	var since time.Duration
	cmd := &cobra.Command{
		Use: "list", Short: "List the audit log, newest first", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			if since < 0 {
				return usage("--since must not be negative")
			}
			if err := onePage(filter.Limit); err != nil {
				return err
			}
			if since > 0 {
				filter.Since = time.Now().Add(-since)
			}
			log, err := api.Audit(ctx, filter)
			if err != nil {
				return err
			}
			err = list(c, log, log.Rows, func(w io.Writer) {
				row(w, "AT", "ACTOR", "ADDRESS", "ACTION", "SUBJECT", "BEFORE", "AFTER")
				for i := range log.Rows {
					r := &log.Rows[i]
					row(w, when(r.At), clean(r.Actor), clean(r.Address), clean(r.Action), clean(r.Subject), short(string(r.Before), 60), short(string(r.After), 60))
				}
			})
			if err == nil && log.NextCursor != "" && c.output == "table" {
				c.say("there is more: --cursor %s", clean(log.NextCursor))
			}
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Actor, "actor", "", "only what this one did, such as cli or 'token abcdefgh (ops)'")
	flags.StringVar(&filter.Action, "action", "", "only this action, such as policy.put, or policy. for all that begin so")
	flags.StringVar(&filter.Subject, "subject", "", "only about this, such as policy/payment, or policy/ for all that begin so")
	flags.DurationVar(&since, "since", 0, "only of the last so long, such as 24h")
	flags.IntVar(&filter.Limit, "limit", 100, "rows, 1 to 500")
	flags.StringVar(&filter.Cursor, "cursor", "", "go on where an earlier list ended")
	return cmd
}
