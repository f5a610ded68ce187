package tasks

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
	"github.com/outlast-dev/outlast/task"
)

// enqueueFlags are the fields of a draft.
type enqueueFlags struct {
	file, id, runAt, deadline, dedupeKey, traceParent, group string

	delay, window, wait, within time.Duration
	atomic                      bool
	task                        cli.TaskFlags
	follow                      followFlags
	cmd                         *cobra.Command
}

func newEnqueue(c *cli.Env) *cobra.Command {
	f := &enqueueFlags{}
	cmd := &cobra.Command{
		Use: "enqueue", Short: "Enqueue a task", Args: cobra.NoArgs,
		Long: `Enqueue a task. If the exit code is 0, the task is on disk.

With --file, a JSON object as for POST /v1/tasks is sent unchanged. Several objects in
one file, such as JSON lines, are sent in batches. Exit code 3: some of them were
refused.

If there is no answer, the request is repeated with the same id, which is safe. After 15s
(--within) the command gives up with exit code 7. The task may then have been accepted;
the message contains the id to repeat the command with.

If the queue is full, the command ends at once, also with exit code 7. Nothing was
accepted, and the message says when there may be room. If you set --within, the command
waits that long for room.`,
		Example: `  outlast task enqueue --url https://example.com/hook --payload '{"hello":"world"}' --wait 30s
  outlast task enqueue --type mail.send --payload @mail.json --delay 10m --key customer-7
  outlast task enqueue --type charge --fallback refund --on-success https://example.com/paid
  outlast task enqueue --file tasks.jsonl`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if f.within <= 0 {
				return cli.Usagef("--within must be more than 0")
			}
			if f.wait < 0 {
				return cli.Usagef("--wait must not be negative")
			}
			if f.file != "" {
				return enqueueFile(ctx, c, api, f)
			}
			draft, err := f.read(c)
			if err != nil {
				return err
			}
			return enqueue(ctx, c, api, draft, f)
		}),
	}
	f.cmd = cmd
	f.add(cmd.Flags())
	return cmd
}

func enqueue(ctx context.Context, c *cli.Env, api *client.Client, draft client.Draft, f *enqueueFlags) error {
	var t *client.Task
	var existing bool
	if draft.ID == (task.ID{}) {
		draft.ID = client.NewID()
	}
	err := enqueueWithin(ctx, c, f, "repeat the command with --id "+draft.ID.String(), func(ctx context.Context) (err error) {
		if f.wait > 0 {
			t, err = api.Run(ctx, draft, f.wait)
		} else {
			t, existing, err = api.Enqueue(ctx, draft)
		}
		return err
	})
	switch {
	case f.wait > 0:
		return waited(c, t, err)
	case err != nil:
		return err
	case existing:
		c.Say("this task already existed")
	}
	return taskview.Show(c, t)
}

func (f *enqueueFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "file", "", "file with tasks as JSON, instead of the flags; - for standard input")
	flags.BoolVar(&f.atomic, "atomic", false, "with --file: accept all tasks or none (up to 1000)")
	flags.StringVar(&f.id, "id", "", "id of the task, so that a repeat creates no second task")
	f.task.Add(flags, true)
	flags.DurationVar(&f.delay, "delay", 0, "wait before the first attempt")
	flags.StringVar(&f.runAt, "run-at", "", "time of the first attempt, RFC 3339")
	flags.StringVar(&f.dedupeKey, "dedupe-key", "", "dedupe key: a second task with the same key is not created")
	flags.DurationVar(&f.window, "dedupe-window", 0, "how long the dedupe key applies; default 24h")
	flags.StringVar(&f.deadline, "deadline", "", "time by which all attempts must end, RFC 3339")
	f.follow.add(flags)
	flags.StringVar(&f.group, "task-group", "", "id of the group of tasks to join")
	flags.StringVar(&f.traceParent, "trace-parent", "", "W3C trace context")
	flags.DurationVar(&f.wait, "wait", 0, "wait up to this long for the task to end; exit code 1 if it dies, 7 if it has not ended")
	flags.DurationVar(&f.within, "within", usualWithin, "how long to try until the server accepts the task, not counting --wait; if set, also how long to wait for room in a full queue; with --file, for each batch")
}

// read makes a draft. What is wrong with values is for the server to say.
func (f *enqueueFlags) read(c *cli.Env) (d client.Draft, err error) {
	if f.atomic {
		return d, cli.Usagef("--atomic needs --file")
	}
	if err := f.written(); err != nil {
		return d, err
	}
	if f.task.Absent() {
		return d, cli.Usagef("nothing to do: give --url for an HTTP request, --type for a handler, --group for a worker group, or --file; see outlast task enqueue --help for examples")
	}
	if d.ID, err = cli.FlagID("id", f.id); err != nil {
		return d, err
	}
	if d.Group, err = cli.FlagID("task-group", f.group); err != nil {
		return d, err
	}
	d.Delay, d.DedupeKey, d.DedupeWindow, d.TraceParent = client.Duration(f.delay), f.dedupeKey, client.Duration(f.window), f.traceParent
	err = cli.ReadTimes(cli.GivenTime{Name: "run-at", Text: f.runAt, To: &d.RunAt}, cli.GivenTime{Name: "deadline", Text: f.deadline, To: &d.Deadline})
	if err != nil {
		return d, err
	}
	t, err := f.task.Read(c)
	if err != nil {
		return d, err
	}
	d.Type, d.Queue, d.Payload, d.Priority, d.Key, d.ShareKey, d.Policy, d.Retry = t.Type, t.Queue, t.Payload, t.Priority, t.Key, t.ShareKey, t.Policy, t.Retry
	d.MaxAttempts, d.Timeout, d.TTL, d.Metadata, d.Target = t.MaxAttempts, t.Timeout, t.TTL, t.Metadata, t.Target
	return d, f.follow.read(c, &d)
}

// written refuses a zero that was written out: it would read as absent.
func (f *enqueueFlags) written() error {
	return cli.RefuseZeros(f.cmd.Flags(), []cli.ZeroFlag{
		{Name: "ttl", Path: "ttl", Zero: "0s", Hint: "leave it out for no limit"},
		{Name: "timeout", Path: "timeout", Zero: "0s", Hint: "leave it out for the timeout of the policy"},
		{Name: "dedupe-window", Path: "dedupe_window", Zero: "0s", Hint: "leave it out for 24h"},
		{Name: "key", Path: "key", Zero: "", Hint: "leave it out for no order"},
		{Name: "share-key", Path: "share_key", Zero: "", Hint: "leave it out for none"},
		{Name: "dedupe-key", Path: "dedupe_key", Zero: "", Hint: "leave it out for no deduplication"},
	})
}
