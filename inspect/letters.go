package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters shows dead letters, sends them back and deletes them.
type Letters struct{ node *node }

// Find is [Tasks.Find] for dead letters.
func (ls *Letters) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*View, string, error) {
	return (&Tasks{ls.node}).Find(ctx, dead.Letters(filter), page)
}

// Stats returns how many dead letters there are, by type, reason and
// category.
func (ls *Letters) Stats(ctx context.Context) (*store.DeadStats, error) {
	return ls.node.Backend.DeadStats(ctx)
}

// Groups returns dead letters that match grouped by what went wrong, the
// largest group first; at most limit groups, 100 if it is 0.
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

// Trends tells when and where the letters of groups died, by fingerprint: of the
// newest 4 000 letters of those that match, 1 000 with a type or a fingerprint; of 4 000
// of each queue of a filter that is bound to queues.
func (ls *Letters) Trends(ctx context.Context, filter store.Filter) (map[string]*dead.Trend, error) {
	since := dead.TrendSince(time.Now())
	parts, err := inEach(filter, func(filter store.Filter) ([]store.DeadPart, error) {
		return ls.node.Backend.DeadTrend(ctx, dead.Letters(filter), since)
	})
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

// Group returns the group of one fingerprint, of the letters that match; code
// "not_found" where there is none.
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

// Redrive sends dead letters back to their queues: those of ids at once, with
// the ids that are none in Missing; those of a filter, and those with a rate, a
// canary or a bound of failures, by an operation that outlives this node, whose id is
// returned. A dry run changes nothing, and shows what would go first.
func (ls *Letters) Redrive(ctx context.Context, request dead.Request) (dead.Result, error) {
	if request.Filter != nil {
		if err := checkFilter(request.Filter, nil); err != nil {
			return dead.Result{}, err
		}
	}
	result, err := ls.node.Letters.Redriver().Redrive(ctx, request, actor.Audit(ctx, "dead.redrive", ""))
	if err == nil && !request.DryRun && result.Operation == "" {
		ls.node.Redriven(result.Matched, len(result.Missing))
	}
	return result, err
}

// Purge deletes the dead letters that match, and says how many: those of a filter
// that are dead by now, or died before its DiedBefore. A dry run only counts.
func (ls *Letters) Purge(ctx context.Context, filter store.Filter, dryRun bool) (dead.Purged, error) {
	if err := checkFilter(&filter, nil); err != nil {
		return dead.Purged{}, err
	}
	return ls.node.Letters.Purge(ctx, filter, dryRun, actor.Audit(ctx, "dead.purge", "dead"))
}

// Export calls each for every dead letter that matches, the newest first,
// with its attempts, the oldest first. An error of each ends it.
func (ls *Letters) Export(ctx context.Context, filter store.Filter, each func(*task.Task, []task.Attempt) error) error {
	if err := checkFilter(&filter, nil); err != nil {
		return err
	}
	return dead.Export(ctx, ls.node.Backend, filter, each)
}
