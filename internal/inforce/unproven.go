package inforce

import (
	"fmt"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/task"
)

// Unproven is why a task has to wait: nobody vouches for an object of the store by which
// its policy is found. It goes along what [Policies.Of] goes along.
func (p *Policies) Unproven(t *task.Task) error {
	set := p.set.Load()
	queue, _ := p.queue(t.Queue)
	doubtful := queue.Doubt != nil && !queue.Known
	if !set.Doubtful() && !doubtful || t.Queue == alerts.Queue {
		return nil
	}
	if err := set.Doubt(policy.KindSetting, policy.Retries); err != nil {
		return doubtIn("the setting "+policy.Retries, err)
	}
	if !drafts.Absent(t.Spec.Retry) {
		return nil
	}
	found, err := p.doubted(set, t, t.Policy)
	if found || err != nil {
		return err
	}
	if err := set.Doubt(policy.KindType, t.Type); err != nil {
		return doubtIn("what is said of its type", err)
	}
	names := make([]string, 0, 3)
	if of := set.Type(t.Type); of != nil {
		names = append(names, of.Policy)
	}
	if rules := p.rules(t.Type); rules != nil {
		if rules.Named {
			names = append(names, rules.PolicyName)
		}
		if rules.Policy != nil {
			_, err := p.firstDoubt(set, t, names)
			return err
		}
	}
	if found, err := p.firstDoubt(set, t, names); found || err != nil {
		return err
	}
	if doubtful {
		return doubtIn("the policy of the queue "+task.Quote(t.Queue), queue.Doubt)
	}
	_, err = p.firstDoubt(set, t, []string{queue.Policy, policy.Default})
	return err
}

// firstDoubt is why nobody vouches for the first of the policies that there is, or
// whether there is one.
func (p *Policies) firstDoubt(set *policy.Set, t *task.Task, names []string) (found bool, err error) {
	for _, name := range names {
		if found, err = p.doubted(set, t, name); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// doubted is why nobody vouches for a policy, or whether there is one of the name.
func (p *Policies) doubted(set *policy.Set, t *task.Task, name string) (found bool, err error) {
	if name == "" {
		return false, nil
	}
	if err := set.Doubt(policy.Kind, name); err != nil {
		return false, doubtIn("the policy "+task.Quote(name), err)
	}
	return p.byName(set, name, t.ID) != nil, nil
}

func doubtIn(what string, err error) error {
	return fmt.Errorf("%s in the database is not used: %w; put it again, or vouch for it with outlast config adopt", what, err)
}
