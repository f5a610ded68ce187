package queues

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type keysInput struct {
	Queue  string `query:"queue" doc:"Of this queue."`
	All    bool   `query:"all" doc:"Also keys that no task waits behind."`
	Limit  *int   `query:"limit" doc:"Keys per page, 1 to 500, 100 when absent."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}

type keyInput struct {
	scope.QueueName
	Body client.KeyRelease
}

func (c *calls) addKeys(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/queues/{name}/release-key", ID: "release-key", Needs: inspect.PermissionOperate, Scope: scope.ByQueue, Tag: "queues",
		Summary: "Release an ordering key: the tasks behind its dead letter run, and the letter is kept", About: "To redrive or purge the dead letter does so too.", Errors: []task.Code{task.CodeNotFound},
	}, c.releaseKey)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/keys", ID: "list-keys", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "queues",
		Summary: "List ordering keys that are blocked by dead letters, with the tasks that wait", About: "They go on when the dead letter is redriven or purged, or the key is released.",
	}, c.listKeys)
}

func (c *calls) listKeys(ctx context.Context, in *keysInput) (*route.Answer[client.BlockedKeys], error) {
	page, err := query.Page(in.Limit, in.Cursor)
	if err != nil {
		return nil, err
	}
	queues, err := scope.Within(ctx, in.Queue)
	if err != nil {
		return nil, err
	}
	holds, next, err := c.keys.Blocked(ctx, queues, in.All, page)
	if err != nil {
		return nil, err
	}
	out := client.BlockedKeys{Keys: make([]client.BlockedKey, len(holds)), NextCursor: next}
	for i := range holds {
		h := &holds[i]
		out.Keys[i] = client.BlockedKey{
			Queue: h.Queue, Key: h.Key, DeadLetter: h.Holder, Mode: h.Mode, Since: wire.Time(h.Since),
			Waiting: min(h.Waiting, inspect.MostBehind), WaitingMore: h.Waiting > inspect.MostBehind,
		}
	}
	return route.OK(out)
}

func (c *calls) releaseKey(ctx context.Context, in *keyInput) (*route.Answer[client.KeyReleased], error) {
	queue, err := c.find(ctx, in.Name)
	switch {
	case err != nil:
		return nil, err
	case queue == nil:
		return nil, scope.NoQueue(in.Name)
	case in.Body.Key == "":
		return nil, task.Invalid("key", "is required", "name the ordering key that is blocked")
	}
	released, err := c.keys.Release(ctx, in.Name, in.Body.Key)
	if err != nil {
		return nil, err
	}
	return route.OK(client.KeyReleased{Released: released})
}
