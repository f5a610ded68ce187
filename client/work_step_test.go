package client_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func TestStepsAreDoneOnce(t *testing.T) {
	calls := 0
	charge := func(ctx context.Context, _ *client.LeasedTask) (any, error) {
		id, err := client.DoStep(ctx, "charge", func(ctx context.Context) (string, error) {
			calls++
			return "ch_1", client.Compensate(ctx, "refund", map[string]string{"charge": "ch_1"})
		})
		if err != nil {
			return nil, err
		}
		if _, err := client.DoStep(ctx, "ship", func(context.Context) (any, error) { return nil, errors.New("closed") }); err != nil {
			return nil, err
		}
		return id, nil
	}
	first := client.Try(t.Context(), charge, client.LeasedTask{})
	if first.Outcome != "failed" || first.Error.Message != "closed" || len(first.Steps) != 1 || string(first.Steps[0].Result) != `"ch_1"` ||
		first.Steps[0].Compensation.Type != "refund" || string(first.Steps[0].Compensation.Payload) != `{"charge":"ch_1"}` {
		t.Fatalf("%+v", first)
	}
	again := client.LeasedTask{}
	again.Steps = first.Steps
	if second := client.Try(t.Context(), charge, again); second.Outcome != "failed" || calls != 1 {
		t.Errorf("%+v after %d calls", second, calls)
	}
}

// Steps that cannot be, and results that cannot be kept.
func TestStepsThatCannotBe(t *testing.T) {
	one := func(context.Context) (int, error) { return 1, nil }
	for name, of := range map[string]struct {
		do   func(context.Context) error
		code string
	}{
		"no name": {func(ctx context.Context) error { _, err := client.DoStep(ctx, "", one); return err }, "invalid"},
		"runs already": {func(ctx context.Context) error {
			_, err := client.DoStep(ctx, "a", func(ctx context.Context) (int, error) { return client.DoStep(ctx, "a", one) })
			return err
		}, "invalid"},
		"no JSON": {func(ctx context.Context) error {
			_, err := client.DoStep(ctx, "a", func(context.Context) (float64, error) { return math.NaN(), nil })
			return err
		}, task.BadResult},
		"another type": {func(ctx context.Context) error { _, err := client.DoStep(ctx, "text", one); return err }, "invalid"},
		"no step":      {func(ctx context.Context) error { return client.Compensate(ctx, "refund", nil) }, "conflict"},
		"no wait":      {func(ctx context.Context) error { return client.Sleep(ctx, "text", time.Hour) }, "invalid"},
	} {
		given := client.LeasedTask{}
		given.Steps = []client.Step{{Name: "text", Occurrence: 1, Result: []byte(`"text"`)}}
		v := client.Try(t.Context(), func(ctx context.Context, _ *client.LeasedTask) (any, error) { return nil, of.do(ctx) }, given)
		if v.Outcome != "failed" || v.Error.Code != of.code {
			t.Errorf("%s: %+v, %+v", name, v, v.Error)
		}
	}
	if _, err := client.DoStep(t.Context(), "a", one); !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		t.Error(err)
	}
}

func TestSleep(t *testing.T) {
	nap := func(ctx context.Context, _ *client.LeasedTask) (any, error) {
		return "awake", client.Sleep(ctx, "nap", time.Hour)
	}
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	given := client.LeasedTask{}
	given.StartedAt = client.Time{Time: began}
	v := client.Try(t.Context(), nap, given)
	if v.Outcome != "snoozed" || time.Duration(*v.RetryAfter) > time.Hour || time.Duration(*v.RetryAfter) < 50*time.Minute {
		t.Fatalf("%+v", v)
	}
	given.Steps, given.StartedAt = v.Steps, client.Time{Time: began.Add(2 * time.Hour)}
	if v := client.Try(t.Context(), nap, given); v.Outcome != "succeeded" || string(v.Result) != `"awake"` {
		t.Errorf("%+v", v)
	}
}

func TestAwait(t *testing.T) {
	wait := func(ctx context.Context, _ *client.LeasedTask) (any, error) {
		return client.Await[string](ctx, "approved", time.Hour)
	}
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	given := client.LeasedTask{}
	given.StartedAt = client.Time{Time: began}
	v := client.Try(t.Context(), wait, given)
	if v.Outcome != "snoozed" || time.Duration(*v.RetryAfter) != 15*time.Second {
		t.Fatalf("%+v", v)
	}
	late := given
	late.Steps, late.StartedAt = v.Steps, client.Time{Time: began.Add(2 * time.Hour)}
	if v := client.Try(t.Context(), wait, late); v.Outcome != "failed" || v.Error.Category != "permanent" || v.Error.Code != "timeout" {
		t.Errorf("%+v", v.Error)
	}
	given.Steps = append(v.Steps, client.Step{Name: "approved", Type: "signal", Result: []byte(`"yes"`)})
	if v := client.Try(t.Context(), wait, given); v.Outcome != "succeeded" || string(v.Result) != `"yes"` {
		t.Errorf("%+v", v)
	}
}
