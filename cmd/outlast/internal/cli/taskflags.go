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
		flags.StringVar(&to.Group, "group", "", "worker group that gets the request, instead of --url")
		flags.StringVar(&to.Path, "path", "", "with --group: path on the member, such as /send")
	}
	flags.StringVar(&t.Type, "type", "", "type of the task, which selects its handler; default http with "+asHTTP)
	flags.StringVar(&t.Queue, "queue", "", "queue; the default is named default")
	flags.StringVar(&f.payload, "payload", "", "JSON payload; @FILE reads a file, - standard input")
	flags.IntVar(&f.priority, "priority", task.DefaultPriority, "priority, 0 (lowest) to 9")
	flags.StringVar(&t.Key, "key", "", "ordering key: tasks with the same key run one after another")
	flags.StringVar(&t.ShareKey, "share-key", "", "owner of the task, such as a customer; share keys take turns")
	flags.StringVar(&t.Policy, "policy", "", "name of a retry policy")
	flags.StringVar(&f.retry, "retry", "", "inline retry policy as JSON; @FILE reads a file")
	flags.IntVar(&f.attempts, "max-attempts", 0, "maximum number of attempts, including the first")
	flags.DurationVar(&f.timeout, "timeout", 0, "time limit for each attempt")
	flags.DurationVar(&f.ttl, "ttl", 0, "time limit for all attempts together, from acceptance")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "metadata, NAME=VALUE (repeatable)")
	flags.StringVar(&to.URL, "url", "", "URL to call")
	flags.StringVar(&to.Method, "method", "", "HTTP method; default POST")
	flags.StringArrayVar(&f.headers, "header", nil, "HTTP header, 'Name: value' (repeatable). Process lists show it: put secrets into --file")
	flags.StringVar(&to.Success, "success", "", "CEL condition on status, headers and body that makes a response a success, such as 'body.code == 0'; default is any 2xx")
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
