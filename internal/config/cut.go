package config

import (
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
)

// Cut warns of timeouts that no request has, since push.max_timeout is shorter: those of
// policies, of schedules, and the one for requests that name none.
func (f *File) Cut() (all []Problem) {
	most := time.Duration(f.Push.Longest)
	look := func(path string, timeout time.Duration, rest string) {
		if timeout > most {
			all = append(all, Problem{Path: path, Message: timeout.String() + " is longer than push.max_timeout: requests end after " + most.String() + rest, Hint: "raise push.max_timeout, or answer at once and report later"})
		}
	}
	look("push.timeout", time.Duration(f.Push.Timeout), "")
	for _, name := range slices.Sorted(maps.Keys(f.Policies)) {
		if p := f.Policies[name]; p != nil {
			look(join("policies", name)+".timeout", p.Policy.Timeout(), ", and only handlers and workers have all of it")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Schedules)) {
		s, err := schedules.Parse(store.Object{Name: name, Body: f.Schedules[name].Body})
		if err == nil && s.Task.Target != nil {
			look(join("schedules", name)+".task.timeout", s.Task.Timeout, "")
		}
	}
	f.Place(all)
	return all
}
