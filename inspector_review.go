package outlast

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// ReviewPolicies looks over the policies that were put and the types: those of which
// the configuration says something, and those with a handler on this node. What other
// applications say of their own handlers is not known here. A client that has not
// started reads everything now.
func (i *Inspector) ReviewPolicies(ctx context.Context) (*policy.Review, error) {
	c := i.client
	if c.state.Load() == opened {
		if err := errors.Join(c.engine.Refresh(ctx), c.configure(ctx), c.alerts.Load(ctx)); err != nil {
			return nil, err
		}
	}
	set, found := c.registry.set.Load(), &policy.Review{}
	for _, p := range set.Policies() {
		c.registry.review(found, "policy/"+p.Name, &task.Task{Queue: task.DefaultQueue, Policy: p.Name})
	}
	types := append(set.Types(), slices.Collect(maps.Keys(*c.registry.handlers.Load()))...)
	slices.Sort(types)
	for _, name := range slices.Compact(types) {
		if alert.IsType(name) {
			continue
		}
		t := &task.Task{Queue: task.DefaultQueue, Type: name, Target: name}
		if of := set.Type(name); of != nil && of.Queue != "" {
			t.Queue = of.Queue
		}
		c.registry.review(found, "type/"+name, t)
	}
	return found, nil
}

// review looks at what would hold for a task.
func (r *registry) review(found *policy.Review, name string, t *task.Task) {
	chosen, _, err := r.policyOf(t)
	if err != nil {
		return // only inline policies can be unreadable
	}
	if chosen.MaxAttempts() == 1 && !r.set.Load().Off() {
		found.Once = append(found.Once, name)
	}
	if chosen.Timeout() == 0 {
		found.Endless = append(found.Endless, name)
	}
	now := time.Now()
	death := &store.Settlement{
		Task: t, Outcome: task.OutcomeDead, DeadReason: task.Exhausted, StartedAt: now, EndedAt: now,
		Failure: &task.Failure{Category: string(retry.Unknown), At: now},
	}
	if !r.client.alerts.Tells(death, chosen.MaxAttempts(), r.alertOf(t)) {
		found.Silent = append(found.Silent, name)
	}
}
