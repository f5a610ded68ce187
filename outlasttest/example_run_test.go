package outlasttest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/outlasttest"
)

// A bill that is paid at the third attempt, eight hours after the first. It takes milliseconds.
func testBill(t *testing.T) {
	type bill struct{ Number int }
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		paid := 0
		outlast.Handle(k.Client, "bill.pay", func(context.Context, bill) error { paid++; return nil }, outlast.Interval(4*time.Hour))
		k.Fail("bill.pay", errors.New("the bank is closed"), 1, 2)
		k.Start()
		id := k.Enqueue(outlasttest.Of("bill.pay", bill{7}))[0].ID
		k.After(24 * time.Hour)
		outlasttest.RequireStory(t, k.Client, id, "failed", "failed", "succeeded")
		if paid != 1 {
			t.Errorf("it was paid %d times", paid)
		}
	})
}

// In a test file this is TestBill.
func ExampleRun() {
	tests["Run"] = testBill
}
