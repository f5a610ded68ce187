package outlast

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/duepass"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/exhaustion"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/internal/inforce"
	"github.com/outlast-dev/outlast/internal/push"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// registry is what this node can run: Go handlers by type, and HTTP requests.
// It implements [engine.Registry]; reads take no lock.
type registry struct {
	*handlers.Handlers
	client    *Client
	policies  *inforce.Policies
	exhausted *exhaustion.Watch
	sender    *push.Sender
	outbound  *safehttp.Client
}

var (
	_ engine.Registry  = (*registry)(nil)
	_ duepass.Registry = (*registry)(nil)
)

func newRegistry(c *Client) *registry {
	o := &c.options
	outbound := safehttp.New(safehttp.Options{Allow: o.Allow, Instead: o.Outbound})
	text := (&reach.Reach{Allow: o.Allow, Sign: slices.Collect(maps.Keys(o.Secrets))}).Text()
	known := handlers.New(text, o.Logger, func() bool { return c.state.Load() == started })
	return &registry{
		Handlers: known,
		client:   c,
		policies: inforce.New(inforce.Config{
			Rules: known.Rules, Queue: func(name string) (store.Queue, bool) { return c.engine.Queue(name) },
			Seals: func() bool { return c.backend.Seals() }, Logger: o.Logger,
		}),
		exhausted: exhaustion.New(o.Logger, c.observers.Exhausted, func(code string, calls int) { c.alerts.Events.Exhausted(code, calls) }),
		outbound:  outbound,
		sender:    push.New(outbound, push.Options{Version: buildVersion(), Timeout: o.PushTimeout}),
	}
}

func (c *Client) outbound() *safehttp.Client { return c.registry.outbound }

func (r *registry) close() { r.outbound.CloseIdleConnections() }

// Serves implements [engine.Registry].
func (r *registry) Serves(queue string) (s store.Serving, served bool) {
	o := &r.client.options
	if o.EnqueueOnly {
		return s, false
	}
	if queue == alerts.Queue {
		return r.Serving(), true
	}
	if (!o.Server || len(o.Queues) > 0) && !slices.Contains(o.Queues, queue) {
		return s, false
	}
	return r.Serving(), true
}

// CanStart implements [engine.Registry].
func (r *registry) CanStart(capability string) bool {
	return !r.client.options.EnqueueOnly && r.Starts(capability)
}

// Handler implements [engine.Registry].
func (r *registry) Handler(t *task.Task) engine.Handler {
	handler := r.Run(t.Type)
	if t.Spec.HTTP != nil {
		handler = r.push
	}
	before := r.client.options.Before
	if before == nil || handler == nil {
		return handler
	}
	return func(ctx context.Context, run *engine.Run) ([]byte, error) {
		if err := before(ctx, run); err != nil {
			return nil, err
		}
		return handler(ctx, run)
	}
}

// push makes the HTTP request of a task, unless another node should make it.
func (r *registry) push(ctx context.Context, run *engine.Run) ([]byte, error) {
	if name, path, ok := task.GroupOf(run.Task.Spec.HTTP.URL); ok {
		return r.dispatch(ctx, run, name, path)
	}
	to := reach.To{URL: run.Task.Spec.HTTP.URL}
	secret := to.Secret(r.client.options.Secrets)
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
	ctx, cancel := context.WithTimeoutCause(ctx, r.client.options.PushMost, retry.ErrAttemptTimeout) // of a policy, too
	defer cancel()
	result, err := r.sender.Do(ctx, push.Call{
		Task:        run.Task,
		TraceParent: r.client.options.Tracer.Carried(ctx),
		URL:         url,
		MaxAttempts: run.MaxAttempts,
		Deadline:    run.Deadline,
		Secret:      secret,
		Limited:     run.Task.Spec.Timeout > 0 || run.Policy.Timeout() > 0,
	})
	if failed, ok := errors.AsType[*push.Error](err); ok && failed.Err != nil { // what the task says has no addresses of ours
		r.client.options.Logger.DebugContext(ctx, "push.failed", slog.String("task", run.Task.ID.String()), slog.Any("error", failed.Err))
	}
	return result, r.exhausted.Judge(err, exhaustion.Wait)
}

// Policy implements [engine.Registry].
func (r *registry) Policy(t *task.Task) (*retry.Policy, error) {
	policy, _, err := r.policies.Of(t)
	return policy, err
}

// Fallback implements [engine.Registry].
func (r *registry) Fallback(t *task.Task) *task.Follow { return r.policies.Fallback(t) }

// Follow implements [engine.Registry].
func (r *registry) Follow(t *task.Task, follow *task.Follow, kind task.FollowKind, end *store.Settlement) (store.Insert, bool) {
	return r.client.enqueuer.Follow(t, follow, kind, end)
}

// Undo implements [engine.Registry].
func (r *registry) Undo(t *task.Task, step *task.Step) (store.Insert, bool) {
	return r.client.enqueuer.Undo(t, step)
}

// untested reports whether a target is a worker group that may be away: none of its
// living members has taken a task of this node.
func (r *registry) untested(target string) bool {
	name, isGroup := strings.CutPrefix(target, accept.GroupTarget)
	return isGroup && !r.client.groups.Tested(name)
}

// targetLimit is how many attempts of a target may run at once over all nodes, 0 for
// no limit: what is configured, and of a worker group no more than its members take.
func (r *registry) targetLimit(target string) int {
	limit := r.policies.Set().TargetLimit(target)
	if name, ok := strings.CutPrefix(target, accept.GroupTarget); ok {
		if capacity := r.client.groups.Capacity(name); capacity > 0 && (limit == 0 || capacity < limit) {
			return capacity
		}
	}
	return limit
}
