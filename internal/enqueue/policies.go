package enqueue

import (
	"cmp"
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// ReadPolicies are the policies as they are in the store now.
func (e *Enqueuer) ReadPolicies(ctx context.Context) (*policy.Set, error) {
	objects, err := e.backend.Objects(ctx, policy.Kind)
	if err != nil {
		return nil, err
	}
	set, _ := policy.NewSet(objects, e.policies.Set()) // what is unreadable was logged when it came
	return set, nil
}

// policiesFor completes a draft by what is said of its type, and returns the
// policies that it may name. One that is not known is looked for in the store, but
// not at every call.
func (e *Enqueuer) policiesFor(ctx context.Context, d *drafts.Draft) *policy.Set {
	set := e.policies.Set()
	if d.Policy != "" && unknown(set, d.Policy) && e.refreshed.Allow(200*time.Millisecond) && e.engine.Refresh(ctx) == nil {
		set = e.policies.Set()
	}
	if d.Queue == "" {
		if of := set.Type(d.Type); of != nil {
			d.Queue = of.Queue
		}
	}
	return set
}

func unknown(set *policy.Set, name string) bool {
	if set.Find(name) != nil {
		return false
	}
	_, preset := retry.DescribePreset(name)
	return !preset && policy.CheckName(name) == nil
}

// CheckPolicy checks the names that a policy takes from elsewhere. It may name itself.
func (e *Enqueuer) CheckPolicy(ctx context.Context, made *policy.Policy) error {
	wrong := accept.Complaints{Channel: e.channels(ctx), Calls: e.calls(ctx)}
	if !drafts.Absent(made.Alert) {
		wrong.Alert("alert", made.Alert)
	}
	if follow := made.Fallback; follow != nil {
		if follow.Queue != "" {
			e.QueueOf(ctx, &wrong, "fallback.queue", follow.Queue)
		}
		if follow.HTTP != nil {
			wrong.CallableText("fallback.target.url", cmp.Or(follow.Queue, task.DefaultQueue), follow.HTTP.URL)
		}
		if follow.Policy != "" && follow.Policy != made.Name {
			kept, err := e.ReadPolicies(ctx)
			if err != nil {
				return err
			}
			wrong.Policies = kept
			wrong.PolicyName("fallback.policy", follow.Policy)
		}
	}
	return wrong.Err("the policy is invalid")
}
