package schedules

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// scheduleFlags are what schedule apply takes.
type scheduleFlags struct {
	cmd           *cobra.Command
	rule          client.ScheduleRule
	task          cli.TaskFlags
	file          string
	start, at     string
	every, window time.Duration
}

func newApply(c *cli.Env) *cobra.Command {
	f := &scheduleFlags{}
	cmd := &cobra.Command{
		Use: "apply NAME", Short: "Create a schedule, or replace its rule", Args: cobra.ExactArgs(1),
		Example: "  outlast schedule apply nightly --cron '0 3 * * *' --zone Asia/Shanghai --type report.build --overlap skip\n" +
			"  outlast schedule apply ping --every 30s --url https://example.com/ping\n" +
			"  outlast schedule apply nightly --file nightly.json",
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			made, err := f.send(ctx, c, api, args[0])
			if err != nil {
				return err
			}
			return showSchedule(c, made)
		}),
	}
	f.cmd = cmd
	f.add(cmd.Flags())
	return cmd
}

func (f *scheduleFlags) add(flags *pflag.FlagSet) {
	r := &f.rule
	flags.StringVar(&f.file, "file", "", "file with the whole rule as JSON, as for PUT /v1/schedules/{name}; - for standard input")
	flags.StringVar(&r.Cron, "cron", "", "cron expression: minute, hour, day of month, month, day of week; with six fields, seconds first")
	flags.StringVar(&r.Zone, "zone", "", "IANA time zone of --cron; default UTC")
	flags.DurationVar(&f.every, "every", 0, "interval, at least 1s")
	flags.StringVar(&f.start, "start", "", "time from which --every counts, RFC 3339")
	flags.StringVar(&f.at, "at", "", "time of a single tick, RFC 3339")
	flags.StringVar(&r.Misfire, "misfire", "", "what to do with ticks more than 10s late: skip, fire_once (default) or fire_all")
	flags.DurationVar(&f.window, "window", 0, "oldest ticks that fire_all still runs; default 1h")
	flags.StringVar(&r.Overlap, "overlap", "", "what to do while the last task has not ended: allow (default), skip, replace or queue")
	f.task.Add(flags, false)
}

func (f *scheduleFlags) send(ctx context.Context, c *cli.Env, api *client.Client, name string) (*client.Schedule, error) {
	if f.file == "" {
		rule, err := f.read(c)
		if err != nil {
			return nil, err
		}
		return api.PutSchedule(ctx, name, rule)
	}
	if err := cli.FileAlone(f.cmd); err != nil {
		return nil, err
	}
	data, err := c.ReadFile(f.file)
	if err != nil {
		return nil, err
	}
	if !json.Valid(data) {
		return nil, cli.Usagef("%s is not JSON", f.file)
	}
	return api.PutRawSchedule(ctx, name, data)
}

// read makes a rule. What is wrong with values is for the server to say.
func (f *scheduleFlags) read(c *cli.Env) (client.ScheduleRule, error) {
	if err := f.written(); err != nil {
		return f.rule, err
	}
	r := f.rule
	r.Every, r.Window = client.Duration(f.every), client.Duration(f.window)
	err := cli.ReadTimes(cli.GivenTime{Name: "start", Text: f.start, To: &r.Start}, cli.GivenTime{Name: "at", Text: f.at, To: &r.At})
	if err == nil {
		r.Task, err = f.task.Read(c)
	}
	return r, err
}

// written refuses a zero that was written out: it would read as absent.
func (f *scheduleFlags) written() error {
	return cli.RefuseZeros(f.cmd.Flags(), []cli.ZeroFlag{
		{Name: "every", Path: "every", Zero: "0s", Hint: "leave it out for cron or at"},
		{Name: "window", Path: "window", Zero: "0s", Hint: "leave it out for 1h"},
		{Name: "timeout", Path: "task.timeout", Zero: "0s", Hint: "leave it out for the timeout of the policy"},
		{Name: "ttl", Path: "task.ttl", Zero: "0s", Hint: "leave it out for no limit"},
		{Name: "key", Path: "task.key", Zero: "", Hint: "leave it out for no order"},
		{Name: "share-key", Path: "task.share_key", Zero: "", Hint: "leave it out for none"},
	})
}
