package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// jobType is the type of the tasks that a handler runs.
const jobType = "bench"

// outlastSystem is Outlast by its public API.
type outlastSystem struct{}

func (outlastSystem) name() string      { return outlastName }
func (outlastSystem) suits(string) bool { return true }
func (outlastSystem) knobs(work) []knob { return nil }

func (outlastSystem) make(ctx context.Context, s *session) (place, error) {
	return s.servers.place(ctx, s.config.storeOf(s.bench))
}

func (outlastSystem) open(ctx context.Context, at place, o nodeOptions) (node, error) {
	n, err := openOutlast(ctx, at, o)
	if err != nil {
		return nil, err
	}
	return n, nil
}

func openOutlast(ctx context.Context, at place, o nodeOptions) (*outlastNode, error) {
	backend, err := at.open(ctx)
	if err != nil {
		return nil, err
	}
	n := &outlastNode{backend: backend, options: o, ended: make(chan struct{})}
	if n.client, err = outlast.Open(ctx, backend, n.clientOptions()...); err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	if err := putRules(ctx, backend, o.rules); err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	if o.handle != nil {
		var rules []outlast.HandleOption // none: the default policy
		if o.retries {
			settings := []retry.Option{retry.Fixed(o.wait), retry.NoJitter(), retry.Attempts(25)}
			if !o.guarded {
				settings = append(settings, retry.TaskBudget(nil), retry.TaskBreaker(nil))
			}
			policy, err := retry.New(settings...)
			if err != nil {
				return nil, errors.Join(err, backend.Close())
			}
			rules = append(rules, outlast.Retry(policy))
		}
		outlast.Handle(n.client, jobType, n.handle, rules...)
	}
	return n, nil
}

func (n *outlastNode) clientOptions() []outlast.Option {
	o := n.options
	if o.enqueueOnly {
		return []outlast.Option{outlast.WithEnqueueOnly()}
	}
	options := []outlast.Option{outlast.WithTuning(outlast.Tuning{
		Slots: o.slots, Share: 1, // there is one target only
	})}
	if o.tasks > 0 || o.ended != nil {
		options = append(options, outlast.WithObserver(outlast.Observer{Settled: n.settled, Committed: o.committed}))
	}
	if o.privateTargets {
		options = append(options, outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
	}
	return options
}

// settled counts the ends of tasks.
func (n *outlastNode) settled(_ context.Context, out outlast.Outcome) {
	if !out.State.Final() {
		return
	}
	if n.options.ended != nil {
		n.options.ended()
	}
	if n.count.Add(1) == int64(n.options.tasks) {
		close(n.ended)
	}
}

// outlastNode is a client with its store.
type outlastNode struct {
	client  *outlast.Client
	backend store.Backend
	options nodeOptions
	count   atomic.Int64
	ended   chan struct{} // closed when enough tasks have ended
}

func (n *outlastNode) handle(ctx context.Context, payload json.RawMessage) error {
	info, _ := outlast.Info(ctx)
	return n.options.handle(ctx, info.Attempt, payload)
}

func (n *outlastNode) start(ctx context.Context) error { return n.client.Start(ctx) }

func (n *outlastNode) stop(ctx context.Context) error {
	return errors.Join(n.client.Stop(ctx), n.backend.Close())
}

func (n *outlastNode) enqueue(ctx context.Context, j job) error {
	_, err := n.client.Enqueue(ctx, draft(j))
	return err
}

func (n *outlastNode) enqueueMany(ctx context.Context, jobs []job) error {
	drafts := make([]outlast.Draft, len(jobs))
	for i := range jobs {
		drafts[i] = draft(jobs[i])
	}
	_, err := n.client.EnqueueMany(ctx, drafts, true)
	return err
}

func draft(j job) outlast.Draft {
	d := outlast.Draft{Type: jobType, Payload: j.payload, Delay: j.delay, ShareKey: j.share}
	if j.url != "" {
		d.Type, d.Target = "", &task.Request{URL: j.url}
	}
	return d
}

func (n *outlastNode) drained(ctx context.Context) error {
	if err := wait(ctx, n.ended, drainLimit); err != nil {
		return fmt.Errorf("%d of %d tasks ended: %w", n.count.Load(), n.options.tasks, err)
	}
	return nil
}

func (n *outlastNode) succeeded(ctx context.Context) (int, error) {
	return n.client.Inspector().Tasks.Count(ctx, store.Filter{State: task.Succeeded}, 1<<30)
}

func (n *outlastNode) settings() settings {
	s := settings{"history": "on", "fencing": "on", "budget": "default", "breaker": "default"}
	if !n.options.enqueueOnly {
		s["slots"], s["share"] = n.options.slots, 1
	}
	if n.options.retries {
		s["retry"] = "fixed " + n.options.wait.String() + " without jitter"
		if !n.options.guarded {
			s["budget"], s["breaker"] = "none", "none"
		}
	}
	return s
}
