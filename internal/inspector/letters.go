package inspector

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters is [inspect.Letters].
type Letters struct{ node *node }

func (ls *Letters) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*inspect.View, string, error) {
	return (&Tasks{ls.node}).Find(ctx, dead.Letters(filter), page)
}

func (ls *Letters) Stats(ctx context.Context) (*store.DeadStats, error) {
	return ls.node.Backend.DeadStats(ctx)
}

func (ls *Letters) Groups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error) {
	if limit <= 0 {
		limit = 100
	}
	each := limit
	if len(filter.Queues) > 1 {
		each = dead.MostGroups // one that is small in each may be large in all
	}
	groups, err := inEach(filter, func(filter store.Filter) ([]store.DeadGroup, error) {
		return ls.node.Backend.DeadGroups(ctx, dead.Letters(filter), each)
	})
	if err != nil {
		return nil, err
	}
	if len(filter.Queues) > 1 {
		groups = dead.Together(groups)
	}
	return groups[:min(len(groups), limit)], nil
}

func (ls *Letters) Trends(ctx context.Context, filter store.Filter) (map[string]*inspect.Trend, error) {
	since := dead.TrendSince(time.Now())
	parts, err := ls.parts(ctx, filter, since)
	if err != nil {
		return nil, err
	}
	topology, err := ls.node.topology(ctx)
	if err != nil {
		return nil, err
	}
	releases := map[string]string{}
	for n := range topology.Nodes {
		releases[topology.Nodes[n].ID] = topology.Nodes[n].Release
	}
	return dead.Trends(parts, since, releases), nil
}

func (ls *Letters) parts(ctx context.Context, filter store.Filter, since time.Time) ([]store.DeadPart, error) {
	return inEach(filter, func(filter store.Filter) ([]store.DeadPart, error) {
		return ls.node.Backend.DeadTrend(ctx, dead.Letters(filter), since)
	})
}

// inEach reads what a filter means, in each of the queues that it is bound to.
func inEach[T any](filter store.Filter, read func(store.Filter) ([]T, error)) (all []T, err error) {
	if err := checkFilter(&filter, nil); err != nil {
		return nil, err
	}
	queues := filter.Queues
	for n := range max(1, len(queues)) {
		if len(queues) > 0 {
			filter.Queues = queues[n : n+1]
		}
		found, err := read(filter)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (ls *Letters) Group(ctx context.Context, fingerprint string, filter store.Filter) (*store.DeadGroup, error) {
	filter.Fingerprint = fingerprint
	groups, err := ls.Groups(ctx, filter, 1)
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 || fingerprint == "" {
		return nil, task.NotFound("group", fingerprint)
	}
	return &groups[0], nil
}

func (ls *Letters) Redrive(ctx context.Context, request inspect.RedriveRequest) (inspect.RedriveResult, error) {
	if request.Filter != nil {
		if err := checkFilter(request.Filter, nil); err != nil {
			return inspect.RedriveResult{}, err
		}
	}
	result, err := ls.node.Letters.Redriver().Redrive(ctx, request, actor.Audit(ctx, "dead.redrive", ""))
	switch {
	case err != nil, request.DryRun && result.Matched == 0:
	case request.DryRun:
		result.Warnings, err = ls.warnings(ctx, &request)
	case result.Operation == "":
		ls.node.Redriven(result.Matched, len(result.Missing))
	}
	return result, err
}

// warnings are what speaks against a redrive. A payload that replaces those of the letters
// may be what mends them.
func (ls *Letters) warnings(ctx context.Context, request *inspect.RedriveRequest) ([]inspect.RedriveWarning, error) {
	filter := store.Filter{IDs: request.IDs[:min(len(request.IDs), mostNamed)]}
	if request.Filter != nil {
		filter = *request.Filter
	}
	present, err := ls.present(ctx)
	if err != nil {
		return nil, err
	}
	parts, err := ls.parts(ctx, filter, time.Time{})
	if err != nil {
		return nil, err
	}
	warnings := present.OpenTargets(parts)
	if request.Payload != nil {
		return warnings, nil
	}
	causes, err := present.Causes(ctx, ls.node.Backend, filter)
	return append(causes, warnings...), err
}

// mostNamed is of how many letters that are named by ids the targets are looked at.
const mostNamed = 1000

// present is how things are now.
func (ls *Letters) present(ctx context.Context) (*dead.Present, error) {
	topology, err := ls.node.topology(ctx)
	if err != nil {
		return nil, err
	}
	targets, err := (&Targets{ls.node}).List(ctx)
	return &dead.Present{Nodes: topology.Nodes, Targets: targets, Policy: func(t *task.Task) (string, int64) {
		policy, name, err := ls.node.Policies.Of(t)
		if err != nil {
			return "", 0
		}
		return name, policy.Version()
	}}, err
}

func (ls *Letters) Purge(ctx context.Context, filter store.Filter, dryRun bool) (inspect.Purged, error) {
	if err := checkFilter(&filter, nil); err != nil {
		return inspect.Purged{}, err
	}
	return ls.node.Letters.Purge(ctx, filter, dryRun, actor.Audit(ctx, "dead.purge", "dead"))
}

func (ls *Letters) Export(ctx context.Context, filter store.Filter, each func(inspect.Letter) error) error {
	if err := checkFilter(&filter, nil); err != nil {
		return err
	}
	return dead.Export(ctx, ls.node.Backend, filter, each)
}
