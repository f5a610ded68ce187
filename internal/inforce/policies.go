// Package inforce finds the policy that is in force for a task, and what that says beyond
// retries.
package inforce

import (
	"encoding/json"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Config is what policies are found by.
type Config struct {
	Rules  func(taskType string) *handlers.Rules // those of the handler here, nil for none
	Queue  func(name string) (store.Queue, bool) // one of the topology
	Seals  func() bool                           // whether this node encrypts
	Logger *slog.Logger
}

// Policies are those that hold on one node. They are safe for concurrent use.
type Policies struct {
	rules   func(taskType string) *handlers.Rules
	queue   func(name string) (store.Queue, bool)
	seals   func() bool
	logger  *slog.Logger
	set     atomic.Pointer[policy.Set]
	inline  cache
	presets cache
	missing cache // names that mean nothing, of which was told
}

// New makes policies of which none was put so far.
func New(config Config) *Policies {
	p := &Policies{rules: config.Rules, queue: config.Queue, seals: config.Seals, logger: config.Logger}
	set, _ := policy.NewSet(nil, nil)
	p.set.Store(set)
	return p
}

// Set are the policies that were put and hold here.
func (p *Policies) Set() *policy.Set { return p.set.Load() }

// Of finds the policy that holds for a task, and its name: the inline
// one, the task's, its type's, its queue's, the default, in this order. A name
// that means nothing any more is passed over.
func (p *Policies) Of(t *task.Task) (chosen *retry.Policy, name string, err error) {
	set := p.set.Load()
	if !drafts.Absent(t.Spec.Retry) {
		if chosen, err = p.inlined(t.Spec.Retry); err != nil {
			return nil, handlers.Inline, err
		}
		if t.Queue == alerts.Queue { // told also where retries are off
			return chosen, handlers.Inline, nil
		}
		return set.Effective(chosen, nil), handlers.Inline, nil
	}
	if t.Policy != "" {
		if chosen = p.byName(set, t.Policy, t.ID); chosen != nil {
			return set.Effective(chosen, nil), t.Policy, nil
		}
	}
	of := set.Type(t.Type)
	chosen, name = p.usual(set, of, t)
	return set.Effective(chosen, of), name, nil
}

// usual is the policy of a task that names none.
func (p *Policies) usual(set *policy.Set, of *policy.Type, t *task.Task) (*retry.Policy, string) {
	if of != nil {
		if chosen := p.byName(set, of.Policy, t.ID); chosen != nil {
			return chosen, of.Policy
		}
	}
	if rules := p.rules(t.Type); rules != nil {
		if rules.Named {
			if chosen := p.byName(set, rules.PolicyName, t.ID); chosen != nil {
				return chosen, rules.PolicyName
			}
		}
		if rules.Policy != nil {
			return rules.Policy, rules.PolicyName
		}
	}
	if queue, ok := p.queue(t.Queue); ok && queue.Policy != "" {
		if chosen := p.byName(set, queue.Policy, t.ID); chosen != nil {
			return chosen, queue.Policy
		}
	}
	return set.Standard(t.ID), policy.Default
}

func (p *Policies) inlined(raw json.RawMessage) (*retry.Policy, error) {
	if known := p.inline.find(string(raw)); known != nil {
		return known, nil
	}
	made, err := drafts.ParseRetry(raw)
	if err != nil && !expr.Linked() {
		made, err = p.withoutConditions(raw, err)
	}
	if err == nil {
		p.inline.keep(string(raw), made)
	}
	return made, err
}

// withoutConditions reads an inline policy but for the rules with conditions, which no
// language here can read: another program has accepted the task.
func (p *Policies) withoutConditions(raw json.RawMessage, unread error) (*retry.Policy, error) {
	spec, err := retry.ParseSpec(raw)
	if err != nil {
		return nil, err
	}
	spec.Rules = slices.DeleteFunc(spec.Rules, func(rule retry.RuleSpec) bool { return rule.If != "" })
	made, err := spec.Policy()
	if err == nil {
		p.logger.Error("policy.unreadable", "policy", handlers.Inline, "instead", "the policy without its rules that are conditions", "error", unread)
	}
	return made, err
}

// byName is the policy that was put under a name, else the preset, nil for no
// name and for one that means nothing. Of a policy with a canary it is the version
// that holds for the task.
func (p *Policies) byName(set *policy.Set, name string, id task.ID) *retry.Policy {
	switch name {
	case "":
		return nil
	case policy.Default:
		return set.Standard(id)
	}
	if kept := set.For(name, id); kept != nil {
		return kept.Policy
	}
	if known := p.presets.find(name); known != nil {
		return known
	}
	if p.missing.find(name) != nil {
		return nil
	}
	made, err := retry.Preset(name)
	if err != nil {
		p.missing.keep(name, set.Standard(id))
		p.logger.Warn("policy.missing", "policy", name, "instead", "what the type, the queue or the default says")
		return nil
	}
	p.presets.keep(name, made)
	return made
}

// Fallback is what the policy of a task that brings none runs when it dies, nil for nothing.
func (p *Policies) Fallback(t *task.Task) *task.Follow {
	chosen, name, err := p.Of(t)
	if err != nil || chosen.Version() == 0 {
		return nil
	}
	if t.Policy != "" && t.Policy != name && p.seals() {
		return nil // what it names is gone, perhaps by the hand of who writes to the database: it follows no other
	}
	if kept := p.set.Load().For(name, t.ID); kept != nil {
		return kept.Fallback
	}
	return nil
}

// Alert is the alert of a task: its own, that of its type's handler here, that
// of its policy.
func (p *Policies) Alert(t *task.Task) json.RawMessage {
	if len(t.Spec.Alert) > 0 {
		return t.Spec.Alert
	}
	if rules := p.rules(t.Type); rules != nil && rules.Alert != nil {
		return rules.Alert
	}
	chosen, name, err := p.Of(t)
	if err != nil || chosen.Version() == 0 {
		return nil
	}
	if kept := p.set.Load().For(name, t.ID); kept != nil {
		return kept.Alert
	}
	return nil
}

// Take lets the policies among the objects hold here. What cannot be read changes
// nothing and is logged.
func (p *Policies) Take(objects []store.Object) {
	set, problems := policy.NewSet(objects, p.set.Load())
	p.set.Store(set)
	p.missing.clear()
	for _, problem := range problems {
		p.logger.Error("policy.unreadable", "error", problem)
	}
}
