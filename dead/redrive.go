package dead

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// MaxIDs is how many letters one call may name.
	MaxIDs = 10_000
	// MaxRate is the largest rate, in letters per second.
	MaxRate = 100_000
	// redriveBatch is how many letters go back in one transaction.
	redriveBatch = 500
	// sampleSize is how many ids a dry run shows.
	sampleSize = 10
	// mostCounted is where counting stops.
	mostCounted = 10_000_000
)

// Request says which letters to send back and how. Either IDs or Filter.
type Request struct {
	IDs          []task.ID
	Filter       *store.Filter
	DryRun       bool    // count, change nothing
	Rate         float64 // letters per second, 0 for all at once
	KeepAttempts bool    // go on counting instead of from 1
	Payload      []byte  // replaces the payload when not nil
}

// Result is what a request led to.
type Result struct {
	Operation string    // of a filter: the id of the operation that does the work
	Matched   int       // letters sent back, or that match the filter
	Missing   []task.ID // ids that are no dead letters
	Sample    []task.ID // of a dry run: some that match
}

// Check returns what is wrong with a request, nothing when all is well.
func (r *Request) Check() []task.Field {
	var wrong []task.Field
	add := func(path, message string) { wrong = append(wrong, task.Field{Path: path, Message: message}) }
	switch {
	case r.Filter == nil && len(r.IDs) == 0:
		add("ids", "ids or a filter is required")
	case r.Filter != nil && len(r.IDs) > 0:
		add("filter", "is given together with ids")
	case len(r.IDs) > MaxIDs:
		add("ids", "10000 ids are the limit; use a filter for more")
	}
	if !(r.Rate >= 0 && r.Rate <= MaxRate) {
		add("rate", "is outside 0 to 100000 letters per second")
	} else if r.Rate > 0 && r.Rate < 1e-4 {
		add("rate", "is less than one letter in about three hours")
	}
	if len(r.Payload) > task.MaxPayload {
		add("payload", "has more than 1 MiB")
	}
	return wrong
}

// Redrive sends letters back that are named by ids, at once, or begins an
// operation for those that match a filter.
func (r *Redriver) Redrive(ctx context.Context, request Request) (Result, error) {
	if wrong := request.Check(); len(wrong) > 0 {
		return Result{}, &task.Error{Code: task.CodeInvalid, Message: "the redrive is invalid", Fields: wrong,
			Hint: "give ids (at most 10000) or a filter; a rate of 0 is as fast as possible"}
	}
	switch {
	case request.Filter == nil && request.DryRun:
		return r.lookAt(ctx, request.IDs)
	case request.Filter == nil:
		return r.redriveIDs(ctx, &request)
	case request.DryRun:
		return r.lookFor(ctx, *request.Filter)
	}
	return r.begin(ctx, &request)
}

// lookAt is a dry run by ids.
func (r *Redriver) lookAt(ctx context.Context, ids []task.ID) (result Result, err error) {
	for _, id := range ids {
		letter, err := r.backend.Get(ctx, id)
		if err != nil && !isCode(err, task.CodeNotFound) {
			return Result{}, err
		}
		if err != nil || letter.State != task.Dead {
			result.Missing = append(result.Missing, id)
			continue
		}
		if result.Matched++; len(result.Sample) < sampleSize {
			result.Sample = append(result.Sample, id)
		}
	}
	return result, nil
}

// lookFor is a dry run by filter.
func (r *Redriver) lookFor(ctx context.Context, filter store.Filter) (result Result, err error) {
	if result.Matched, err = r.backend.Count(ctx, Letters(filter), mostCounted); err != nil {
		return Result{}, err
	}
	enough := errors.New("enough")
	err = Each(ctx, r.backend, filter, func(letter *task.Task) error {
		if result.Sample = append(result.Sample, letter.ID); len(result.Sample) >= sampleSize {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return Result{}, err
	}
	return result, nil
}

// redriveIDs sends letters back by ids; a rate spreads their run times.
func (r *Redriver) redriveIDs(ctx context.Context, request *Request) (result Result, err error) {
	start := time.Now()
	for i := 0; i < len(request.IDs); i += redriveBatch {
		ids := request.IDs[i:min(i+redriveBatch, len(request.IDs))]
		done, missing, err := r.send(ctx, ids, request, start.Add(spread(i, request.Rate)))
		result.Matched += len(done)
		result.Missing = append(result.Missing, missing...)
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

// send sends one batch back, the first at start and the rest by the rate.
func (r *Redriver) send(ctx context.Context, ids []task.ID, request *Request, start time.Time) (done, missing []task.ID, err error) {
	options := store.RedriveOptions{KeepAttempts: request.KeepAttempts, Payload: request.Payload}
	if request.Rate > 0 {
		options.RunAt = make([]time.Time, len(ids))
		for i := range ids {
			options.RunAt[i] = start.Add(spread(i, request.Rate))
		}
	}
	about := r.about(ctx, ids)
	done, missing, err = r.backend.Redrive(ctx, ids, options)
	if len(done) > 0 {
		r.node.Wake(lanesOf(done)...)
	}
	for _, id := range done {
		attrs := about[id]
		if attrs == nil { // the store did not tell
			attrs = []slog.Attr{slog.String("task", id.String())}
		}
		r.log.LogAttrs(ctx, slog.LevelInfo, "attempt.repeated", append(attrs, slog.String("reason", "redrive"))...)
	}
	return done, missing, err
}

// about is what the events about letters say of each: what the events about
// attempts say, of its last. What cannot be read is absent, since a redrive
// is worth more than its log.
func (r *Redriver) about(ctx context.Context, ids []task.ID) map[task.ID][]slog.Attr {
	about := make(map[task.ID][]slog.Attr, len(ids))
	if !r.log.Enabled(ctx, slog.LevelInfo) {
		return about
	}
	for part := range slices.Chunk(ids, pageSize) {
		_ = Each(ctx, r.backend, store.Filter{IDs: part}, func(t *task.Task) error {
			about[t.ID] = []slog.Attr{
				slog.String("task", t.ID.String()), slog.String("type", t.Type), slog.String("queue", t.Queue),
				slog.Int("attempt", t.Attempt), slog.Int64("claim", t.Claim), slog.String("trace_id", task.TraceID(t.Spec.TraceParent)),
			}
			return nil
		})
	}
	return about
}

// spread is the time that n letters take at a rate, 0 without one.
func spread(n int, rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(float64(n) / rate * float64(time.Second))
}

func lanesOf(ids []task.ID) []uint16 {
	seen := make(map[uint16]bool)
	var lanes []uint16
	for _, id := range ids {
		if lane := id.Lane(); !seen[lane] {
			seen[lane] = true
			lanes = append(lanes, lane)
		}
	}
	return lanes
}

func isCode(err error, code task.Code) bool { return errors.Is(err, &task.Error{Code: code}) }
