package dead

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// MaxIDs is how many letters one call may name.
	MaxIDs = 10_000
	// MaxRate is the largest rate, in letters per second.
	MaxRate = 100_000
	// MaxCanary is how many letters may go first.
	MaxCanary = 1000
	// redriveBatch is how many letters go back in one transaction.
	redriveBatch = 1000 // fewer where letters are large: the stores see to that
	// sampleSize is how many letters a dry run shows.
	sampleSize = 10
	// mostCounted is where counting stops.
	mostCounted = 10_000_000
)

// Check returns what is wrong with a request, nothing when all is well.
func Check(r *inspect.RedriveRequest) []task.Field {
	var wrong []task.Field
	add := func(path, message string) { wrong = append(wrong, task.Field{Path: path, Message: message}) }
	switch {
	case r.Filter == nil && len(r.IDs) == 0:
		add("ids", "ids or a filter is required")
	case r.Filter != nil && r.IDs != nil: // an empty list would mean all that match
		add("filter", "is given together with ids")
	case len(r.IDs) > MaxIDs:
		add("ids", "10000 ids are the limit; use a filter for more")
	}
	if !(r.Rate >= 0 && r.Rate <= MaxRate) {
		add("rate", "is outside 0 to 100000 letters per second")
	} else if r.Rate > 0 && r.Rate < 1e-4 {
		add("rate", "is less than one letter in about three hours")
	}
	if r.Canary < 0 || r.Canary > MaxCanary {
		add("canary", "is outside 0 to 1000 letters")
	}
	if !(r.StopIfFailing >= 0 && r.StopIfFailing <= 1) {
		add("stop_if_failing", "is outside 0 to 1, a share of the letters")
	}
	if len(r.Payload) > task.MaxPayload {
		add("payload", "has more than 1 MiB")
	}
	return wrong
}

// Watches reports whether the operation counts what becomes of the letters.
func Watches(r *inspect.RedriveRequest) bool { return r.Canary > 0 || r.StopIfFailing > 0 }

// takesTime reports whether it is more than to send named letters back now: they
// are to go at a rate, or it matters what becomes of them.
func takesTime(r *inspect.RedriveRequest) bool { return r.Rate > 0 || Watches(r) }

// Redrive sends letters back that are named by ids, at once, or begins an
// operation for those that match a filter, go at a rate or are to be watched. The row of the
// audit log gets its subject and what was asked for.
func (r *Redriver) Redrive(ctx context.Context, request inspect.RedriveRequest, audit store.Audit) (inspect.RedriveResult, error) {
	if wrong := Check(&request); len(wrong) > 0 {
		return inspect.RedriveResult{}, &task.Error{Code: task.CodeInvalid, Message: "the redrive is invalid", Fields: wrong,
			Hint: "give ids (at most 10000) or a filter; a rate of 0 is as fast as possible"}
	}
	switch {
	case request.DryRun:
		return r.preview(ctx, &request)
	case request.Filter == nil && !takesTime(&request):
		audit.Subject = "dead"
		return r.redriveIDs(ctx, &request, audit)
	}
	return r.begin(ctx, &request, audit)
}

// described is a request for the audit log: without the payload, which may be
// a secret.
func described(r *inspect.RedriveRequest, matched int) []byte {
	said := struct {
		IDs           int            `json:"ids,omitempty"`
		Named         []task.ID      `json:"named,omitempty"` // the first of them
		Filter        map[string]any `json:"filter,omitempty"`
		Matched       int            `json:"matched"`
		Rate          float64        `json:"rate,omitempty"`
		Canary        int            `json:"canary,omitempty"`
		StopIfFailing float64        `json:"stop_if_failing,omitempty"`
		KeepAttempts  bool           `json:"keep_attempts,omitempty"`
		PayloadBytes  *int           `json:"payload_bytes,omitempty"`
	}{len(r.IDs), firstNamed(r.IDs), nil, matched, r.Rate, r.Canary, r.StopIfFailing, r.KeepAttempts, nil}
	if r.Filter != nil {
		said.Filter = FilterText(*r.Filter)
	}
	if r.Payload != nil {
		said.PayloadBytes = new(int)
		*said.PayloadBytes = len(r.Payload)
	}
	text, _ := json.Marshal(said) // plain values
	return text
}

// mostNamed is how many ids of a call the audit log names.
const mostNamed = 20

func firstNamed(ids []task.ID) []task.ID { return ids[:min(len(ids), mostNamed)] }

// FilterText is a filter of dead letters for people and the audit log: what it asks
// for, by the names of the API.
func FilterText(f store.Filter) map[string]any {
	f.State = ""
	return f.Said()
}

// preview is a dry run.
func (r *Redriver) preview(ctx context.Context, request *inspect.RedriveRequest) (result inspect.RedriveResult, err error) {
	var first []store.Letter
	if request.Filter != nil {
		filter := Letters(*request.Filter)
		result.DiedBefore = bounded(filter, r.clock.Now(ctx)).DiedBefore
		if result.Matched, err = r.backend.Count(ctx, filter, mostCounted); err == nil {
			first, err = r.backend.Letters(ctx, filter, task.ID{}, sampleSize)
		}
	} else {
		first, result.Missing, err = r.named(ctx, request.IDs)
		result.Matched, first = len(first), first[:min(len(first), sampleSize)]
	}
	if err != nil {
		return inspect.RedriveResult{}, err
	}
	for _, letter := range first {
		t, err := r.backend.Get(ctx, letter.ID)
		if isCode(err, task.CodeNotFound) {
			continue // it went away meanwhile
		}
		if err != nil {
			return inspect.RedriveResult{}, err
		}
		result.Sample = append(result.Sample, sampleOf(t))
	}
	return result, nil
}

func sampleOf(t *task.Task) inspect.LetterSample {
	s := inspect.LetterSample{ID: t.ID, Type: t.Type, Queue: t.Queue, Key: t.Key, Reason: t.DeadReason, DiedAt: t.FinishedAt}
	if t.LastError != nil {
		s.Category, s.Message = t.LastError.Category, t.LastError.Message
	}
	return s
}

// named are the letters among ids, in that order, and the ids that are none.
func (r *Redriver) named(ctx context.Context, ids []task.ID) (letters []store.Letter, missing []task.ID, err error) {
	found := make(map[task.ID]*store.Letter, len(ids))
	for part := range slices.Chunk(ids, redriveBatch) {
		some, err := r.backend.Letters(ctx, store.Filter{State: task.Dead, IDs: part}, task.ID{}, len(part))
		if err != nil {
			return nil, nil, err
		}
		for i := range some {
			found[some[i].ID] = &some[i]
		}
	}
	for _, id := range ids {
		if letter := found[id]; letter != nil {
			letters = append(letters, *letter)
			delete(found, id) // once
		} else {
			missing = append(missing, id)
		}
	}
	return letters, missing, nil
}

// redriveIDs sends letters back by ids, those of a key in their order.
func (r *Redriver) redriveIDs(ctx context.Context, request *inspect.RedriveRequest, audit store.Audit) (result inspect.RedriveResult, err error) {
	letters, missing, err := r.named(ctx, request.IDs)
	if err != nil {
		return inspect.RedriveResult{}, err
	}
	result.Missing = missing
	ids := inOrder(letters)
	audit.After = described(request, len(ids))
	for i := 0; i < len(ids); i += redriveBatch {
		options := store.RedriveOptions{KeepAttempts: request.KeepAttempts, Payload: request.Payload}
		if result.Matched == 0 { // once, with the first that go
			options.Audit = []store.Audit{audit}
		}
		done, missing, err := r.send(ctx, ids[i:min(i+redriveBatch, len(ids))], options)
		result.Matched += done
		result.Missing = append(result.Missing, missing...)
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

// send sends one batch back, and says of each letter what the events about
// attempts say, of its last.
func (r *Redriver) send(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done int, missing []task.ID, err error) {
	sent, missing, err := r.backend.Redrive(ctx, ids, options)
	revived := make([]task.ID, len(sent))
	for i := range sent {
		t := &sent[i]
		revived[i] = t.ID
		r.log.LogAttrs(ctx, slog.LevelInfo, "attempt.repeated",
			slog.String("task", t.ID.String()), slog.String("type", t.Type), slog.String("queue", t.Queue), slog.Int("attempt", t.Attempt),
			slog.Int64("claim", t.Claim), slog.String("trace_id", task.TraceID(t.TraceParent)), slog.String("reason", "redrive"))
	}
	if len(sent) > 0 {
		r.node.Wake(lanesOf(revived)...)
	}
	return len(sent), missing, err
}

// spread is the time that n letters take at a rate, 0 without one.
func spread(n int, rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(float64(n) / rate * float64(time.Second))
}

// spreadOver is when each of n letters runs at a rate; nil without one.
func spreadOver(n int, start time.Time, rate float64) []time.Time {
	if rate <= 0 {
		return nil
	}
	at := make([]time.Time, n)
	for i := range at {
		at[i] = start.Add(spread(i, rate))
	}
	return at
}
