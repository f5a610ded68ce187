package store

import (
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// Matches reports whether a task, as it stands, is one that the filter selects. It is what
// stores ask who look at tasks one by one, and what conditions of a database must mean.
func (f *Filter) Matches(t *task.Task) bool {
	var failure task.Failure
	if t.LastError != nil {
		failure = *t.LastError
	}
	made := t.ID.Time()
	return equalOrAny(f.State, t.State) && (!f.Live || !t.State.Final()) && equalOrAny(f.Type, t.Type) && equalOrAny(f.Queue, t.Queue) &&
		equalOrAny(f.Key, t.Key) && equalOrAny(f.Category, failure.Category) && equalOrAny(f.Reason, t.DeadReason) &&
		equalOrAny(f.Fingerprint, failure.Fingerprint) && equalOrAny(f.Trace, traceID(t.Spec.TraceParent)) &&
		(f.Since.IsZero() || !made.Before(f.Since)) && (f.Until.IsZero() || made.Before(f.Until)) &&
		(f.DiedBefore.IsZero() || t.State == task.Dead && t.FinishedAt.Before(f.DiedBefore)) &&
		equalOrAny(f.Target, t.Target) && t.Attempt >= f.AttemptMin && f.hasMetadata(t) && f.finds(t) &&
		f.hasFailed(t) && (f.Without == "" || f.Without != t.Queue) && f.Sees(t) && (f.IDs == nil || slices.Contains(f.IDs, t.ID))
}

// Sees reports whether a task is in the queues that the filter is bound to.
func (f *Filter) Sees(t *task.Task) bool {
	return len(f.Queues) == 0 || slices.Contains(f.Queues, t.Queue)
}

func (f *Filter) hasFailed(t *task.Task) bool {
	at := t.LastFailedAt
	return !f.ByFailure() || !at.IsZero() && (f.FailedSince.IsZero() || !at.Before(f.FailedSince)) &&
		(f.FailedUntil.IsZero() || at.Before(f.FailedUntil)) && (!f.Failed || t.State != task.Succeeded)
}

func (f *Filter) hasMetadata(t *task.Task) bool {
	for name, value := range f.Metadata {
		if has, ok := t.Spec.Metadata[name]; !ok || has != value {
			return false
		}
	}
	return true
}

func (f *Filter) finds(t *task.Task) bool {
	return equalOrAny(f.Search, t.Key) || t.Type == f.Search || t.LastError != nil && strings.Contains(Small(t.LastError.Message), Small(f.Search))
}

func equalOrAny[T comparable](want, have T) bool {
	var zero T
	return want == zero || want == have
}

// traceID is the second field of a W3C trace parent.
func traceID(parent string) string {
	_, rest, _ := strings.Cut(parent, "-")
	id, _, _ := strings.Cut(rest, "-")
	return id
}

// Small makes the letters A to Z small, and no others: so texts of a search and of a message
// are compared.
func Small(text string) string {
	small := []byte(text)
	for i, c := range small {
		if 'A' <= c && c <= 'Z' {
			small[i] = c + 'a' - 'A'
		}
	}
	return string(small)
}
