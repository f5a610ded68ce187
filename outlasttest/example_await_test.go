package outlasttest_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/outlasttest"
)

// An approval that comes after six days, and one that does not come within a week, take
// milliseconds.
func testApproval(t *testing.T) {
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		var asked atomic.Int32
		approve := outlast.Define[string, string]("approve")
		approve.Handle(k.Client, func(ctx context.Context, _ string) (string, error) {
			if _, err := outlast.Step(ctx, "ask", func(context.Context) (int32, error) { return asked.Add(1), nil }); err != nil {
				return "", err
			}
			by, err := outlast.Await[string](ctx, "approval", 7*24*time.Hour)
			if errors.Is(err, outlast.ErrAwaitTimeout) {
				return "nobody", nil
			}
			return by, err
		})
		k.Start()
		ids := []outlast.ID{k.Enqueue(outlasttest.Of("approve", "desk"))[0].ID, k.Enqueue(outlasttest.Of("approve", "lamp"))[0].ID}
		k.After(6 * 24 * time.Hour)
		if err := k.Client.Signal(t.Context(), ids[0], "approval", "ada"); err != nil {
			t.Fatal(err)
		}
		k.After(2 * 24 * time.Hour)
		for i, want := range []string{"ada", "nobody"} {
			outlasttest.RequireStory(t, k.Client, ids[i], "snoozed", "succeeded")
			ended, err := k.Client.Wait(t.Context(), ids[i])
			if err != nil {
				t.Fatal(err)
			}
			if got, err := approve.Result(ended); err != nil || got != want {
				t.Errorf("approved by %q, %v, want %q", got, err, want)
			}
		}
		if n := asked.Load(); n != 2 {
			t.Errorf("it was asked %d times", n)
		}
	})
}

// In a test file this is TestApproval.
func ExampleRun_await() {
	tests["Run_await"] = testApproval
}
