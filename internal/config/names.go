package config

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Doubts looks at the names that the file takes from elsewhere without the database,
// which may have them: serve refuses the file unless somebody has put them. One that
// is nearly a name that is known is told with that one.
func (f *File) Doubts() (unsure []Problem) {
	doubt := func(what, path, name, near, put string) {
		p := Problem{Path: path, Message: "the " + what + " " + task.Quote(name) + " is not in the file: serve refuses the file unless it was created by " + put}
		if near != "" {
			p.Hint = "did you mean " + near + "?"
		}
		unsure = append(unsure, p)
	}
	f.Names(func(path, name string) { doubt("policy", path, name, f.nearestPolicy(name), "outlast policy apply") })
	f.followQueues(func(path, name string) {
		doubt("queue", path, name, hints.Nearest(name, f.knownQueues(nil)), "outlast queue create")
	})
	channels := append(slices.Sorted(maps.Keys(f.Alerts.Channels)), alerts.LogChannel)
	f.Channels(func(path, name string) {
		doubt("channel", path, name, hints.Nearest(name, channels), "outlast alert put-channel")
	})
	f.Place(unsure)
	return unsure
}

// Past are the schedules of the file whose only time has gone by. They are no
// mistake: a file stays as it is after they have run.
func (f *File) Past(now time.Time) (all []Problem) {
	for _, name := range slices.Sorted(maps.Keys(f.Schedules)) {
		s, err := schedules.Parse(store.Object{Name: name, Body: f.Schedules[name].Body})
		if err == nil && !s.At.IsZero() && s.At.Before(now) {
			all = append(all, Problem{Path: join("schedules", name) + ".at", Message: s.At.UTC().Format(time.RFC3339) + " is in the past: a new schedule would never run",
				Hint: "remove it, or give a time in the future"})
		}
	}
	f.Place(all)
	return all
}

// followQueues calls each with the place of every queue of a fallback or schedule that
// the file itself does not have.
func (f *File) followQueues(each func(path, name string)) {
	known := f.knownQueues(nil)
	ask := func(path, name string) {
		if name != "" && !slices.Contains(known, name) {
			each(path+".queue", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Policies)) {
		if p := f.Policies[name]; p != nil && p.Fallback != nil {
			ask(join("policies", name)+".fallback", p.Fallback.Queue)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Schedules)) {
		s, err := schedules.Parse(store.Object{Name: name, Body: f.Schedules[name].Body})
		if err != nil {
			continue // it was read from what was checked
		}
		at := join("schedules", name) + ".task"
		ask(at, s.Task.Queue)
		for key, follow := range map[string]*task.Follow{"fallback": s.Task.Fallback, "on_success": s.Task.OnSuccess, "on_dead": s.Task.OnDead} {
			if follow != nil {
				ask(join(at, key), follow.Queue)
			}
		}
	}
}

// knownQueues are the queues for tasks, those of the file and what every store has
// included.
func (f *File) knownQueues(kept []store.Queue) []string {
	known := append(slices.Sorted(maps.Keys(f.Queues)), task.DefaultQueue)
	for i := range kept {
		known = append(known, kept[i].Name)
	}
	return slices.DeleteFunc(known, func(name string) bool { return name == alerts.Queue })
}

// checkQueues finds the queues of fallbacks and schedules that nobody has. It reads those that are
// there only for a file that names one beside its own.
func (f *File) checkQueues(ctx context.Context, backend store.Config) (wrong []Problem, err error) {
	var asked bool
	f.followQueues(func(string, string) { asked = true })
	if !asked {
		return nil, nil
	}
	kept, err := backend.Queues(ctx)
	if err != nil {
		return nil, err
	}
	known := f.knownQueues(kept)
	f.followQueues(func(path, name string) {
		if slices.Contains(known, name) {
			return
		}
		hint := "name one of the file, or create it first: outlast queue create"
		if near := hints.Nearest(name, known); near != "" {
			hint = "did you mean " + near + "?"
		}
		wrong = append(wrong, Problem{Path: path, Message: "there is no queue " + task.Quote(name), Hint: hint})
	})
	return wrong, nil
}
