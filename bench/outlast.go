package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// jobType is the type of the tasks that a handler runs.
const jobType = "bench"

// outlastSystem is Outlast by its public API.
type outlastSystem struct{}

func (outlastSystem) name() string { return outlastName }

func (outlastSystem) open(ctx context.Context, at place, o nodeOptions) (node, error) {
	backend, err := at.open(ctx)
	if err != nil {
		return nil, err
	}
	client, err := outlast.Open(ctx, backend, clientOptions(o)...)
	if err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	n := &outlastNode{client: client, backend: backend, options: o}
	if o.handle != nil {
		var rules []outlast.HandleOption // none: the default policy
		if o.retries {
			// Every task fails by design, which is what guards are there to slow down.
			policy, err := retry.New(retry.Fixed(o.wait), retry.NoJitter(), retry.Attempts(25), retry.TaskBudget(nil), retry.TaskBreaker(nil))
			if err != nil {
				return nil, errors.Join(err, backend.Close())
			}
			rules = append(rules, outlast.Retry(policy))
		}
		outlast.Handle(client, jobType, n.handle, rules...)
	}
	return n, nil
}

func clientOptions(o nodeOptions) []outlast.Option {
	if o.enqueueOnly {
		return []outlast.Option{outlast.EnqueueOnly()}
	}
	options := []outlast.Option{outlast.WithEngine(func(c *engine.Config) {
		c.Slots, c.Share = o.slots, 1 // there is one target only
	})}
	if o.ended != nil {
		options = append(options, outlast.WithObserver(engine.Observer{Settled: func(out engine.Outcome) {
			if out.State.Final() {
				o.ended()
			}
		}}))
	}
	if o.privateTargets {
		options = append(options, outlast.AllowTargets(netip.MustParsePrefix("127.0.0.0/8")))
	}
	return options
}

// outlastNode is a client with its store.
type outlastNode struct {
	client  *outlast.Client
	backend store.Backend
	options nodeOptions
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
	d := outlast.Draft{Type: jobType, Payload: j.payload, Delay: j.delay}
	if j.url != "" {
		d.Type, d.Target = "", &task.Request{URL: j.url}
	}
	return d
}

func (n *outlastNode) succeeded(ctx context.Context) (int, error) {
	return n.client.Inspector().Count(ctx, store.Filter{State: task.Succeeded}, 1<<30)
}

func (n *outlastNode) settings() settings {
	s := settings{"history": "on", "fencing": "on", "budget": "default", "breaker": "default"}
	if !n.options.enqueueOnly {
		s["slots"], s["share"] = n.options.slots, 1
	}
	if n.options.retries {
		s["retry"] = "fixed " + n.options.wait.String() + " without jitter"
		s["budget"], s["breaker"] = "none", "none"
	}
	return s
}
