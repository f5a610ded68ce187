package outlast

import (
	"encoding/json"
	"sync"

	"github.com/outlast-dev/outlast/retry"
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

// parseRetry reads an inline policy.
func parseRetry(raw json.RawMessage) (*retry.Policy, error) {
	spec, err := retry.ParseSpec(raw)
	if err != nil {
		return nil, err
	}
	return spec.Policy()
}

// namedPolicy returns the policy of a name; today these are the presets.
func namedPolicy(name string) (*retry.Policy, error) { return retry.Preset(name) }

// defaultPolicy is that of tasks for which nothing names one.
const defaultPolicy = "default"

// inlinePolicy is the name under which people see a policy that came with
// the task.
const inlinePolicy = "inline"

// policyOf finds the policy that holds for a task, and its name: the inline
// one, the task's, its type's, its queue's, the default, in this order.
func (r *registry) policyOf(t *task.Task) (policy *retry.Policy, name string, err error) {
	if !absent(t.Spec.Retry) {
		policy, err = r.inlined(t.Spec.Retry)
		return policy, inlinePolicy, err
	}
	name = t.Policy
	if name == "" {
		if h := r.lookup(t.Type); h != nil && h.rules.policy != nil {
			return h.rules.policy, h.rules.policyName, nil
		}
		if queue, ok := r.client.engine.Queue(t.Queue); ok {
			name = queue.Policy
		}
	}
	if name == "" || name == defaultPolicy {
		return r.standard, defaultPolicy, nil
	}
	policy, err = r.byName(name)
	return policy, name, err
}

func (r *registry) inlined(raw json.RawMessage) (*retry.Policy, error) {
	if known := r.inline.find(string(raw)); known != nil {
		return known, nil
	}
	policy, err := parseRetry(raw)
	if err == nil {
		r.inline.keep(string(raw), policy)
	}
	return policy, err
}

func (r *registry) byName(name string) (*retry.Policy, error) {
	if known := r.named.find(name); known != nil {
		return known, nil
	}
	policy, err := namedPolicy(name)
	if err == nil {
		r.named.keep(name, policy)
	}
	return policy, err
}
