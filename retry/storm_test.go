package retry_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Many goroutines, one policy, one target, every form of the operation.
func TestConcurrently(t *testing.T) {
	target := everyGuard(t)
	target.Breaker.Force(time.Now(), retry.Closed)
	var attempts, ends atomic.Int64
	p := policy(t, retry.For(target), retry.Idempotent(), retry.Fixed(10*time.Microsecond), retry.Attempts(3), retry.PerAttempt(time.Second),
		retry.WithRand(rand.New(rand.NewPCG(1, 2))), retry.Hedge(retry.HedgeConfig{After: 20 * time.Microsecond}),
		retry.Observe(retry.Observer{
			Attempt: func(retry.AttemptEvent) { attempts.Add(1) },
			End:     func(retry.EndEvent) { ends.Add(1) },
		}))
	var calls atomic.Int64
	fn := func(ctx context.Context) (int, error) {
		switch n := calls.Add(1); {
		case n%7 == 0:
			return 0, errNetwork
		case n%11 == 0:
			<-ctx.Done()
			return 0, ctx.Err()
		}
		return 1, nil
	}
	do := func(ctx context.Context) error { _, err := fn(ctx); return err }
	const goroutines, rounds = 64, 30
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for range rounds {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
				switch g % 4 {
				case 0:
					_ = retry.Do(ctx, p, do)
				case 1:
					_, _ = retry.Hedged(ctx, p, fn)
				case 2:
					for a := range p.Attempts(ctx) {
						err := a.Done(do(a.Context()))
						if end, ok := errors.AsType[*retry.Error](err); ok && end.Attempts == 0 {
							calls.Add(-1) // a guard had refused it
						}
					}
				case 3:
					_ = retry.Go(ctx, p, do).Wait()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if ends.Load() != goroutines*rounds {
		t.Errorf("%d ends of %d", ends.Load(), goroutines*rounds)
	}
	for wait := 0; wait < 1000 && (taken(target) != 0 || attempts.Load() != calls.Load()); wait++ {
		time.Sleep(time.Millisecond) // sleep: the last hedges are about to end
	}
	if taken(target) != 0 || target.Breaker.View(time.Now()).Probing != 0 {
		t.Errorf("%d places are taken", taken(target))
	}
	if attempts.Load() != calls.Load() {
		t.Errorf("%d attempts were told of, %d made", attempts.Load(), calls.Load())
	}
}
