package retry_test

import (
	"context"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// TestBudgetRefusedConnections: a refused connection's first retry costs nothing
// on a healthy target, and does not double the load of one that is down.
func TestBudgetRefusedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, err := retry.NewBudget(retry.BudgetConfig{})
		if err != nil {
			t.Fatal(err)
		}
		policy, err := retry.New(retry.Attempts(4), retry.Fixed(10*time.Millisecond), retry.WithBudget(budget), retry.OneExchange())
		if err != nil {
			t.Fatal(err)
		}
		refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		attempts := 0
		for range 1000 {
			_ = retry.Do(t.Context(), policy, func(context.Context) error { attempts++; return refused })
			time.Sleep(10 * time.Millisecond)
		}
		if attempts > 1100+20 {
			t.Errorf("1000 calls to a port that refuses made %d attempts", attempts)
		}
		for range 100 {
			_ = retry.Do(t.Context(), policy, func(context.Context) error { return nil })
		}
		time.Sleep(time.Minute)
		for range 100 {
			_ = retry.Do(t.Context(), policy, func(context.Context) error { return nil })
		}
		attempts = 0
		for range 5 { // more at once than a floor of one a second would pay for
			again := false
			if err := retry.Do(t.Context(), policy, func(context.Context) error {
				if attempts++; !again {
					again = true
					return refused
				}
				return nil
			}); err != nil {
				t.Errorf("a healthy target's refused connection was not tried again: %v", err)
			}
		}
		if attempts != 10 {
			t.Errorf("%d attempts for 5 calls that were refused once", attempts)
		}
	})
}
