package tasks

import (
	"bufio"
	"context"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

const (
	// exportPage is how many tasks are asked for and held at once, exportAtOnce how
	// many of their histories.
	exportPage   = 100
	exportAtOnce = 8
)

func newExport(c *cli.Env) *cobra.Command {
	var filter cli.FilterFlags
	cmd := &cobra.Command{
		Use: "export", Short: "Write tasks with their attempts, one JSON object per line, newest first", Args: cobra.NoArgs,
		Long: `Write tasks with their attempts, one JSON object per line, newest first. The format is
that of "outlast dead export", and "outlast sim compare --history" reads it.

Tasks that change during the export are written as they are when it reaches them. Memory
use does not grow with the number of tasks.`,
		Example: "  outlast task export --since 24h > history.ndjson",
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			chosen, _, err := filter.Read(time.Now())
			if err != nil {
				return err
			}
			out := bufio.NewWriterSize(c.Out, 64<<10)
			count, err := exportTasks(ctx, c, api, chosen, out)
			if flushErr := out.Flush(); err == nil {
				err = flushErr
			}
			if err == nil {
				c.Say("%d tasks", count)
			}
			return err
		}),
	}
	filter.Add(cmd.Flags(), false)
	return cmd
}

// exportTasks writes page by page.
func exportTasks(ctx context.Context, c *cli.Env, api *client.Client, filter client.Filter, out *bufio.Writer) (count int, err error) {
	escape := cli.Terminal(c.Out)
	for cursor := ""; ; {
		page, err := api.Tasks(ctx, filter, exportPage, cursor)
		if err != nil {
			return count, err
		}
		letters, err := histories(ctx, api, page.Tasks)
		if err != nil {
			return count, err
		}
		for i := range letters {
			if err := writeLetter(c, out, &letters[i], escape); err != nil {
				return count, err
			}
			count++
		}
		if cursor = page.NextCursor; cursor == "" {
			return count, nil
		}
	}
}

func writeLetter(c *cli.Env, out *bufio.Writer, letter *client.Letter, escape bool) error {
	if escape {
		return c.WriteJSON(letter) // escapes what could act on a terminal
	}
	data, err := client.Marshal(letter)
	if err != nil {
		return err
	}
	_, err = out.Write(append(data, '\n'))
	return err
}

// histories reads the attempts of some tasks, several at once.
func histories(ctx context.Context, api *client.Client, tasks []client.Task) ([]client.Letter, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	letters := make([]client.Letter, len(tasks))
	free := make(chan struct{}, exportAtOnce)
	var all sync.WaitGroup
	for i := range tasks {
		letters[i].Task, letters[i].Attempts = tasks[i], []client.Attempt{}
		if tasks[i].Claim == 0 {
			continue // it never ran
		}
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			story, err := api.Attempts(ctx, tasks[i].ID)
			if err != nil {
				cancel(err)
				return
			}
			letters[i].Attempts, letters[i].Steps = story.Attempts, story.Steps
		})
	}
	all.Wait()
	return letters, context.Cause(ctx)
}
