package workers

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
)

type listInput struct {
	Limit *int `query:"limit" doc:"Workers, 1 to 500, 100 when absent."`
}

// AddList adds the call that lists remote workers.
func AddList(to *route.Table, workers inspect.Workers, queues inspect.Queues) {
	l := &list{workers, queues}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/workers", ID: "list-workers", Needs: inspect.PermissionView, Scope: scope.Partly, Tag: "workers",
		Summary: "List remote workers by name, and what nobody can run",
		About: "The workers that living nodes know: those that polled or extended a lease within the last minute, or have leases. " +
			"The node that answers knows its own as they are; what others know is up to ten seconds old.",
	}, l.list)
}

type list struct {
	workers inspect.Workers
	queues  inspect.Queues
}

func (l *list) list(ctx context.Context, in *listInput) (*route.Answer[client.RemoteWorkers], error) {
	most, err := query.Most(in.Limit)
	if err != nil {
		return nil, err
	}
	views, more, err := l.workers.List(ctx, scope.Queues(ctx)...)
	if err != nil {
		return nil, err
	}
	stranded, strandedMore, err := l.queues.Stranded(ctx, scope.Queues(ctx)...)
	if err != nil {
		return nil, err
	}
	out := client.RemoteWorkers{
		Total: len(views) + more, Workers: []client.RemoteWorker{},
		Stranded: wire.Each(stranded, func(s *inspect.Stranded) client.StrandedTasks {
			return client.StrandedTasks{Queue: s.Queue, Type: s.Type, Requests: s.Requests, Since: wire.Time(s.Since), Waiting: s.Waiting}
		}),
		StrandedMore: strandedMore,
	}
	for i := range views[:min(len(views), most)] {
		worker := wireWorker(&views[i])
		if scope.Narrow(ctx) == nil {
			worker.InHand = &views[i].InHand
		}
		out.Workers = append(out.Workers, worker)
	}
	return route.OK(out)
}

func wireWorker(view *inspect.WorkerView) client.RemoteWorker {
	out := client.RemoteWorker{
		Name: view.Name, Release: view.Release, Queues: view.Queues, Types: view.Types, Nodes: view.Nodes,
		Since: wire.Time(view.Since), LastPoll: wire.Time(view.LastPoll), Waiting: view.Waiting,
		Leases: wire.Each(view.Leases, func(l *inspect.WorkerLease) client.WorkerLease {
			return client.WorkerLease{ID: l.Task, Claim: l.Claim, Type: l.Type, Queue: l.Queue, LeaseUntil: wire.Time(l.Until)}
		}),
	}
	if out.Types == nil {
		out.Types = []string{"*"}
	}
	return out
}
