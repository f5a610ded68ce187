package retry_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// TestHedgedWithoutGuards: a copy that loses has nothing to give back.
func TestHedgedWithoutGuards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, err := retry.New(retry.Hedge(retry.HedgeConfig{After: time.Second}))
		if err != nil {
			t.Fatal(err)
		}
		copies := make(chan time.Duration, 2)
		copies <- time.Hour
		copies <- time.Second
		took, err := retry.Hedged(t.Context(), p, func(ctx context.Context) (time.Duration, error) {
			d := <-copies
			select {
			case <-ctx.Done():
			case <-time.After(d):
			}
			return d, ctx.Err()
		}, retry.Idempotent())
		if err != nil || took != time.Second {
			t.Error(took, err)
		}
	})
}
