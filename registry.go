package outlast

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/push"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// registry is what this node can run: Go handlers by type, and HTTP requests.
// It implements [engine.Registry]; reads take no lock.
type registry struct {
	client   *Client
	sender   *push.Sender
	outbound *safehttp.Client
	set      atomic.Pointer[policy.Set]
	inline   policyCache
	presets  policyCache
	missing  policyCache // names that mean nothing, of which was told
	progress progress

	mu       sync.Mutex // held by changes
	wrong    accept.Complaints
	handlers atomic.Pointer[map[string]*handler] // copied at every change
	serves   atomic.Pointer[store.Serving]       // of each queue that it serves
	reach    string                              // see [reach.Reach.Text]
}

// handler is a registered type. Immutable.
type handler struct {
	run   engine.Handler
	rules typeRules
}

var _ engine.Registry = (*registry)(nil)

func newRegistry(c *Client) *registry {
	outbound := safehttp.New(safehttp.Options{Allow: c.allow})
	r := &registry{
		client:   c,
		outbound: outbound,
		sender:   push.New(outbound, push.Options{Version: buildVersion(), Timeout: c.pushTimeout}),
		reach:    (&reach.Reach{Allow: c.allow, Sign: slices.Collect(maps.Keys(c.secrets))}).Text(),
	}
	set, _ := policy.NewSet(nil, nil)
	r.set.Store(set)
	r.publish(map[string]*handler{})
	return r
}

// publish makes a set of handlers the one that holds.
func (r *registry) publish(handlers map[string]*handler) {
	r.serves.Store(&store.Serving{Types: slices.Sorted(maps.Keys(handlers)), Requests: true, Reach: r.reach})
	r.handlers.Store(&handlers)
}

// add registers a handler, and its function for alerts as a channel. Mistakes
// are kept for [Client.Start]; after it, they are logged.
func (r *registry) add(taskType string, run engine.Handler, opts []HandleOption) {
	if tell := r.register(taskType, run, opts); tell != nil {
		r.client.alerts.AddFunction(funcChannel(taskType), tell)
	}
}

func (r *registry) register(taskType string, run engine.Handler, opts []HandleOption) (tell alert.ChannelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := *r.handlers.Load()
	var c accept.Complaints
	c.Name("type", taskType)
	if known[taskType] != nil {
		c.Add("type", task.Quote(taskType)+" has a handler already", "a type has one handler")
	}
	if run == nil {
		c.Add("handler", "the function for "+task.Quote(taskType)+" is nil", "")
	}
	rules := compileRules(&c, opts)
	if len(c.Fields) > 0 {
		r.wrong.Fields = append(r.wrong.Fields, c.Fields...)
		r.wrong.Hints.Merge(&c.Hints)
		if r.client.state.Load() == started {
			r.client.logger.Error("handler.refused", "error", c.Err("the handler cannot be registered"))
		}
		return nil
	}
	if rules.alertFunc != nil {
		rules.nameFunc(taskType)
	}
	handlers := maps.Clone(known)
	handlers[taskType] = &handler{run: run, rules: rules}
	r.publish(handlers)
	return rules.alertFunc
}

// mistakes is what went wrong in registrations, nil if nothing did.
func (r *registry) mistakes(set *policy.Set) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong.Policies = set
	handlers := *r.handlers.Load()
	for _, taskType := range slices.Sorted(maps.Keys(handlers)) {
		if name := handlers[taskType].rules.later; name != "" {
			r.wrong.PolicyName("policy", name)
		}
	}
	return r.wrong.Err("some handlers cannot be registered")
}

func (r *registry) lookup(taskType string) *handler { return (*r.handlers.Load())[taskType] }

func (r *registry) close() { r.outbound.CloseIdleConnections() }

// Serves implements [engine.Registry].
func (r *registry) Serves(queue string) (s store.Serving, served bool) {
	if r.client.enqueueOnly {
		return s, false
	}
	if isInternal(queue) {
		return *r.serves.Load(), true
	}
	if (!r.client.server || len(r.client.queues) > 0) && !slices.Contains(r.client.queues, queue) {
		return s, false
	}
	return *r.serves.Load(), true
}

// CanStart implements [engine.Registry].
func (r *registry) CanStart(capability string) bool {
	return !r.client.enqueueOnly && r.starts(capability)
}

// starts reports whether this process has what starts the capability.
func (r *registry) starts(capability string) bool {
	return capability == engine.Push || r.reach != "" && capability == store.Ability(r.reach) || r.lookup(capability) != nil
}

// Handler implements [engine.Registry].
func (r *registry) Handler(t *task.Task) engine.Handler {
	if t.Spec.HTTP != nil {
		return r.push
	}
	if h := r.lookup(t.Type); h != nil {
		return h.run
	}
	return nil
}

// push makes the HTTP request of a task, unless another node should make it.
func (r *registry) push(ctx context.Context, run *engine.Run) ([]byte, error) {
	if name, path, ok := task.GroupOf(run.Task.Spec.HTTP.URL); ok {
		return r.dispatch(ctx, run, name, path)
	}
	to := destination{url: run.Task.Spec.HTTP.URL}
	secret := r.client.secretOf(to)
	if able := r.client.handOver(ctx, run, to, secret, nil); able != "" {
		return nil, leave(able, nil)
	}
	result, err := r.request(ctx, run, "", secret)
	if err != nil {
		if able := r.client.handOver(ctx, run, to, secret, err); able != "" {
			return nil, leave(able, err)
		}
	}
	return result, err
}

// request makes the request of a task, to another URL than its own if one is given.
func (r *registry) request(ctx context.Context, run *engine.Run, url string, secret []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.client.pushMost, retry.ErrAttemptTimeout) // of a policy, too
	defer cancel()
	result, err := r.sender.Do(ctx, push.Call{
		Task:        run.Task,
		TraceParent: r.client.tracer.Carried(ctx),
		URL:         url,
		MaxAttempts: run.MaxAttempts,
		Deadline:    run.Deadline,
		Secret:      secret,
		Limited:     run.Task.Spec.Timeout > 0 || run.Policy.Timeout() > 0,
	})
	if failed, ok := errors.AsType[*push.Error](err); ok && failed.Err != nil { // what the task says has no addresses of ours
		r.client.logger.DebugContext(ctx, "push.failed", slog.String("task", run.Task.ID.String()), slog.Any("error", failed.Err))
	}
	return result, r.client.exhausted(err, exhaustedWait)
}

// Policy implements [engine.Registry].
func (r *registry) Policy(t *task.Task) (*retry.Policy, error) {
	policy, _, err := r.policyOf(t)
	return policy, err
}
