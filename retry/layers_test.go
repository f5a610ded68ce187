package retry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// leafCalls counts how often the innermost function of layers runs.
func leafCalls(ctx context.Context, err error, policies ...*retry.Policy) int {
	if len(policies) == 0 {
		return 0
	}
	calls := 0
	var layer func(ctx context.Context, rest []*retry.Policy) error
	layer = func(ctx context.Context, rest []*retry.Policy) error {
		if len(rest) == 0 {
			calls++
			return err
		}
		return retry.Do(ctx, rest[0], func(ctx context.Context) error { return layer(ctx, rest[1:]) })
	}
	_ = layer(ctx, policies)
	return calls
}

// Layers do not multiply: an operation inside a repeated attempt leaves the
// repeating to the outer one, unless nothing was sent.
func TestLayers(t *testing.T) {
	layer := func(opts ...retry.Option) *retry.Policy {
		return policy(t, append([]retry.Option{retry.Attempts(4), retry.Fixed(0), retry.Idempotent()}, opts...)...)
	}
	plain, timed, alone := layer(), layer(retry.PerAttempt(time.Minute)), layer(retry.Independent())
	rows := []struct {
		name     string
		err      error
		policies []*retry.Policy
		want     int
	}{
		{"one layer", errNetwork, []*retry.Policy{plain}, 4},
		{"two layers", errNetwork, []*retry.Policy{plain, plain}, 4 + 3},
		{"three layers", errNetwork, []*retry.Policy{plain, plain, plain}, 4 + 3 + 3},
		{"with timeouts", errNetwork, []*retry.Policy{timed, timed, timed}, 4 + 3 + 3},
		{"timeouts in the middle", errNetwork, []*retry.Policy{plain, timed, plain}, 4 + 3 + 3},
		{"independent inside", errNetwork, []*retry.Policy{plain, alone}, 16},
		{"not sent", errUnsent, []*retry.Policy{plain, plain}, 16},
	}
	for _, row := range rows {
		if got := leafCalls(t.Context(), row.err, row.policies...); got != row.want {
			t.Errorf("%s: %d calls, want %d", row.name, got, row.want)
		}
	}
	for attempt, want := range map[int]int{1: 4, 2: 1} {
		if got := leafCalls(retry.WithOuter(t.Context(), retry.Info{Attempt: attempt}), errNetwork, plain); got != want {
			t.Errorf("in attempt %d of another process: %d calls, want %d", attempt, got, want)
		}
	}
	err := retry.Do(retry.WithOuter(t.Context(), retry.Info{Attempt: 2}), plain, func(context.Context) error { return errNetwork })
	if !errors.Is(err, retry.ErrNested) {
		t.Error(err)
	}
}

// What the contexts of attempts tell.
func TestOuter(t *testing.T) {
	deadline := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	var infos []retry.Info
	look := func(ctx context.Context) error {
		info, ok := retry.Outer(ctx)
		if ok != (info.Attempt > 0) {
			t.Errorf("%v with %+v", ok, info)
		}
		infos = append(infos, info)
		return errNetwork
	}
	for _, timeout := range []time.Duration{0, time.Minute} {
		infos = nil
		p := policy(t, retry.Fixed(0), retry.Idempotent(), retry.Attempts(3), retry.PerAttempt(timeout))
		_ = retry.Do(ctx, p, look)
		want := []retry.Info{{}, {2, 3, deadline}, {3, 3, deadline}}
		if timeout > 0 {
			want[0] = retry.Info{Attempt: 1, MaxAttempts: 3, Deadline: deadline}
		}
		for i, info := range infos {
			if info.Attempt != want[i].Attempt || info.MaxAttempts != want[i].MaxAttempts || !info.Deadline.Equal(want[i].Deadline) {
				t.Errorf("timeout %v, attempt %d: %+v, want %+v", timeout, i+1, info, want[i])
			}
		}
	}
	infos = nil
	ttl := policy(t, retry.Fixed(0), retry.Idempotent(), retry.Unlimited(), retry.Steps(0, time.Hour), retry.TTL(time.Minute))
	_ = retry.Do(t.Context(), ttl, look)
	if len(infos) != 2 || infos[0].MaxAttempts != 0 || time.Until(infos[1].Deadline) > time.Minute {
		t.Errorf("with a TTL: %+v", infos)
	}
}

// The first attempt of a policy without times of its own gets the caller's very
// context; the others get one that ends with them.
func TestAttemptContextsEnd(t *testing.T) {
	p := policy(t, retry.Fixed(0), retry.Idempotent())
	var contexts []context.Context
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := retry.Do(ctx, p, func(ctx context.Context) error {
		if contexts = append(contexts, ctx); len(contexts) < 3 {
			return errNetwork
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, attempt := range contexts {
		if i == 0 && attempt != ctx || i > 0 && !errors.Is(attempt.Err(), context.Canceled) {
			t.Errorf("attempt %d had %v, which says %v", i+1, attempt, attempt.Err())
		}
	}
}
