package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// FilterFlags are the filters of lists and of actions by filter.
type FilterFlags struct {
	filter                   client.Filter
	Since, Until             string // times, or how long ago
	diedBefore               string
	failedSince, failedUntil string
}

// Add defines the flags: those of dead letters, or those of tasks.
func (f *FilterFlags) Add(flags *pflag.FlagSet, dead bool) {
	flags.StringVar(&f.filter.Type, "type", "", "tasks of this type")
	flags.StringVar(&f.filter.Queue, "queue", "", "tasks of this queue")
	flags.StringVar(&f.filter.Key, "key", "", "tasks with this ordering key")
	flags.StringVar(&f.filter.Category, "category", "", "category of the last error")
	flags.StringVar(&f.filter.Trace, "trace", "", "trace id")
	flags.StringVar(&f.Since, "since", "", "created since: a time (RFC 3339) or an age, such as 1h")
	flags.StringVar(&f.Until, "until", "", "created before: a time (RFC 3339) or an age, such as 1h")
	flags.StringVar(&f.failedSince, "failed-since", "", "last failed since: a time (RFC 3339) or an age, such as 1h; newest failure first")
	flags.StringVar(&f.failedUntil, "failed-until", "", "last failed before: a time (RFC 3339) or an age, such as 1h")
	flags.StringVar(&f.filter.Target, "target", "", "tasks that call this target")
	flags.IntVar(&f.filter.AttemptMin, "min-attempts", 0, "tasks with at least this many attempts")
	flags.StringToStringVar(&f.filter.Metadata, "metadata", nil, "tasks with this metadata, NAME=VALUE (repeatable; all must match)")
	flags.StringVarP(&f.filter.Q, "search", "q", "", "ordering key, type, or part of the last error's message; in lists also an id or the beginning of one")
	if dead {
		flags.StringVar(&f.filter.Reason, "reason", "", "exhausted, permanent, expired, crash_loop, no_handler or rejected")
		flags.StringVar(&f.filter.Fingerprint, "fingerprint", "", "fingerprint of the last error; see outlast dead groups")
		flags.StringVar(&f.diedBefore, "died-before", "", "died before: a time (RFC 3339) or an age, such as 1h")
	} else {
		flags.StringVar(&f.filter.State, "state", "", "pending, running, succeeded, dead or canceled. Lists also take failed: the newest 1000 tasks that failed in the last hour and have not succeeded since; --failed-since and --failed-until change both bounds")
	}
}

// Read returns the filter, and whether it selects anything less than all.
func (f *FilterFlags) Read(now time.Time) (client.Filter, bool, error) {
	for _, bound := range []struct {
		name, text string
		to         *client.Time
	}{{"since", f.Since, &f.filter.Since}, {"until", f.Until, &f.filter.Until}, {"died-before", f.diedBefore, &f.filter.DiedBefore},
		{"failed-since", f.failedSince, &f.filter.FailedSince}, {"failed-until", f.failedUntil, &f.filter.FailedUntil}} {
		at, err := PastTime(bound.name, bound.text, now)
		if err != nil {
			return f.filter, false, err
		}
		*bound.to = at
	}
	return f.filter, f.filter.State != "" || !f.filter.DeadFilter.IsZero(), nil
}

// PastTime reads a bound: a time, or how long ago; zero for none.
func PastTime(name, text string, now time.Time) (at client.Time, err error) {
	if text == "" {
		return at, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		if ago < 0 && name == "since" {
			return at, Usagef("--since must not be negative: it would be in the future")
		}
		at.Time = now.Add(-ago)
		return at, nil
	}
	if err := at.UnmarshalText([]byte(text)); err != nil {
		return at, Usagef("--%s: %s is neither a time such as 2026-11-20T10:00:00Z nor a duration such as 1h", name, task.Quote(text))
	}
	return at, nil
}
