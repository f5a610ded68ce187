package operations

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/store"
)

func (c *calls) wireOperation(o *store.Operation) client.Operation {
	p := c.operations.Progress(o)
	out := client.Operation{
		ID: o.ID, Kind: o.Kind, State: string(o.State), Matched: o.Matched, Done: o.Done, Error: o.Error,
		Sent: p.Sent, Changed: p.Changed, Skipped: p.Skipped, Waiting: p.Waiting,
		CreatedAt: wire.Time(o.CreatedAt), UpdatedAt: wire.Time(o.UpdatedAt), FinishedAt: wire.Time(o.FinishedAt),
	}
	if p.Watched {
		out.Succeeded, out.Failing = &p.Succeeded, &p.Failing
	}
	if bulk.Is(o.Kind) {
		out.Bulk, out.Named = wireBulk(o)
		return out
	}
	out.Request, out.Named = wireRequest(o)
	return out
}

// wireRequest gives the request that an operation keeps the form in which it
// was made; nil for one that cannot be read. Ids are not kept: named is how many
// they were.
func wireRequest(o *store.Operation) (request *client.Redrive, named int) {
	r, named := dead.RequestOf(o)
	if r == nil {
		return nil, 0
	}
	out := &client.Redrive{Filter: query.DeadFilter(r.Filter), Rate: r.Rate, Canary: r.Canary, StopIfFailing: r.StopIfFailing, KeepAttempts: r.KeepAttempts}
	if json.Valid(r.Payload) { // one that a Go program gave need not be JSON
		out.Payload = r.Payload
	}
	return out, named
}

// redriveItems is a page of the report of a redrive.
func redriveItems(items []inspect.RedriveItem) []client.OperationItem {
	out := make([]client.OperationItem, len(items))
	for i := range items {
		item := &items[i]
		out[i] = client.OperationItem{
			Place: item.Place, ID: item.ID, Status: string(item.Status), Type: item.Type, Queue: item.Queue, Key: item.Key,
			Attempt: item.Attempt, Reason: string(item.Reason), Error: wire.Failure(item.Error), At: wire.Time(item.At),
		}
	}
	return out
}

// wireBulk gives the request that an operation keeps the form in which it was made.
func wireBulk(o *store.Operation) (request *client.Bulk, named int) {
	r, named := bulk.RequestOf(o)
	if r == nil {
		return nil, 0
	}
	return &client.Bulk{Action: string(r.Action), Filter: query.TaskFilter(r.Filter), RunAt: wire.Time(r.RunAt), Reason: r.Reason}, named
}

// bulkItems is a page of the report of an action on tasks.
func bulkItems(items []inspect.BulkItem) []client.OperationItem {
	out := make([]client.OperationItem, len(items))
	for i := range items {
		item := &items[i]
		out[i] = client.OperationItem{Place: item.Place, ID: item.ID, Status: string(item.Status)}
		if t := item.Task; t != nil {
			out[i].State, out[i].Type, out[i].Queue, out[i].Key, out[i].Attempt = string(t.State), t.Type, t.Queue, t.Key, t.Attempt
			out[i].Error, out[i].At = wire.Failure(t.LastError), wire.Time(t.UpdatedAt)
		}
	}
	return out
}
