// Package queues is the calls about queues, and the ordering keys that dead letters block.
package queues

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type putInput struct {
	scope.QueueName
	Body client.QueueChange `optional:"true"`
}

type calls struct {
	queues inspect.Queues
	keys   inspect.Keys
}

// Add adds the calls about queues and their ordering keys.
func Add(to *route.Table, queues inspect.Queues, keys inspect.Keys) {
	c := &calls{queues, keys}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/queues", ID: "list-queues", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "queues", Summary: "List queues by name, with counts and delays", About: "Over all nodes. Counts go no further than 10 000 each.",
	}, c.list)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/queues/{name}", ID: "get-queue", Needs: inspect.PermissionView, Scope: scope.ByQueue, Tag: "queues", Summary: "Get a queue, with counts and delays", About: "Over all nodes. Counts go no further than 10 000 each.",
		Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *scope.QueueName) (*route.Answer[client.Queue], error) {
		queue, err := c.find(ctx, in.Name)
		if err != nil {
			return nil, err
		}
		if queue == nil {
			return nil, scope.NoQueue(in.Name)
		}
		one := []client.Queue{wireQueue(queue)}
		if err := c.measure(ctx, one); err != nil {
			return nil, err
		}
		return route.OK(one[0])
	})
	route.Handle(to, route.Route{
		Method: "PUT", Path: "/v1/queues/{name}", ID: "put-queue", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "queues", Answers: []int{200, 201},
		Summary: "Create a queue (201), or change one (200)", About: "Absent fields keep their value, or have the default in a new queue.",
	}, c.put)
	c.addKeys(to)
	c.addShares(to)
	for _, verb := range []string{"pause", "resume"} { // in this order in every document
		paused := verb == "pause"
		route.Handle(to, route.Route{
			Method: "POST", Path: "/v1/queues/{name}/" + verb, ID: verb + "-queue", Needs: inspect.PermissionOperate, Scope: scope.ByQueue, Tag: "queues",
			Summary: map[bool]string{true: "Pause a queue: none of its tasks start", false: "Resume a paused queue"}[paused], Errors: []task.Code{task.CodeNotFound},
			About: map[bool]string{true: "Attempts that run go on, and enqueues are taken.", false: "What is due starts again."}[paused],
		}, func(ctx context.Context, in *scope.QueueName) (*route.Answer[client.Queue], error) {
			queue, err := c.queues.Pause(ctx, in.Name, paused)
			if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
				err = scope.NoQueue(in.Name)
			}
			if err != nil {
				return nil, err
			}
			return route.OK(wireQueue(queue))
		})
	}
}

func (c *calls) list(ctx context.Context, _ *route.None) (*route.Answer[client.Queues], error) {
	queues, err := c.queues.List(ctx)
	if err != nil {
		return nil, err
	}
	if t := scope.Narrow(ctx); t != nil {
		queues = slices.DeleteFunc(queues, func(q store.Queue) bool { return !t.Covers(q.Name) })
	}
	out := client.Queues{Queues: make([]client.Queue, len(queues))}
	for i := range queues {
		out.Queues[i] = wireQueue(&queues[i])
	}
	if err := c.measure(ctx, out.Queues); err != nil {
		return nil, err
	}
	return route.OK(out)
}

// measure adds what is counted.
func (c *calls) measure(ctx context.Context, queues []client.Queue) error {
	stats, err := c.queues.Stats(ctx)
	if err != nil {
		return err
	}
	recent, err := c.queues.Recent(ctx)
	if err != nil {
		return err
	}
	for i := range queues {
		queue := &queues[i]
		queue.Counts, queue.OldestDue = wire.QueueCounts(stats[queue.Name]), client.Duration(recent[queue.Name].OldestDue)
		if point := recent[queue.Name].Point; point != nil {
			told := wire.Point(point)
			queue.Recent = &told
		}
	}
	return nil
}

// find returns nil where there is none.
func (c *calls) find(ctx context.Context, name string) (*store.Queue, error) {
	queues, err := c.queues.List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range queues {
		if queues[i].Name == name {
			return &queues[i], nil
		}
	}
	return nil, nil
}

func (c *calls) put(ctx context.Context, in *putInput) (*route.Answer[client.Queue], error) {
	existing, err := c.find(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	queue, status := store.Queue{Name: in.Name}, http.StatusCreated
	if existing != nil {
		queue, status = *existing, http.StatusOK
	}
	change := &in.Body
	set(&queue.Lanes, change.Lanes)
	set(&queue.Policy, change.Policy)
	set(&queue.UnknownType, change.UnknownType)
	set(&queue.Concurrency, change.Concurrency)
	set(&queue.MaxPending, change.MaxPending)
	set(&queue.Weight, change.Weight)
	if shares := change.Shares; shares != nil {
		set(&queue.Shares.Concurrency, shares.Concurrency)
		rate := string(queue.Shares.Rate)
		set(&rate, shares.Rate)
		queue.Shares.Rate = store.ShareRate(rate)
	}
	if change.Lanes != nil && (*change.Lanes < 1 || *change.Lanes > 256) {
		return nil, task.Invalid("lanes", fmt.Sprintf("%d is outside 1 to 256", *change.Lanes), "leave it out for 8 in a new queue")
	}
	stored, err := c.queues.Put(ctx, queue)
	if err != nil {
		return nil, err
	}
	return &route.Answer[client.Queue]{Status: status, Body: wireQueue(stored)}, nil
}

func set[T any](field *T, change *T) {
	if change != nil {
		*field = *change
	}
}

func wireQueue(q *store.Queue) client.Queue {
	return client.Queue{
		Name: q.Name, Lanes: q.Lanes, Paused: q.Paused, Policy: q.Policy, UnknownType: q.UnknownType,
		Concurrency: q.Concurrency, MaxPending: q.MaxPending, Weight: q.Weight, UpdatedAt: wire.Time(q.UpdatedAt),
		Shares: client.ShareLimits{Concurrency: q.Shares.Concurrency, Rate: string(q.Shares.Rate)},
	}
}
