package bulk

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Node is what a runner needs to know of the engine beside it.
type Node interface {
	Topology() *store.Topology
	Node() string
}

// Config is what a [Runner] is made of.
type Config struct {
	Backend store.Backend
	Node    Node
	Log     *slog.Logger
	// Steered is told what was done to tasks on this node. It must not block.
	Steered func([]store.Steered)
}

// Runner does requests and works on operations: one goroutine, and one more for each
// operation that runs here. It is safe for concurrent use; without being started it
// begins operations, which other nodes then work on.
type Runner struct {
	*operation.Runner[work, *work]
	backend store.Backend
	steered func([]store.Steered)
	loops   background.Loops
}

// New makes a runner.
func New(config Config) *Runner {
	r := &Runner{backend: config.Backend, steered: config.Steered}
	r.Runner = operation.NewRunner(operation.Config[work, *work]{
		Backend: config.Backend, Node: config.Node, Log: config.Log, Is: Is, Chunks: "bulk.chunk",
		Work: func(hold *operation.Hold[work, *work]) operation.Worker { return &worker{Runner: r, hold: hold} },
	})
	return r
}

// Start begins to work. Call it once.
func (r *Runner) Start(ctx context.Context) { r.loops.Start(ctx, r.Run) }

// Stop ends the work and waits for it, no longer than ctx. Operations go on wherever
// another node runs.
func (r *Runner) Stop(ctx context.Context) error { return r.loops.Stop(ctx) }

// Do does a request at once if it names few tasks, or begins an operation. The row of
// the audit log gets its subject and what was asked for.
func (r *Runner) Do(ctx context.Context, request inspect.BulkRequest, audit store.Audit) (inspect.BulkResult, error) {
	if err := Check(&request); err != nil {
		return inspect.BulkResult{}, err
	}
	request.IDs = distinct(request.IDs)
	switch {
	case request.DryRun && request.Filter != nil:
		return r.count(ctx, &request)
	case request.DryRun:
		return r.foresee(ctx, &request)
	case takesTime(&request):
		return r.begin(ctx, &request, audit)
	}
	return r.atOnce(ctx, &request, audit)
}

// count is a dry run by filter.
func (r *Runner) count(ctx context.Context, request *inspect.BulkRequest) (result inspect.BulkResult, err error) {
	filter, err := r.standing(ctx, request)
	if err != nil {
		return inspect.BulkResult{}, err
	}
	result.Until = filter.Until
	if result.Matched, result.AtLeast, err = r.matching(ctx, filter, request.Hidden); err != nil {
		return inspect.BulkResult{}, err
	}
	for cursor := ""; len(result.Sample) < sampleSize; {
		page, next, err := r.backend.Find(ctx, filter, store.Page{Limit: sampleSize, Cursor: cursor})
		if err != nil {
			return inspect.BulkResult{}, err
		}
		page = slices.DeleteFunc(page, func(t *task.Task) bool { return request.Hidden != "" && t.Queue == request.Hidden })
		result.Sample = append(result.Sample, page[:min(len(page), sampleSize-len(result.Sample))]...)
		if cursor = next; next == "" {
			break
		}
	}
	return result, nil
}

// standing is the filter of a request, of tasks that are there already. Whoever gave a
// task its id may have a clock that is ahead of this node's.
func (r *Runner) standing(ctx context.Context, request *inspect.BulkRequest) (store.Filter, error) {
	filter, until := selects(request), time.Now()
	newestFirst := filter // whenever they failed
	newestFirst.FailedSince, newestFirst.FailedUntil, newestFirst.Failed = time.Time{}, time.Time{}, false
	newest, _, err := r.backend.Find(ctx, newestFirst, store.Page{Limit: 1, Bare: true})
	if err != nil {
		return filter, err
	}
	if len(newest) > 0 && newest[0].ID.Time().After(until) {
		until = newest[0].ID.Time().Add(time.Millisecond) // of which an id tells no part
	}
	if filter.Until.IsZero() || filter.Until.After(until) {
		filter.Until = until
	}
	return filter, nil
}

// matching counts what matches, and says whether there is more than was counted.
func (r *Runner) matching(ctx context.Context, filter store.Filter, hidden string) (n int, more bool, err error) {
	left := 0
	if hidden != "" {
		own := filter
		own.Queue = hidden
		if left, err = r.backend.Count(ctx, own, MostCounted); err != nil {
			return 0, false, err
		}
	}
	if n, err = r.backend.Count(ctx, filter, MostCounted+left); err != nil {
		return 0, false, err
	}
	n = max(0, n-left)
	return n, n >= MostCounted, nil
}

// foresee is a dry run with ids.
func (r *Runner) foresee(ctx context.Context, request *inspect.BulkRequest) (result inspect.BulkResult, err error) {
	found, err := operation.Find(ctx, r.backend, request.IDs)
	if err != nil {
		return inspect.BulkResult{}, err
	}
	for _, id := range request.IDs {
		t := found[id]
		switch status := would(request, t); status {
		case inspect.BulkChanged, inspect.BulkAsked:
			result.Matched++
			if len(result.Sample) < sampleSize {
				result.Sample = append(result.Sample, t)
			}
		default:
			result.Items = append(result.Items, inspect.BulkItem{ID: id, Status: status, Task: t})
		}
	}
	return result, nil
}

// atOnce does a request that names few tasks.
func (r *Runner) atOnce(ctx context.Context, request *inspect.BulkRequest, audit store.Audit) (result inspect.BulkResult, err error) {
	steering := steering(request, request.IDs)
	audit.Subject, audit.After = "tasks", described(request, len(request.IDs))
	steering.Audit = []store.Audit{audit}
	steered, _, err := r.backend.Steer(ctx, steering)
	if err != nil {
		return inspect.BulkResult{}, err
	}
	r.tell(steered)
	found, err := operation.Find(ctx, r.backend, request.IDs)
	if err != nil {
		return inspect.BulkResult{}, err
	}
	for i := range steered {
		s := &steered[i]
		if s.Err == nil {
			result.Matched++
		}
		result.Items = append(result.Items, inspect.BulkItem{ID: s.ID, Status: became(s), Task: found[s.ID]})
	}
	return result, nil
}

func (r *Runner) tell(steered []store.Steered) {
	done := slices.DeleteFunc(slices.Clone(steered), func(s store.Steered) bool { return s.Err != nil })
	if len(done) > 0 {
		r.steered(done)
	}
}

// begin begins an operation.
func (r *Runner) begin(ctx context.Context, request *inspect.BulkRequest, audit store.Audit) (result inspect.BulkResult, err error) {
	o := &work{Action: request.Action, Hidden: request.Hidden, RunAt: request.RunAt, Reason: request.Reason}
	if request.Filter == nil {
		o.IDs, o.Named, o.Queues = request.IDs, len(request.IDs), r.QueuesOf(request.IDs)
		result.Matched = o.Named
	} else {
		if o.Filter, err = r.standing(ctx, request); err != nil {
			return inspect.BulkResult{}, err
		}
		if result.Matched, result.AtLeast, err = r.matching(ctx, o.Filter, o.Hidden); err != nil {
			return inspect.BulkResult{}, err
		}
	}
	audit.After = described(request, result.Matched)
	if result.Operation, err = r.Begin(ctx, o, string(request.Action), result.Matched, audit); err != nil {
		return inspect.BulkResult{}, err
	}
	return result, nil
}
