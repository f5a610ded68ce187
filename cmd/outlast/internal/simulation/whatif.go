package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newWhatIf(c *cli.Env) *cobra.Command {
	var question client.WhatIf
	var since, until string
	var seed int64
	var policies []string
	cmd := &cobra.Command{
		Use: "whatif", Short: "Replay the tasks of a server under other policies", Args: cobra.NoArgs,
		Long: `Have the server replay its recorded tasks in virtual time: as recorded, under the policy
that applies to each task now, and under each --policy.

The server reads the newest tasks first, at most --tasks and for at most 5 s. To replay a
longer history on your own machine, use "outlast sim compare --history".`,
		Example: "  outlast sim whatif --type mail.send --policy mine.json --policy payment\n" +
			"  outlast sim whatif --target api.example.com --since 2026-11-20T10:00:00Z --until 2026-11-20T12:00:00Z --policy mine.json",
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			times := cli.FilterFlags{Since: since, Until: until}
			bounds, _, err := times.Read(time.Now())
			if err != nil {
				return err
			}
			question.Since, question.Until, question.Seed = bounds.Since, bounds.Until, &seed
			for _, source := range policies {
				tried, err := readTried(source)
				if err != nil {
					return err
				}
				question.Policies = append(question.Policies, tried)
			}
			report, err := api.WhatIf(ctx, question)
			if err != nil {
				return err
			}
			return cli.List(c, report, report.Runs, func(w io.Writer) { whatIfTable(w, report) })
		}),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&policies, "policy", nil, "file with a policy, or name of a preset or of a policy of the server (repeatable)")
	flags.StringVar(&question.Type, "type", "", "only tasks of this type")
	flags.StringVar(&question.Queue, "queue", "", "only tasks of this queue")
	flags.StringVar(&question.Target, "target", "", "only tasks that call this target")
	flags.StringVar(&question.Of, "of", "", "only tasks with an attempt under this policy")
	flags.StringVar(&since, "since", "", "created since: a time (RFC 3339) or an age, such as 1h; default is a day before --until")
	flags.StringVar(&until, "until", "", "created before: a time (RFC 3339) or an age, such as 1h")
	flags.IntVar(&question.Tasks, "tasks", 2000, "maximum number of tasks, newest first")
	flags.Int64Var(&seed, "seed", 1, "seed of the random numbers")
	return cmd
}

// readTried reads a policy: a file with one as JSON, or the name of one.
func readTried(source string) (client.WhatIfPolicy, error) {
	data, err := os.ReadFile(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return client.WhatIfPolicy{Preset: source}, nil // the server knows which there are
	case err != nil:
		return client.WhatIfPolicy{}, cli.Usagef("--policy: %v", err)
	case !json.Valid(data):
		return client.WhatIfPolicy{}, cli.Usagef("--policy: %s contains no policy as JSON", task.Quote(source))
	}
	name := filepath.Base(source)
	return client.WhatIfPolicy{Name: strings.TrimSuffix(name, filepath.Ext(name)), Policy: data}, nil
}

func whatIfTable(w io.Writer, r *client.WhatIfReport) {
	read := &r.Read
	cli.Line(w, fmt.Sprintf("%d tasks with %d attempts on %d targets, created from %s to %s; %d without an attempt and %d of other policies are left out",
		read.Tasks, read.Attempts, read.Targets, oldestOf(read).Format(time.RFC3339), read.Until.Format(time.RFC3339), read.Untried, read.Others))
	if read.Tasks == 0 {
		return
	}
	cli.Line(w, "")
	cli.Row(w, "POLICY", "ATTEMPTS", "FAILED", "GUESSED", "SUCCEEDED", "DIED", "CANCELED", "OPEN", "WAIT P50", "WAIT P99", "SUCCESS P50", "SUCCESS P99", "IN FLIGHT")
	for n := range r.Runs {
		run := &r.Runs[n]
		cli.Row(w, cli.Clean(run.Name), run.Attempts, run.Failed, run.Guessed, run.Succeeded, run.Died, run.Canceled, run.Open,
			cli.Wait(run.Wait.P50), cli.Wait(run.Wait.P99), cli.Wait(run.Success.P50), cli.Wait(run.Success.P99), run.MostInFlight)
	}
	cli.Line(w, "")
	for _, limit := range r.Limits {
		cli.Line(w, "- "+cli.Clean(limit.Text))
	}
}

// oldestOf is since when tasks were read: later than asked for where a bound ended it.
func oldestOf(read *client.WhatIfRead) time.Time {
	if read.Stopped != "" && !read.Oldest.IsZero() {
		return read.Oldest.Time
	}
	return read.Since.Time
}
