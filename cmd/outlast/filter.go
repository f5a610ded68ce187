package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// filterFlags are the filters of lists and of actions by filter.
type filterFlags struct {
	filter       client.Filter
	since, until string
}

func (f *filterFlags) add(flags *pflag.FlagSet, dead bool) {
	flags.StringVar(&f.filter.Type, "type", "", "tasks of this type")
	flags.StringVar(&f.filter.Queue, "queue", "", "tasks of this queue")
	flags.StringVar(&f.filter.Key, "key", "", "tasks with this ordering key")
	flags.StringVar(&f.filter.Category, "category", "", "category of the last error")
	flags.StringVar(&f.filter.Trace, "trace", "", "trace id")
	flags.StringVar(&f.since, "since", "", "created at or after: a time (RFC 3339), or how long ago (1h)")
	flags.StringVar(&f.until, "until", "", "created before: a time (RFC 3339), or how long ago (1h)")
	if dead {
		flags.StringVar(&f.filter.Reason, "reason", "", "exhausted, permanent, expired, crash_loop, no_handler or rejected")
		flags.StringVar(&f.filter.Fingerprint, "fingerprint", "", "fingerprint of the last error, see dead groups")
	} else {
		flags.StringVar(&f.filter.State, "state", "", "pending, running, succeeded, dead or canceled")
	}
}

// read returns the filter, and whether it selects anything less than all.
func (f *filterFlags) read(now time.Time) (client.Filter, bool, error) {
	for _, bound := range []struct {
		name, text string
		to         *client.Time
	}{{"since", f.since, &f.filter.Since}, {"until", f.until, &f.filter.Until}} {
		if bound.text == "" {
			continue
		}
		if ago, err := time.ParseDuration(bound.text); err == nil {
			bound.to.Time = now.Add(-ago)
		} else if err := bound.to.UnmarshalText([]byte(bound.text)); err != nil {
			return f.filter, false, usage("--%s: %s is neither a time such as 2026-11-20T10:00:00Z nor a duration such as 1h", bound.name, task.Quote(bound.text))
		}
	}
	return f.filter, f.filter != client.Filter{}, nil
}
