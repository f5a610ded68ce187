package inspector

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostRecent is how many of the newest tasks are looked at for types of which nothing
// else is known.
const mostRecent = 100

func (ps *Policies) Review(ctx context.Context) (*inspect.PolicyReview, error) {
	if err := ps.node.Policies.Load(ctx); err != nil {
		return nil, err
	}
	recent, err := ps.recentTypes(ctx)
	if err != nil {
		return nil, err
	}
	set, found := ps.node.Policies.Set(), &inspect.PolicyReview{}
	var policies []string
	for _, p := range set.Policies() {
		policies = append(policies, p.Name)
	}
	builtin := !slices.Contains(policies, policy.Default)
	if builtin {
		policies = append(policies, policy.Default)
	}
	slices.Sort(policies)
	for _, name := range policies {
		ps.review(found, "policy/"+name, &task.Task{Queue: task.DefaultQueue, Policy: name})
	}
	if builtin { // types that follow it are named all the same
		found.Endless = slices.DeleteFunc(found.Endless, func(name string) bool { return name == "policy/"+policy.Default })
	}
	for _, name := range set.Types() {
		recent[name] = usualTask(name, set.Type(name).Queue)
	}
	for _, name := range ps.node.Policies.Types() {
		if set.Type(name) == nil {
			recent[name] = usualTask(name, "")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(recent)) {
		if !alerts.IsType(name) {
			ps.review(found, "type/"+name, recent[name])
		}
	}
	return found, nil
}

// usualTask is one of a type that says nothing itself.
func usualTask(name, queue string) *task.Task {
	return &task.Task{Queue: cmp.Or(queue, task.DefaultQueue), Type: name, Target: name}
}

// recentTypes are the newest tasks by type, the newest of each.
func (ps *Policies) recentTypes(ctx context.Context) (map[string]*task.Task, error) {
	tasks, _, err := ps.node.Backend.Find(ctx, store.Filter{}, store.Page{Limit: mostRecent, Bare: true})
	newest := map[string]*task.Task{}
	for _, t := range tasks {
		if newest[t.Type] == nil {
			newest[t.Type] = t
		}
	}
	return newest, err
}

// review looks at what would hold for a task.
func (ps *Policies) review(found *inspect.PolicyReview, name string, t *task.Task) {
	chosen, _, err := ps.node.Policies.Of(t)
	if err != nil {
		return // only inline policies can be unreadable
	}
	attempts, off := chosen.MaxAttempts(), ps.node.Policies.Set().Off()
	if t.Spec.MaxAttempts > 0 && !off {
		attempts = t.Spec.MaxAttempts
	}
	if attempts == 1 && !off {
		found.Once = append(found.Once, name)
	}
	if chosen.Timeout() == 0 && t.Spec.Timeout == 0 && t.Spec.HTTP == nil {
		found.Endless = append(found.Endless, name)
	}
	if ps.diesInSilence(t, attempts) {
		found.Silent = append(found.Silent, name)
	}
}

// diesInSilence reports whether there is a reason for which the task can die and nobody
// is told.
func (ps *Policies) diesInSilence(t *task.Task, attempts int) bool {
	now, own := time.Now(), ps.node.Policies.Alert(t)
	return slices.ContainsFunc(task.DeadReasons[:], func(reason task.DeadReason) bool {
		category := retry.Unknown
		if reason == task.Permanent {
			category = retry.Permanent
		}
		return !ps.node.Alerts.Events.Tells(&store.Settlement{
			Task: t, Outcome: task.OutcomeDead, DeadReason: reason, StartedAt: now, EndedAt: now,
			Failure: &task.Failure{Category: string(category), At: now},
		}, attempts, own)
	})
}
