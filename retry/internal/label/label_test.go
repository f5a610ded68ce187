package label_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/label"
)

// TestTargetsAreBounded: also when everybody comes at once.
func TestTargetsAreBounded(t *testing.T) {
	t.Parallel()
	targets := label.NewTargets(10)
	var mu sync.Mutex
	given := make(map[string]bool)
	var group sync.WaitGroup
	for g := range 64 {
		group.Go(func() {
			for i := range 100 {
				name := fmt.Sprint("host-", (i*7+g)%40)
				got := targets.Of(name)
				if got != name && got != label.Other {
					t.Errorf("%s became %s", name, got)
				}
				mu.Lock()
				given[got] = true
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(given) != 11 || !given[label.Other] {
		t.Errorf("%d labels: %v", len(given), given)
	}
	if targets.Of("") != "" {
		t.Error("no target is no other target")
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	known := make(map[string]bool)
	for _, name := range label.Numbers() {
		known[name] = true
	}
	for n, want := range map[int]string{-1: "1", 0: "1", 1: "1", 2: "2", 5: "5", 6: "6-10", 10: "6-10", 11: "11+", 1 << 40: "11+"} {
		if got := label.Number(n); got != want || !known[got] {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	failed := errors.New("x")
	for want, e := range map[string]retry.AttemptEvent{
		"success": {},
		"timeout": {Err: failed, Verdict: retry.Verdict{Category: retry.Timeout}},
		"unknown": {Err: failed, Verdict: retry.Verdict{Category: "made up"}},
	} {
		if got := label.Attempt(e); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for want, reason := range map[string]error{
		"attempts": retry.ErrAttempts, "permanent": retry.ErrPermanent, "rejected": retry.ErrRejected, "unsafe": retry.ErrUnsafe,
		"nested": retry.ErrNested, "no_time": retry.ErrNoTime, "budget": retry.ErrBudget, "breaker_open": retry.ErrBreakerOpen,
		"throttled": retry.ErrThrottled, "limited": retry.ErrLimited, "rate": retry.ErrRate, "stopped": retry.ErrStopped,
		"canceled": context.Canceled, "deadline": context.DeadlineExceeded, "other": failed,
	} {
		if got := label.End(retry.EndEvent{Err: &retry.Error{Reason: reason}}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := label.End(retry.EndEvent{}); got != "success" {
		t.Error(got)
	}
}
