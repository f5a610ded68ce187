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
	file, payload, retry, id, runAt, deadline, url, group, path, method, success string
	headers, metadata                                                            []string
	priority, attempts                                                           int
	delay, window, timeout, ttl, wait, within                                    time.Duration
	atomic                                                                       bool
	follow                                                                       followFlags
	draft                                                                        client.Draft
	flags                                                                        *pflag.FlagSet
}

func newEnqueue(c *cli.Env) *cobra.Command {
	f := &enqueueFlags{}
	cmd := &cobra.Command{
		Use: "enqueue", Short: "Enqueue a task", Args: cobra.NoArgs,
		Long: `Enqueue a task. When the command ends with 0, the task is on disk.

With --file, a JSON object in the form of POST /v1/tasks is sent as it stands;
several objects in one file, such as JSON lines, are sent in batches.
Exit code 3: some of several were refused.

A call that got no answer is repeated with the same id, which is safe. After 15s
(--within) the command gives up with exit code 7; it is not known then whether the
task was accepted, and the message has the id to repeat it with.

A full queue is exit code 7 as well, at once, and the message says that nothing was
accepted and when a place may be free. With --within written out, the command waits
for a place for so long.`,
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
	f.flags = cmd.Flags()
	f.add()
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
		c.Say("this task was there already")
	}
	return taskview.Show(c, t)
}

func (f *enqueueFlags) add() {
	flags, d := f.flags, &f.draft
	flags.StringVar(&f.file, "file", "", "JSON drafts from a file, - for standard input, instead of the flags")
	flags.BoolVar(&f.atomic, "atomic", false, "with --file: all or none (up to 1000)")
	flags.StringVar(&f.id, "id", "", "id of the task, so that a repeat finds the first one")
	flags.StringVar(&d.Type, "type", "", "what kind of task this is; http when --url or --group is given")
	flags.StringVar(&d.Queue, "queue", "", "queue, default when absent")
	flags.StringVar(&f.payload, "payload", "", "JSON payload; @FILE reads a file, - standard input")
	flags.DurationVar(&f.delay, "delay", 0, "wait before the first attempt")
	flags.StringVar(&f.runAt, "run-at", "", "time of the first attempt, RFC 3339")
	flags.IntVar(&f.priority, "priority", task.DefaultPriority, "0 (lowest) to 9")
	flags.StringVar(&d.Key, "key", "", "ordering key")
	flags.StringVar(&d.DedupeKey, "dedupe-key", "", "dedupe key")
	flags.DurationVar(&f.window, "dedupe-window", 0, "how long the dedupe key holds, 24h when absent")
	flags.StringVar(&d.Policy, "policy", "", "name of a retry policy")
	flags.StringVar(&f.retry, "retry", "", "inline retry policy as JSON; @FILE reads a file")
	flags.IntVar(&f.attempts, "max-attempts", 0, "attempts, the first included")
	flags.DurationVar(&f.timeout, "timeout", 0, "limit of each attempt")
	flags.StringVar(&f.deadline, "deadline", "", "end of all attempts, RFC 3339")
	flags.DurationVar(&f.ttl, "ttl", 0, "the same, counted from now")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "NAME=VALUE (repeatable)")
	flags.StringVar(&f.url, "url", "", "URL to call")
	flags.StringVar(&f.group, "group", "", "worker group whose member gets the request, instead of --url")
	flags.StringVar(&f.path, "path", "", "with --group: path at the member, such as /send")
	flags.StringVar(&f.method, "method", "", "method of the call, POST when absent")
	flags.StringArrayVar(&f.headers, "header", nil, "'Name: value' of the call (repeatable); visible in process lists: put secrets into --file")
	flags.StringVar(&f.success, "success", "", "CEL over status, headers and body that decides whether an answer is a success, such as 'body.code == 0'; 2xx when absent")
	f.follow.add(flags)
	flags.StringVar(&d.TraceParent, "trace-parent", "", "W3C trace context")
	flags.DurationVar(&f.wait, "wait", 0, "wait this long for the end; exit code 1 if the task dies, 7 if it has not ended")
	flags.DurationVar(&f.within, "within", usualWithin, "give up when the server has not accepted the task by then, repeats included; beside --wait. Written out, it is also how long to wait for a place in a full queue. With --file: for each batch")
}

// read makes a draft. What is wrong with values is for the server to say.
func (f *enqueueFlags) read(c *cli.Env) (client.Draft, error) {
	d := f.draft
	if f.atomic {
		return d, cli.Usagef("--atomic is for --file")
	}
	if err := f.written(); err != nil {
		return d, err
	}
	if d.Type == "" && f.url == "" && f.group == "" {
		return d, cli.Usagef("say what is to be done: --url for an HTTP request, --type for a handler, --group for a worker group, or --file; outlast task enqueue --help has examples")
	}
	d.Delay, d.DedupeWindow, d.Timeout, d.TTL = client.Duration(f.delay), client.Duration(f.window), client.Duration(f.timeout), client.Duration(f.ttl)
	if f.flags.Changed("priority") {
		d.Priority = &f.priority
	}
	if f.flags.Changed("max-attempts") {
		d.MaxAttempts = &f.attempts
	}
	var err error
	if f.id != "" {
		if d.ID, err = cli.ParseID(f.id); err != nil {
			return d, err
		}
	}
	for _, at := range []struct {
		name, text string
		to         *client.Time
	}{{"run-at", f.runAt, &d.RunAt}, {"deadline", f.deadline, &d.Deadline}} {
		if at.text != "" {
			if err := at.to.UnmarshalText([]byte(at.text)); err != nil {
				return d, cli.Usagef("--%s: %s", at.name, err)
			}
		}
	}
	if d.Payload, err = c.ReadJSON("payload", f.payload); err != nil {
		return d, err
	}
	if d.Retry, err = c.ReadJSON("retry", f.retry); err != nil {
		return d, err
	}
	if err = f.follow.read(c, &d); err != nil {
		return d, err
	}
	if d.Metadata, err = cli.Pairs("metadata", "=", f.metadata); err != nil {
		return d, err
	}
	if f.url != "" || f.group != "" || f.path != "" || f.method != "" || f.success != "" || len(f.headers) > 0 {
		d.Target = &client.Target{URL: f.url, Group: f.group, Path: f.path, Method: f.method, Success: f.success}
		d.Target.Headers, err = cli.Pairs("header", ":", f.headers)
	}
	return d, err
}

// written refuses a zero that was written out: it would read as absent.
func (f *enqueueFlags) written() error {
	return cli.RefuseZeros(f.flags, []cli.ZeroFlag{
		{Name: "ttl", Path: "ttl", Zero: "0s", Hint: "leave it out for no limit"},
		{Name: "timeout", Path: "timeout", Zero: "0s", Hint: "leave it out for the policy's own"},
		{Name: "dedupe-window", Path: "dedupe_window", Zero: "0s", Hint: "leave it out for 24h"},
		{Name: "key", Path: "key", Zero: "", Hint: "leave it out for no order"},
		{Name: "dedupe-key", Path: "dedupe_key", Zero: "", Hint: "leave it out for no deduplication"},
	})
}
