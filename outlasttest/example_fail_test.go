package outlasttest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/outlasttest"
	"github.com/outlast-dev/outlast/task"
)

// When the bank refuses for good, the task dies at once, somebody is told, and the money comes
// back by a fallback.
func testRefund(t *testing.T) {
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		handler := func(context.Context, struct{}) error { return nil }
		outlast.Handle(k.Client, "pay", handler, outlast.Target(func(struct{}) string { return "bank" }), outlast.AlertTo(outlasttest.Channel))
		outlast.Handle(k.Client, "refund", handler)
		k.Fail("@bank", outlast.GiveUp(errors.New("card is stolen")))
		k.Start()
		draft := outlasttest.Of("pay", struct{}{})
		draft.Fallback = &task.Follow{Type: "refund"}
		k.Enqueue(draft)
		k.After(time.Minute)
		outlasttest.RequireDead(t, k.Client, outlasttest.Want{Type: "pay", Reason: task.Rejected, Count: 1})
		outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{Type: "refund", State: task.Succeeded})
		if told := k.RequireAlerts("task", 1); told[0].Kind != alert.Raised {
			t.Errorf("told: %+v", told[0])
		}
	})
}

// In a test file this is TestRefund.
func ExampleKit_Fail() {
	tests["Kit.Fail"] = testRefund
}
