package outlasttest_test

import (
	"context"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/outlasttest"
)

// A trial of thirty days takes milliseconds. What was done before the sleep is not done again
// after it.
func testTrial(t *testing.T) {
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		opened := 0
		outlast.Handle(k.Client, "trial", func(ctx context.Context, _ struct{}) error {
			if _, err := outlast.Step(ctx, "open", func(context.Context) (int, error) { opened++; return opened, nil }); err != nil {
				return err
			}
			return outlast.Sleep(ctx, "thirty days", 30*24*time.Hour)
		})
		k.Start()
		id := k.Enqueue(outlasttest.Of("trial", struct{}{}))[0].ID
		k.After(31 * 24 * time.Hour)
		outlasttest.RequireStory(t, k.Client, id, "snoozed", "succeeded")
		if opened != 1 {
			t.Errorf("it was opened %d times", opened)
		}
	})
}

// In a test file this is TestTrial.
func ExampleRun_sleep() {
	tests["Run_sleep"] = testTrial
}
