package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// TaskFlags are what a task is and does, for every command that makes tasks.
type TaskFlags struct {
	Flags *pflag.FlagSet // of the command

	task               client.ScheduledTask
	target             client.Target
	payload, retry     string
	headers, metadata  []string
	priority, attempts int
	timeout, ttl       time.Duration
}

// Add defines the flags. With groups, a worker group may take the request.
func (f *TaskFlags) Add(flags *pflag.FlagSet, groups bool) {
	f.Flags = flags
	t, to := &f.task, &f.target
	asHTTP := "--url"
	if groups {
		asHTTP = "--url or --group"
		flags.StringVar(&to.Group, "group", "", "worker group whose member gets the request, instead of --url")
		flags.StringVar(&to.Path, "path", "", "with --group: path at the member, such as /send")
	}
	flags.StringVar(&t.Type, "type", "", "what kind of task this is; http when "+asHTTP+" is given")
	flags.StringVar(&t.Queue, "queue", "", "queue, default when absent")
	flags.StringVar(&f.payload, "payload", "", "JSON payload; @FILE reads a file, - standard input")
	flags.IntVar(&f.priority, "priority", task.DefaultPriority, "0 (lowest) to 9")
	flags.StringVar(&t.Key, "key", "", "ordering key")
	flags.StringVar(&t.ShareKey, "share-key", "", "whose the task is, such as a customer; starts go round the share keys")
	flags.StringVar(&t.Policy, "policy", "", "name of a retry policy")
	flags.StringVar(&f.retry, "retry", "", "inline retry policy as JSON; @FILE reads a file")
	flags.IntVar(&f.attempts, "max-attempts", 0, "attempts, the first included")
	flags.DurationVar(&f.timeout, "timeout", 0, "limit of each attempt")
	flags.DurationVar(&f.ttl, "ttl", 0, "limit of all attempts together, from when the task is accepted")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "NAME=VALUE (repeatable)")
	flags.StringVar(&to.URL, "url", "", "URL to call")
	flags.StringVar(&to.Method, "method", "", "method of the call, POST when absent")
	flags.StringArrayVar(&f.headers, "header", nil, "'Name: value' of the call (repeatable); visible in process lists: put secrets into --file")
	flags.StringVar(&to.Success, "success", "", "CEL over status, headers and body that decides whether an answer is a success, such as 'body.code == 0'; 2xx when absent")
}

// Absent reports whether no flag says what is to be done.
func (f *TaskFlags) Absent() bool {
	return f.task.Type == "" && f.target.URL == "" && f.target.Group == ""
}

// Read returns the task. What is wrong with values is for the server to say.
func (f *TaskFlags) Read(c *Env) (t client.ScheduledTask, err error) {
	t = f.task
	t.Timeout, t.TTL = client.Duration(f.timeout), client.Duration(f.ttl)
	if f.Flags.Changed("priority") {
		t.Priority = &f.priority
	}
	if f.Flags.Changed("max-attempts") {
		t.MaxAttempts = &f.attempts
	}
	if t.Payload, err = c.ReadJSON("payload", f.payload); err != nil {
		return t, err
	}
	if t.Retry, err = c.ReadJSON("retry", f.retry); err != nil {
		return t, err
	}
	if t.Metadata, err = Pairs("metadata", "=", f.metadata); err != nil {
		return t, err
	}
	to := f.target
	if to.Headers, err = Pairs("header", ":", f.headers); err != nil {
		return t, err
	}
	if to.URL != "" || to.Group != "" || to.Path != "" || to.Method != "" || to.Success != "" || len(to.Headers) > 0 {
		t.Target = &to
	}
	return t, nil
}

// GivenTime is the text of a flag that is a time.
type GivenTime struct {
	Name, Text string
	To         *client.Time
}

// ReadTimes reads those that are given.
func ReadTimes(times ...GivenTime) error {
	for _, at := range times {
		if at.Text != "" {
			if err := at.To.UnmarshalText([]byte(at.Text)); err != nil {
				return Usagef("--%s: %s", at.Name, err)
			}
		}
	}
	return nil
}
