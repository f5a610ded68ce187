// Package handlers is what runs tasks on a node, by their type, and what was asked for each
// type: its policy, its alert, the target of its tasks.
package handlers

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Handlers are those of one node. Reads take no lock; all methods are safe for concurrent use.
type Handlers struct {
	Progress Progress // of the attempts that they run

	reach   string // see [reach.Reach.Text]
	logger  *slog.Logger
	started func() bool

	mu      sync.Mutex // held by changes
	wrong   accept.Complaints
	refused []string                            // types of which something is wrong, quoted
	known   atomic.Pointer[map[string]*handler] // copied at every change
	serves  atomic.Pointer[store.Serving]       // of each queue that the node serves
}

// handler is a registered type. Immutable.
type handler struct {
	run   engine.Handler
	rules Rules
}

// New makes the handlers of a node with a reach, none so far. Mistakes of those that are
// added once it has started are logged.
func New(reach string, logger *slog.Logger, started func() bool) *Handlers {
	h := &Handlers{reach: reach, logger: logger, started: started}
	h.publish(map[string]*handler{})
	return h
}

// publish makes a set of handlers the one that holds.
func (h *Handlers) publish(known map[string]*handler) {
	h.serves.Store(&store.Serving{Types: slices.Sorted(maps.Keys(known)), Requests: true, Reach: h.reach})
	h.known.Store(&known)
}

// Add adds the handler of a type, and reports whether there was nothing wrong with it.
// Mistakes are kept for Mistakes.
func (h *Handlers) Add(taskType string, run engine.Handler, asked *Asked) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := *h.known.Load()
	var c accept.Complaints
	c.Name("type", taskType)
	if known[taskType] != nil {
		c.Add("type", task.Quote(taskType)+" has a handler already", "a type has one handler")
	}
	if run == nil {
		c.Add("handler", "the function for "+task.Quote(taskType)+" is nil", "")
	}
	rules := compile(&c, asked, taskType)
	if len(c.Fields) > 0 {
		h.wrong.Fields = append(h.wrong.Fields, c.Fields...)
		h.wrong.Hints.Merge(&c.Hints)
		h.refused = append(h.refused, task.Quote(taskType))
		if h.started() {
			h.logger.Error("handler.refused", "error", c.Err("the handler of "+task.Quote(taskType)+" cannot be registered"))
		}
		return false
	}
	more := maps.Clone(known)
	more[taskType] = &handler{run: run, rules: rules}
	h.publish(more)
	return true
}

// ServeAlerts makes the steps of alerts, by their types, startable in place of those before.
func (h *Handlers) ServeAlerts(steps map[string]engine.Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := map[string]*handler{}
	for name, one := range *h.known.Load() {
		if !strings.HasPrefix(name, alerts.SendType("")) {
			known[name] = one
		}
	}
	for name, run := range steps {
		known[name] = &handler{run: run}
	}
	h.publish(known)
}

// Mistakes is what was wrong with what was added, nil if nothing was. The policies are those
// that types may name.
func (h *Handlers) Mistakes(policies *policy.Set) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong.Policies = policies
	known := *h.known.Load()
	for _, taskType := range slices.Sorted(maps.Keys(known)) {
		if name := known[taskType].rules.later; name != "" {
			before := len(h.wrong.Fields)
			if h.wrong.PolicyName("policy", name); len(h.wrong.Fields) > before {
				h.refused = append(h.refused, task.Quote(taskType))
			}
		}
	}
	slices.Sort(h.refused)
	return h.wrong.Err("the handlers of " + strings.Join(slices.Compact(h.refused), ", ") + " cannot be registered")
}

// Types have a handler here.
func (h *Handlers) Types() []string { return slices.Collect(maps.Keys(*h.known.Load())) }

// Rules are those of a type, nil without a handler.
func (h *Handlers) Rules(taskType string) *Rules {
	if one := (*h.known.Load())[taskType]; one != nil {
		return &one.rules
	}
	return nil
}

// Run is what runs tasks of a type, nil if nothing here does.
func (h *Handlers) Run(taskType string) engine.Handler {
	if one := (*h.known.Load())[taskType]; one != nil {
		return one.run
	}
	return nil
}

// Serving is what the node tells others of each queue that it serves.
func (h *Handlers) Serving() store.Serving { return *h.serves.Load() }

// Starts reports whether this process has what starts the capability.
func (h *Handlers) Starts(capability string) bool {
	return capability == engine.Push || h.reach != "" && capability == store.Ability(h.reach) || h.Run(capability) != nil
}
