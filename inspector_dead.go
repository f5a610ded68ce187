package outlast

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/bulk"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// RedriveRequest says which dead letters to send back to their queues, and
// how; see [dead.Request].
type RedriveRequest = dead.Request

// RedriveResult is what a redrive led to; see [dead.Result].
type RedriveResult = dead.Result

// Dead is [Inspector.Find] for dead letters.
func (i *Inspector) Dead(ctx context.Context, filter store.Filter, page store.Page) ([]*View, string, error) {
	return i.Find(ctx, dead.Letters(filter), page)
}

// DeadStats returns how many dead letters there are, by type, reason and
// category.
func (i *Inspector) DeadStats(ctx context.Context) (*store.DeadStats, error) {
	return i.client.backend.DeadStats(ctx)
}

// DeadGroups returns dead letters that match grouped by what went wrong, the
// largest group first; at most limit groups, 100 if it is 0.
func (i *Inspector) DeadGroups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error) {
	if limit <= 0 {
		limit = 100
	}
	each := limit
	if len(filter.Queues) > 1 {
		each = dead.MostGroups // one that is small in each may be large in all
	}
	groups, err := inEach(filter, func(filter store.Filter) ([]store.DeadGroup, error) {
		return i.client.backend.DeadGroups(ctx, dead.Letters(filter), each)
	})
	if err != nil {
		return nil, err
	}
	if len(filter.Queues) > 1 {
		groups = dead.Together(groups)
	}
	return groups[:min(len(groups), limit)], nil
}

// DeadTrends tells when and where the letters of groups died, by fingerprint: of the
// newest 4 000 letters of those that match, 1 000 with a type or a fingerprint; of 4 000
// of each queue of a filter that is bound to queues.
func (i *Inspector) DeadTrends(ctx context.Context, filter store.Filter) (map[string]*dead.Trend, error) {
	since := dead.TrendSince(time.Now())
	parts, err := inEach(filter, func(filter store.Filter) ([]store.DeadPart, error) {
		return i.client.backend.DeadTrend(ctx, dead.Letters(filter), since)
	})
	if err != nil {
		return nil, err
	}
	topology, err := i.Topology(ctx)
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

// DeadGroup returns the group of one fingerprint, of the letters that match; code
// "not_found" where there is none.
func (i *Inspector) DeadGroup(ctx context.Context, fingerprint string, filter store.Filter) (*store.DeadGroup, error) {
	filter.Fingerprint = fingerprint
	groups, err := i.DeadGroups(ctx, filter, 1)
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
func (i *Inspector) Redrive(ctx context.Context, request RedriveRequest) (RedriveResult, error) {
	if request.Filter != nil {
		if err := checkFilter(request.Filter, nil); err != nil {
			return RedriveResult{}, err
		}
	}
	result, err := i.client.keeper.Redriver().Redrive(ctx, request, actor.Audit(ctx, "dead.redrive", ""))
	if err == nil && !request.DryRun && result.Operation == "" {
		i.client.metrics.redrive(result.Matched, len(result.Missing))
	}
	return result, err
}

// Purge deletes the dead letters that match, and says how many: those of a filter
// that are dead by now, or died before its DiedBefore. A dry run only counts.
func (i *Inspector) Purge(ctx context.Context, filter store.Filter, dryRun bool) (dead.Purged, error) {
	if err := checkFilter(&filter, nil); err != nil {
		return dead.Purged{}, err
	}
	return i.client.keeper.Purge(ctx, filter, dryRun, actor.Audit(ctx, "dead.purge", "dead"))
}

// Export calls each for every dead letter that matches, the newest first,
// with its attempts, the oldest first. An error of each ends it.
func (i *Inspector) Export(ctx context.Context, filter store.Filter, each func(*Task, []Attempt) error) error {
	if err := checkFilter(&filter, nil); err != nil {
		return err
	}
	return dead.Export(ctx, i.client.backend, filter, each)
}

// Operation returns a long action with its progress; code "not_found", with queues also
// for one that is about another queue.
func (i *Inspector) Operation(ctx context.Context, id string, queues ...string) (*store.Operation, error) {
	operation, err := i.client.backend.Operation(ctx, id)
	if err == nil && len(queues) > 0 && !aboutOnly(operation, queues) {
		return nil, task.NotFound("operation", id)
	}
	return operation, err
}

// Operations returns the newest long actions, at most n, or 100 if n is 0. With
// queues, those that are about no other queue.
func (i *Inspector) Operations(ctx context.Context, n int, queues ...string) ([]store.Operation, error) {
	if n < 0 || n > maxPage {
		return nil, task.Invalid("limit", "is outside 1 to 500", "0 means 100")
	}
	n = cmp.Or(n, 100)
	for most := n; ; most *= 4 { // what an operation is about, only its request tells
		all, err := i.client.backend.Operations(ctx, "", most)
		if err != nil {
			return nil, err
		}
		own, last := all, len(all) < most
		if len(queues) > 0 {
			own = slices.DeleteFunc(all, func(o store.Operation) bool { return !aboutOnly(&o, queues) })
		}
		if last || len(own) >= n {
			return own[:min(len(own), n)], nil
		}
	}
}

// aboutOnly reports whether an operation is about some of the queues, and no other:
// whoever sees one may stop it, for all that it is about.
func aboutOnly(operation *store.Operation, queues []string) bool {
	about := append(dead.QueuesOf(operation), bulk.QueuesOf(operation)...)
	return len(about) > 0 && !slices.ContainsFunc(about, func(queue string) bool { return !slices.Contains(queues, queue) })
}

// OperationItems is the report of a redrive: what has become of each of its
// letters, in the order in which they go. A page has at most 500, and 100 if its
// limit is 0. Code "not_found" for operations that are unknown or have no report
// any more: it is kept as long as dead letters are, from the end of the operation.
func (i *Inspector) OperationItems(ctx context.Context, id string, page store.Page) (items []dead.Item, next string, err error) {
	return i.client.keeper.Redriver().Items(ctx, id, page)
}

// controller pauses, resumes and cancels operations.
type controller interface {
	Pause(ctx context.Context, id string, audit store.Audit) (*store.Operation, error)
	Resume(ctx context.Context, id string, audit store.Audit) (*store.Operation, error)
	Cancel(ctx context.Context, id string, audit store.Audit) (*store.Operation, error)
}

// controllerOf finds who works on operations of the kind of this one.
func (i *Inspector) controllerOf(ctx context.Context, id string) (controller, error) {
	operation, err := i.client.backend.Operation(ctx, id)
	if err != nil {
		return nil, err
	}
	if bulk.Is(operation.Kind) {
		return i.client.bulk, nil
	}
	return i.client.keeper.Redriver(), nil
}

// PauseOperation stops a running operation after its current batch; code
// "conflict" for one that has ended.
func (i *Inspector) PauseOperation(ctx context.Context, id string) (*store.Operation, error) {
	controller, err := i.controllerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return controller.Pause(ctx, id, actor.Audit(ctx, "operation.pause", ""))
}

// ResumeOperation lets a paused operation go on.
func (i *Inspector) ResumeOperation(ctx context.Context, id string) (*store.Operation, error) {
	controller, err := i.controllerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return controller.Resume(ctx, id, actor.Audit(ctx, "operation.resume", ""))
}

// CancelOperation ends an operation after its current batch. What it has done
// stays done.
func (i *Inspector) CancelOperation(ctx context.Context, id string) (*store.Operation, error) {
	controller, err := i.controllerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return controller.Cancel(ctx, id, actor.Audit(ctx, "operation.cancel", ""))
}
