package main

import (
	"bufio"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newDeadExport(c *cli) *cobra.Command {
	var filter filterFlags
	cmd := &cobra.Command{
		Use: "export", Short: "Write dead letters with their attempts, one JSON object per line", Args: cobra.NoArgs,
		Example: "  outlast dead export --since 24h > letters.ndjson",
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			chosen, _, err := filter.read(time.Now())
			if err != nil {
				return err
			}
			if terminal(c.out) {
				return api.Export(ctx, chosen, c.writeLine) // escapes what could act on it
			}
			out := bufio.NewWriterSize(c.out, 64<<10)
			count := 0
			err = api.Export(ctx, chosen, func(line []byte) error {
				count++
				_, err := out.Write(append(line, '\n'))
				return err
			})
			if flushErr := out.Flush(); err == nil {
				err = flushErr
			}
			if err == nil {
				c.say("%d dead letters", count)
			}
			return err
		}),
	}
	filter.add(cmd.Flags(), true)
	return cmd
}
