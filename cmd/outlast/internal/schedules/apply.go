package schedules

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// scheduleFlags are what schedule apply takes.
type scheduleFlags struct {
	flags                *pflag.FlagSet
	rule                 client.ScheduleRule
	file                 string
	start, at            string
	every, window        time.Duration
	payload              string
	retry                string
	priority             int
	attempts             int
	timeout, ttl         time.Duration
	metadata             []string
	url, method, success string
	headers              []string
}

func newApply(c *cli.Env) *cobra.Command {
	f := &scheduleFlags{}
	cmd := &cobra.Command{
		Use: "apply NAME", Short: "Make a schedule, or replace the rule of one", Args: cobra.ExactArgs(1),
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
	f.add(cmd.Flags())
	return cmd
}

func (f *scheduleFlags) add(flags *pflag.FlagSet) {
	f.flags = flags
	r, t := &f.rule, &f.rule.Task
	flags.StringVar(&f.file, "file", "", "the whole rule as JSON, in the form of PUT /v1/schedules/{name}; - is standard input")
	flags.StringVar(&r.Cron, "cron", "", "five fields (minute, hour, day of month, month, day of week), or six with seconds first")
	flags.StringVar(&r.Zone, "zone", "", "IANA time zone of --cron, UTC when absent")
	flags.DurationVar(&f.every, "every", 0, "an interval, at least 1s")
	flags.StringVar(&f.start, "start", "", "ticks of --every are its multiples after this time, RFC 3339")
	flags.StringVar(&f.at, "at", "", "the only tick, RFC 3339")
	flags.StringVar(&r.Misfire, "misfire", "", "ticks more than 10s late: skip, fire_once (when absent) or fire_all")
	flags.DurationVar(&f.window, "window", 0, "how old ticks are that fire_all runs, 1h when absent")
	flags.StringVar(&r.Overlap, "overlap", "", "while the last task has not ended: allow (when absent), skip, replace or queue")
	flags.StringVar(&t.Type, "type", "", "what kind of task; http when --url is given")
	flags.StringVar(&t.Queue, "queue", "", "queue, default when absent")
	flags.StringVar(&f.payload, "payload", "", "JSON payload; @FILE reads a file, - standard input")
	flags.IntVar(&f.priority, "priority", task.DefaultPriority, "0 (lowest) to 9")
	flags.StringVar(&t.Key, "key", "", "ordering key")
	flags.StringVar(&t.Policy, "policy", "", "name of a retry policy")
	flags.StringVar(&f.retry, "retry", "", "inline retry policy as JSON; @FILE reads a file")
	flags.IntVar(&f.attempts, "max-attempts", 0, "attempts, the first included")
	flags.DurationVar(&f.timeout, "timeout", 0, "limit of each attempt")
	flags.DurationVar(&f.ttl, "ttl", 0, "limit of all attempts of a task together")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "NAME=VALUE (repeatable)")
	flags.StringVar(&f.url, "url", "", "URL to call")
	flags.StringVar(&f.method, "method", "", "method of the call, POST when absent")
	flags.StringArrayVar(&f.headers, "header", nil, "'Name: value' of the call (repeatable); visible in process lists: put secrets into --file")
	flags.StringVar(&f.success, "success", "", "CEL over status, headers and body that decides whether an answer is a success, such as 'body.code == 0'; 2xx when absent")
}

func (f *scheduleFlags) send(ctx context.Context, c *cli.Env, api *client.Client, name string) (*client.Schedule, error) {
	if f.file == "" {
		rule, err := f.read(c)
		if err != nil {
			return nil, err
		}
		return api.PutSchedule(ctx, name, rule)
	}
	var other string
	f.flags.Visit(func(flag *pflag.Flag) {
		if flag.Name != "file" && f.flags.Lookup(flag.Name) != nil && isOwn(flag.Name) {
			other = flag.Name
		}
	})
	if other != "" {
		return nil, cli.Usagef("--%s does not go with --file; write it into the file", other)
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

// isOwn tells the flags of this command from those of all commands.
func isOwn(name string) bool { return name != "server" && name != "output" && name != "yes" }

// read makes a rule. What is wrong with values is for the server to say.
func (f *scheduleFlags) read(c *cli.Env) (client.ScheduleRule, error) {
	if err := f.written(); err != nil {
		return f.rule, err
	}
	r := f.rule
	t := &r.Task
	r.Every, r.Window = client.Duration(f.every), client.Duration(f.window)
	t.Timeout, t.TTL = client.Duration(f.timeout), client.Duration(f.ttl)
	for _, at := range []struct {
		name, text string
		to         *client.Time
	}{{"start", f.start, &r.Start}, {"at", f.at, &r.At}} {
		if at.text != "" {
			if err := at.to.UnmarshalText([]byte(at.text)); err != nil {
				return r, cli.Usagef("--%s: %s", at.name, err)
			}
		}
	}
	if f.flags.Changed("priority") {
		t.Priority = &f.priority
	}
	if f.flags.Changed("max-attempts") {
		t.MaxAttempts = &f.attempts
	}
	var err error
	if t.Payload, err = c.ReadJSON("payload", f.payload); err != nil {
		return r, err
	}
	if t.Retry, err = c.ReadJSON("retry", f.retry); err != nil {
		return r, err
	}
	if t.Metadata, err = cli.Pairs("metadata", "=", f.metadata); err != nil {
		return r, err
	}
	if f.url != "" || f.method != "" || f.success != "" || len(f.headers) > 0 {
		t.Target = &client.Target{URL: f.url, Method: f.method, Success: f.success}
		t.Target.Headers, err = cli.Pairs("header", ":", f.headers)
	}
	return r, err
}

// written refuses a zero that was written out: it would read as absent.
func (f *scheduleFlags) written() error {
	return cli.RefuseZeros(f.flags, []cli.ZeroFlag{
		{Name: "every", Path: "every", Zero: "0s", Hint: "leave it out for cron or at"},
		{Name: "window", Path: "window", Zero: "0s", Hint: "leave it out for 1h"},
		{Name: "timeout", Path: "task.timeout", Zero: "0s", Hint: "leave it out for the policy's own"},
		{Name: "ttl", Path: "task.ttl", Zero: "0s", Hint: "leave it out for no limit"},
		{Name: "key", Path: "task.key", Zero: "", Hint: "leave it out for no order"},
	})
}
