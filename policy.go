package outlast

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostPolicies bounds the cache of parsed inline policies. Callers usually
// send few different ones; when there are more, the cache starts over.
const mostPolicies = 1024

// policyCache keeps parsed policies by their text.
type policyCache struct {
	mu     sync.RWMutex
	parsed map[string]*retry.Policy
}

func (c *policyCache) find(text string) *retry.Policy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.parsed[text]
}

func (c *policyCache) keep(text string, policy *retry.Policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil || len(c.parsed) >= mostPolicies {
		c.parsed = make(map[string]*retry.Policy)
	}
	c.parsed[text] = policy
}

// clear forgets everything.
func (c *policyCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parsed = nil
}

// parseRetry reads an inline policy.
func parseRetry(raw json.RawMessage) (*retry.Policy, error) {
	spec, err := retry.ParseSpec(raw)
	if err != nil {
		return nil, err
	}
	if len(spec.Canary) > 0 {
		return nil, policy.NoCanary()
	}
	return spec.Policy()
}

// inlinePolicy is the name under which people see a policy that came with
// the task.
const inlinePolicy = "inline"

// policyOf finds the policy that holds for a task, and its name: the inline
// one, the task's, its type's, its queue's, the default, in this order. A name
// that means nothing any more is passed over.
func (r *registry) policyOf(t *task.Task) (chosen *retry.Policy, name string, err error) {
	set := r.set.Load()
	if !absent(t.Spec.Retry) {
		if chosen, err = r.inlined(t.Spec.Retry); err != nil {
			return nil, inlinePolicy, err
		}
		if isInternal(t.Queue) { // told also where retries are off
			return chosen, inlinePolicy, nil
		}
		return set.Effective(chosen, nil), inlinePolicy, nil
	}
	if t.Policy != "" {
		if chosen = r.byName(set, t.Policy, t.ID); chosen != nil {
			return set.Effective(chosen, nil), t.Policy, nil
		}
	}
	of := set.Type(t.Type)
	chosen, name = r.usual(set, of, t)
	return set.Effective(chosen, of), name, nil
}

// usual is the policy of a task that names none.
func (r *registry) usual(set *policy.Set, of *policy.Type, t *task.Task) (*retry.Policy, string) {
	if of != nil {
		if chosen := r.byName(set, of.Policy, t.ID); chosen != nil {
			return chosen, of.Policy
		}
	}
	if h := r.lookup(t.Type); h != nil {
		if h.rules.named {
			if chosen := r.byName(set, h.rules.policyName, t.ID); chosen != nil {
				return chosen, h.rules.policyName
			}
		}
		if h.rules.policy != nil {
			return h.rules.policy, h.rules.policyName
		}
	}
	if queue, ok := r.client.engine.Queue(t.Queue); ok && queue.Policy != "" {
		if chosen := r.byName(set, queue.Policy, t.ID); chosen != nil {
			return chosen, queue.Policy
		}
	}
	return set.Standard(t.ID), policy.Default
}

func (r *registry) inlined(raw json.RawMessage) (*retry.Policy, error) {
	if known := r.inline.find(string(raw)); known != nil {
		return known, nil
	}
	made, err := parseRetry(raw)
	if err == nil {
		r.inline.keep(string(raw), made)
	}
	return made, err
}

// byName is the policy that was put under a name, else the preset, nil for no
// name and for one that means nothing. Of a policy with a canary it is the version
// that holds for the task.
func (r *registry) byName(set *policy.Set, name string, id task.ID) *retry.Policy {
	switch name {
	case "":
		return nil
	case policy.Default:
		return set.Standard(id)
	}
	if kept := set.For(name, id); kept != nil {
		return kept.Policy
	}
	if known := r.presets.find(name); known != nil {
		return known
	}
	if r.missing.find(name) != nil {
		return nil
	}
	made, err := retry.Preset(name)
	if err != nil {
		r.missing.keep(name, set.Standard(id))
		r.client.logger.Warn("policy.missing", "policy", name, "instead", "what the type, the queue or the default says")
		return nil
	}
	r.presets.keep(name, made)
	return made
}

// unproven is why a task has to wait: nobody vouches for an object of the store by which
// its policy is found. It goes along what [registry.policyOf] goes along.
func (r *registry) unproven(t *task.Task) error {
	set := r.set.Load()
	queue, _ := r.client.engine.Queue(t.Queue)
	doubtful := queue.Doubt != nil && !queue.Known
	if !set.Doubtful() && !doubtful || isInternal(t.Queue) {
		return nil
	}
	if err := set.Doubt(policy.KindSetting, policy.Retries); err != nil {
		return doubtIn("the setting "+policy.Retries, err)
	}
	if !absent(t.Spec.Retry) {
		return nil
	}
	found, err := r.doubted(set, t, t.Policy)
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
	if h := r.lookup(t.Type); h != nil {
		if h.rules.named {
			names = append(names, h.rules.policyName)
		}
		if h.rules.policy != nil {
			_, err := r.firstDoubt(set, t, names)
			return err
		}
	}
	if found, err := r.firstDoubt(set, t, names); found || err != nil {
		return err
	}
	if doubtful {
		return doubtIn("the policy of the queue "+task.Quote(t.Queue), queue.Doubt)
	}
	_, err = r.firstDoubt(set, t, []string{queue.Policy, policy.Default})
	return err
}

// firstDoubt is why nobody vouches for the first of the policies that there is, or
// whether there is one.
func (r *registry) firstDoubt(set *policy.Set, t *task.Task, names []string) (found bool, err error) {
	for _, name := range names {
		if found, err = r.doubted(set, t, name); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// doubted is why nobody vouches for a policy, or whether there is one of the name.
func (r *registry) doubted(set *policy.Set, t *task.Task, name string) (found bool, err error) {
	if name == "" {
		return false, nil
	}
	if err := set.Doubt(policy.Kind, name); err != nil {
		return false, doubtIn("the policy "+task.Quote(name), err)
	}
	return r.byName(set, name, t.ID) != nil, nil
}

func doubtIn(what string, err error) error {
	return fmt.Errorf("%s in the database is not used: %w; put it again, or vouch for it with outlast config adopt", what, err)
}

// Fallback implements [engine.Registry].
func (r *registry) Fallback(t *task.Task) *task.Follow {
	chosen, name, err := r.policyOf(t)
	if err != nil || chosen.Version() == 0 {
		return nil
	}
	if t.Policy != "" && t.Policy != name && r.client.sealing.Seals() {
		return nil // what it names is gone, perhaps by the hand of who writes to the database: it follows no other
	}
	if kept := r.set.Load().For(name, t.ID); kept != nil {
		return kept.Fallback
	}
	return nil
}

// configure reads the objects of the store and lets them hold here.
func (c *Client) configure(ctx context.Context) error {
	var objects []store.Object
	for _, kind := range policy.Kinds {
		some, err := c.backend.Objects(ctx, kind)
		if err != nil {
			return err
		}
		objects = append(objects, some...)
	}
	c.registry.take(objects)
	return c.seeKeys(ctx)
}

// take lets the policies among the objects hold here. What cannot be read changes
// nothing and is logged.
func (r *registry) take(objects []store.Object) {
	set, problems := policy.NewSet(objects, r.set.Load())
	r.set.Store(set)
	r.missing.clear()
	for _, problem := range problems {
		r.client.logger.Error("policy.unreadable", "error", problem)
	}
}

// readPolicies are the policies as they are in the store now.
func (c *Client) readPolicies(ctx context.Context) (*policy.Set, error) {
	objects, err := c.backend.Objects(ctx, policy.Kind)
	if err != nil {
		return nil, err
	}
	set, _ := policy.NewSet(objects, c.registry.set.Load()) // what is unreadable was logged when it came
	return set, nil
}

// policiesFor completes a draft by what is said of its type, and returns the
// policies that it may name. One that is not known is looked for in the store, but
// not at every call.
func (c *Client) policiesFor(ctx context.Context, d *Draft) *policy.Set {
	set := c.registry.set.Load()
	if d.Policy != "" && unknown(set, d.Policy) && c.refreshed.allow(200*time.Millisecond) && c.engine.Refresh(ctx) == nil {
		set = c.registry.set.Load()
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

// checkPolicy checks the names that a policy takes from elsewhere. It may name itself.
func (c *Client) checkPolicy(ctx context.Context, made *policy.Policy) error {
	wrong := accept.Complaints{Channel: c.channelFor(ctx), Calls: c.callsOf(ctx)}
	if !absent(made.Alert) {
		wrong.Alert("alert", made.Alert)
	}
	if follow := made.Fallback; follow != nil {
		if follow.Queue != "" {
			c.queueOf(ctx, &wrong, "fallback.queue", follow.Queue)
		}
		if follow.HTTP != nil {
			wrong.CallableText("fallback.target.url", cmp.Or(follow.Queue, task.DefaultQueue), follow.HTTP.URL)
		}
		if follow.Policy != "" && follow.Policy != made.Name {
			kept, err := c.readPolicies(ctx)
			if err != nil {
				return err
			}
			wrong.Policies = kept
			wrong.PolicyName("fallback.policy", follow.Policy)
		}
	}
	return wrong.Err("the policy is invalid")
}
