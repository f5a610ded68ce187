package outlasttest_test

import (
	"context"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/outlasttest"
	"github.com/outlast-dev/outlast/task"
)

// A report each working day: five in a week.
func testReport(t *testing.T) {
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		outlast.Handle(k.Client, "report.build", func(context.Context, struct{}) error { return nil })
		k.Start()
		if _, err := k.Client.Inspector().Schedules.Put(t.Context(), inspect.Schedule{
			Name: "daily", Cron: "0 6 * * MON-FRI", Task: inspect.ScheduledTask{Type: "report.build"},
		}); err != nil {
			t.Fatal(err)
		}
		k.After(7 * 24 * time.Hour)
		outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{Schedule: "daily", State: task.Succeeded, Count: 5})
	})
}

// In a test file this is TestReport.
func ExampleKit_After() {
	tests["Kit.After"] = testReport
}
