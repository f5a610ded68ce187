// Package label names what observers count, so that all of them use the same
// words and none has more series than it can bear.
package label

import (
	"context"
	"errors"
	"sync"

	"github.com/outlast-dev/outlast/retry"
)

// Other stands for the targets beyond the bound.
const Other = "other"

// Targets hands out the names of targets as labels: the first most of them as
// they are, all others as [Other]. It is safe for concurrent use.
type Targets struct {
	most  int
	mu    sync.RWMutex
	known map[string]struct{}
}

// NewTargets bounds the names.
func NewTargets(most int) *Targets {
	return &Targets{most: most, known: make(map[string]struct{})}
}

// Of is the label of a target; the empty one stays empty and counts for nothing.
func (t *Targets) Of(name string) string {
	if name == "" {
		return ""
	}
	t.mu.RLock()
	_, ok := t.known[name]
	full := len(t.known) >= t.most
	t.mu.RUnlock()
	switch {
	case ok:
		return name
	case full:
		return Other
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.known[name]; !ok {
		if len(t.known) >= t.most {
			return Other
		}
		t.known[name] = struct{}{}
	}
	return name
}

// Number is the label of an attempt number: 1 to 5, 6-10, 11+.
func Number(n int) string {
	switch {
	case n <= 1:
		return "1"
	case n <= 5:
		return [...]string{"2", "3", "4", "5"}[n-2]
	case n <= 10:
		return "6-10"
	}
	return "11+"
}

// Numbers are all labels of attempt numbers.
func Numbers() []string { return []string{"1", "2", "3", "4", "5", "6-10", "11+"} }

// Success is the result of what worked.
const Success = "success"

// Attempt is the result of an attempt: success or the category of its failure.
func Attempt(e retry.AttemptEvent) string {
	switch {
	case e.Err == nil:
		return Success
	case e.Verdict.Category.Valid():
		return string(e.Verdict.Category)
	}
	return string(retry.Unknown)
}

var reasons = []struct {
	err  error
	name string
}{
	{retry.ErrAttempts, "attempts"},
	{retry.ErrPermanent, "permanent"},
	{retry.ErrRejected, "rejected"},
	{retry.ErrUnsafe, "unsafe"},
	{retry.ErrNested, "nested"},
	{retry.ErrNoTime, "no_time"},
	{retry.ErrBudget, "budget"},
	{retry.ErrBreakerOpen, "breaker_open"},
	{retry.ErrThrottled, "throttled"},
	{retry.ErrLimited, "limited"},
	{retry.ErrRate, "rate"},
	{retry.ErrStopped, "stopped"},
	{context.Canceled, "canceled"},
	{context.DeadlineExceeded, "deadline"},
}

// End is the result of an operation: success, or why there was no other attempt.
func End(e retry.EndEvent) string {
	if e.Err == nil {
		return Success
	}
	for _, row := range reasons {
		if errors.Is(e.Err.Reason, row.err) {
			return row.name
		}
	}
	return Other
}
