package letters

import (
	"bufio"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newExport(c *cli.Env) *cobra.Command {
	var filter cli.FilterFlags
	cmd := &cobra.Command{
		Use: "export", Short: "Write dead letters with their attempts and steps, one JSON object per line", Args: cobra.NoArgs,
		Example: "  outlast dead export --since 24h > letters.ndjson",
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			chosen, _, err := filter.Read(time.Now())
			if err != nil {
				return err
			}
			if cli.Terminal(c.Out) {
				return api.Export(ctx, chosen, c.WriteLine) // escapes what could act on it
			}
			out := bufio.NewWriterSize(c.Out, 64<<10)
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
				c.Say("%d dead letters", count)
			}
			return err
		}),
	}
	filter.Add(cmd.Flags(), true)
	return cmd
}
