package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type queueName struct {
	Name string `path:"name" doc:"Name of the queue."`
}

type keysInput struct {
	Queue  string `query:"queue" doc:"Of this queue."`
	All    bool   `query:"all" doc:"Also keys that no task waits behind."`
	Limit  *int   `query:"limit" doc:"Keys per page, 1 to 500, 100 when absent."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}

type keyInput struct {
	queueName
	Body client.KeyRelease
}

type queueInput struct {
	queueName
	Body client.QueueChange `optional:"true"`
}

func (s *Server) addQueues() {
	handle(s, route{
		method: "GET", path: "/v1/queues", id: "list-queues", needs: token.View, scope: filtered, tag: "queues", answers: []int{200}, summary: "List queues by name, with counts",
	}, s.listQueues)
	handle(s, route{
		method: "GET", path: "/v1/queues/{name}", id: "get-queue", needs: token.View, scope: byQueue, tag: "queues", answers: []int{200}, summary: "Get a queue, with counts",
		errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *queueName) (answer[client.Queue], error) {
		queue, err := s.queue(ctx, in.Name)
		if err != nil {
			return fail[client.Queue](err)
		}
		if queue == nil {
			return fail[client.Queue](noQueue(in.Name))
		}
		out := wireQueue(queue)
		return s.counted(ctx, out)
	})
	handle(s, route{
		method: "PUT", path: "/v1/queues/{name}", id: "put-queue", needs: token.Administer, scope: whole, tag: "queues", answers: []int{200, 201},
		summary: "Create a queue (201), or change one (200)", about: "Fields that are absent keep their value, or take the default in a new queue.",
	}, s.putQueue)
	handle(s, route{
		method: "POST", path: "/v1/queues/{name}/release-key", id: "release-key", needs: token.Operate, scope: byQueue, tag: "queues", answers: []int{200},
		summary: "Let the tasks behind a dead one of an ordering key go on; the dead letter stays", errors: []task.Code{task.CodeNotFound},
	}, s.releaseKey)
	handle(s, route{
		method: "GET", path: "/v1/keys", id: "list-keys", needs: token.View, scope: filtered, tag: "queues", answers: []int{200},
		summary: "List ordering keys that dead letters block, with who waits behind them",
	}, s.listKeys)
	for _, verb := range []string{"pause", "resume"} { // in this order in every document
		paused := verb == "pause"
		handle(s, route{
			method: "POST", path: "/v1/queues/{name}/" + verb, id: verb + "-queue", needs: token.Operate, scope: byQueue, tag: "queues", answers: []int{200},
			summary: map[bool]string{true: "Pause a queue: nothing of it starts", false: "Resume a paused queue"}[paused], errors: []task.Code{task.CodeNotFound},
		}, func(ctx context.Context, in *queueName) (answer[client.Queue], error) {
			queue, err := s.inspect.Queues.Pause(ctx, in.Name, paused)
			if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
				err = noQueue(in.Name)
			}
			if err != nil {
				return fail[client.Queue](err)
			}
			return ok(wireQueue(queue))
		})
	}
}

func (s *Server) listKeys(ctx context.Context, in *keysInput) (answer[client.BlockedKeys], error) {
	page, err := pageOf(in.Limit, in.Cursor)
	if err != nil {
		return fail[client.BlockedKeys](err)
	}
	queues, err := scopedQueues(ctx, in.Queue)
	if err != nil {
		return fail[client.BlockedKeys](err)
	}
	holds, next, err := s.inspect.Keys.Blocked(ctx, queues, in.All, page)
	if err != nil {
		return fail[client.BlockedKeys](err)
	}
	out := client.BlockedKeys{Keys: make([]client.BlockedKey, len(holds)), NextCursor: next}
	for i := range holds {
		h := &holds[i]
		out.Keys[i] = client.BlockedKey{
			Queue: h.Queue, Key: h.Key, DeadLetter: h.Holder, Mode: h.Mode, Since: wireTime(h.Since),
			Waiting: min(h.Waiting, inspect.MostBehind), WaitingMore: h.Waiting > inspect.MostBehind,
		}
	}
	return ok(out)
}

func (s *Server) releaseKey(ctx context.Context, in *keyInput) (answer[client.KeyReleased], error) {
	queue, err := s.queue(ctx, in.Name)
	switch {
	case err != nil:
		return fail[client.KeyReleased](err)
	case queue == nil:
		return fail[client.KeyReleased](noQueue(in.Name))
	case in.Body.Key == "":
		return fail[client.KeyReleased](task.Invalid("key", "is required", "name the ordering key that is blocked"))
	}
	released, err := s.inspect.Keys.Release(ctx, in.Name, in.Body.Key)
	if err != nil {
		return fail[client.KeyReleased](err)
	}
	return ok(client.KeyReleased{Released: released})
}

func (s *Server) listQueues(ctx context.Context, _ *none) (answer[client.Queues], error) {
	queues, err := s.inspect.Queues.List(ctx)
	if err != nil {
		return fail[client.Queues](err)
	}
	stats, err := s.inspect.Queues.Stats(ctx)
	if err != nil {
		return fail[client.Queues](err)
	}
	if t := scoped(ctx); t != nil {
		queues = slices.DeleteFunc(queues, func(q outlast.Queue) bool { return !t.Covers(q.Name) })
	}
	out := client.Queues{Queues: make([]client.Queue, len(queues))}
	for i := range queues {
		out.Queues[i] = wireQueue(&queues[i])
		count(&out.Queues[i], stats)
	}
	return ok(out)
}

func (s *Server) counted(ctx context.Context, queue client.Queue) (answer[client.Queue], error) {
	stats, err := s.inspect.Queues.Stats(ctx)
	if err != nil {
		return fail[client.Queue](err)
	}
	count(&queue, stats)
	return ok(queue)
}

func count(queue *client.Queue, stats map[string]inspect.QueueStats) {
	known := stats[queue.Name]
	queue.Counts = &client.QueueCounts{Pending: known.Pending, Parked: known.Parked, Running: known.Running, Dead: known.Dead}
}

func noQueue(name string) error {
	err := task.NotFound("queue", name)
	err.Hint = "check the name: outlast queue list; or create it: outlast queue create NAME, PUT /v1/queues/{name}"
	return err
}

// queue returns nil where there is none.
func (s *Server) queue(ctx context.Context, name string) (*outlast.Queue, error) {
	queues, err := s.inspect.Queues.List(ctx)
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

func (s *Server) putQueue(ctx context.Context, in *queueInput) (answer[client.Queue], error) {
	existing, err := s.queue(ctx, in.Name)
	if err != nil {
		return fail[client.Queue](err)
	}
	queue, status := outlast.Queue{Name: in.Name}, http.StatusCreated
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
	if change.Lanes != nil && (*change.Lanes < 1 || *change.Lanes > 256) {
		return fail[client.Queue](task.Invalid("lanes", fmt.Sprintf("%d is outside 1 to 256", *change.Lanes), "leave it out for 8 in a new queue"))
	}
	stored, err := s.inspect.Queues.Put(ctx, queue)
	if err != nil {
		return fail[client.Queue](err)
	}
	body := wireQueue(stored)
	return answer[client.Queue]{Status: status, Body: &body}, nil
}

func set[T any](field *T, change *T) {
	if change != nil {
		*field = *change
	}
}
