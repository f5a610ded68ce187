package compare

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	avast "github.com/avast/retry-go/v5"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/outlast-dev/outlast/retry"
)

var delayClaims = []claim{
	{
		name: "random_delay_from_zero",
		what: "A random delay may begin at zero",
		how:  "1000 retries with a delay between 0 and 1 s",
		ours: "delays uniform between 0 and 1 s (full jitter)",
		peers: []rival{defect(failsafeGo, "WithRandomDelay(0, 1 s) does not wait at all", bubble(func(t *testing.T) {
			delays := failsafeDelays(t, 1000, retrypolicy.NewBuilder[any]().WithRandomDelay(0, time.Second))
			exactly(t, "longest of 1000 delays", slices.Max(delays), 0)
		}))},
		outlast: bubble(func(t *testing.T) {
			delays := ownDelays(t, 1000, retry.Fixed(time.Second), retry.FullJitter())
			atMost(t, "distance from the uniform distribution", uniformDistance(delays, 0, time.Second), distanceAt1000)
		}),
	},
	{
		name: "full_jitter_can_be_said",
		what: "Full jitter can be asked for",
		how:  "1000 retries; the widest jitter that the library has",
		ours: "full jitter is the default",
		peers: []rival{
			sound(failsafeGo, "WithJitterFactor(1) on a delay of d draws between 0 and 2 d, which is full jitter", bubble(func(t *testing.T) {
				delays := failsafeDelays(t, 1000, retrypolicy.NewBuilder[any]().WithDelay(time.Second).WithJitterFactor(1))
				atMost(t, "distance from the uniform distribution", uniformDistance(delays, 0, 2*time.Second), distanceAt1000)
			})),
			sound(cenkalti, "RandomizationFactor 1 on an interval of d draws between 0 and 2 d, which is full jitter", func(t *testing.T) {
				b := &backoff.ExponentialBackOff{InitialInterval: time.Second, RandomizationFactor: 1, Multiplier: 1, MaxInterval: time.Second}
				atMost(t, "distance from the uniform distribution", uniformDistance(draws(1000, b.NextBackOff), 0, 2*time.Second), distanceAt1000)
			}),
			sound(avastRetry, "FullJitterBackoffDelay is full jitter, on twice the delay that is asked for", bubble(func(t *testing.T) {
				delays := avastDelays(t, 1000, avast.Delay(time.Second), avast.MaxDelay(time.Second), avast.DelayType(avast.FullJitterBackoffDelay))
				atMost(t, "distance from the uniform distribution", uniformDistance(delays, 0, time.Second), distanceAt1000)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			delays := ownDelays(t, 1000, retry.Steps(time.Second))
			atMost(t, "distance from the uniform distribution", uniformDistance(delays, 0, time.Second), distanceAt1000)
		}),
	},
	{
		name: "jitter_survives_the_cap",
		what: "Delays are still spread once the backoff has reached its maximum",
		how:  "1000 delays, the library's own exponential backoff with its default jitter, at the maximum",
		ours: "spread over the whole window, none above the maximum",
		peers: []rival{
			defect(avastRetry, "all delays at the maximum are the same: the sum is cut after the jitter", bubble(func(t *testing.T) {
				delays := avastDelays(t, 1000, avast.Delay(100*time.Millisecond), avast.MaxDelay(time.Second))
				exactly(t, "different delays after the first 10", instants(delays[10:]), 1)
			})),
			defect(awsSDK, "all delays at the maximum are the same (until AWS_NEW_RETRIES_2026)", func(t *testing.T) {
				b := awsretry.NewExponentialJitterBackoff(20 * time.Second)
				delays := draws(1000, func() time.Duration {
					d, err := b.BackoffDelay(5, errTransient{})
					if err != nil {
						t.Fatal(err)
					}
					return d
				})
				exactly(t, "different delays", instants(delays), 1)
			}),
			defect(retryableHTTP, "DefaultBackoff has no jitter, at the maximum or before", func(t *testing.T) {
				delays := draws(1000, func() time.Duration { return retryablehttp.DefaultBackoff(time.Second, 30*time.Second, 2, nil) })
				exactly(t, "different delays", instants(delays), 1)
			}),
			sound(cenkalti, "spread, up to 1.5 times the maximum (as documented)", func(t *testing.T) {
				b := backoff.NewExponentialBackOff()
				b.MaxInterval = time.Second
				delays := draws(1000, b.NextBackOff)[100:]
				atLeast(t, "different delays of 900", instants(delays), 890)
				atLeast(t, "longest", slices.Max(delays), 1400*time.Millisecond)
			}),
			sound(failsafeGo, "spread, when jitter is asked for, and above the maximum", bubble(func(t *testing.T) {
				delays := failsafeDelays(t, 1000, retrypolicy.NewBuilder[any]().WithBackoff(100*time.Millisecond, time.Second).WithJitterFactor(0.25))[10:]
				atLeast(t, "different delays of 990", instants(delays), 980)
				atLeast(t, "longest", slices.Max(delays), 1200*time.Millisecond)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			delays := ownDelays(t, 1000, retry.Exponential(100*time.Millisecond, 2, time.Second))[10:]
			atLeast(t, "different delays of 990", instants(delays), 980)
			atMost(t, "longest", slices.Max(delays), time.Second)
		}),
	},
	{
		name: "default_delays_are_spread",
		what: "Without any settings, clients that failed together do not come back together",
		how:  "1000 clients fail at the same moment; the default delays of each library",
		ours: "spread over a second",
		peers: []rival{
			defect(failsafeGo, "all come back at once: the default has no delay", bubble(func(t *testing.T) {
				g := newTarget()
				executor := failsafe.With[any](retrypolicy.NewWithDefaults[any]())
				clients(1000, func() {
					_ = executor.Run(func() error { return fails(g, 0, errReset)(t.Context()) })
				})
				exactly(t, "different moments of 3000 attempts", instants(g.times()), 1)
			})),
			sound(cenkalti, "spread between 0.25 and 0.75 s", bubble(func(t *testing.T) {
				g := newTarget()
				clients(1000, func() {
					_, _ = backoff.Retry(t.Context(), func() (any, error) { return nil, fails(g, 0, errReset)(t.Context()) }, backoff.WithMaxTries(2))
				})
				atLeast(t, "different moments of 2000 attempts", instants(g.times()), 990)
			})),
			sound(avastRetry, "spread over 0.1 s, however long the delay", bubble(func(t *testing.T) {
				g := newTarget()
				retrier := avast.New(avast.Attempts(2))
				clients(1000, func() { _ = retrier.Do(func() error { return fails(g, 0, errReset)(t.Context()) }) })
				atLeast(t, "different moments of 2000 attempts", instants(g.times()), 990)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			p := policy(t, retry.Attempts(2), retry.Idempotent())
			clients(1000, func() { _ = retry.Do(t.Context(), p, fails(g, 0, errReset)) })
			atLeast(t, "different moments of 2000 attempts", instants(g.times()), 990)
		}),
	},
	{
		name: "no_clipped_last_attempt",
		what: "No attempt is squeezed into the end of the time",
		how:  "100 clients with jittered delays and 10 s in all; the target always fails",
		ours: "no two last attempts at the same moment, none at the end",
		peers: []rival{
			defect(failsafeGo, "every client makes its last attempt exactly at the end: the last delay is cut to what is left", bubble(func(t *testing.T) {
				g := newTarget()
				executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithMaxRetries(-1).WithMaxDuration(10*time.Second).
					WithBackoff(time.Second, 4*time.Second).WithJitterFactor(0.5).Build())
				clients(100, func() {
					_ = executor.Run(func() error { return fails(g, time.Millisecond, errReset)(t.Context()) })
				})
				atLeast(t, "attempts in the last millisecond", within(g.times(), 10*time.Second-time.Millisecond, 11*time.Second), 100)
			})),
			sound(cenkalti, "it stops before a wait that would pass MaxElapsedTime", bubble(func(t *testing.T) {
				g := newTarget()
				clients(100, func() {
					_, _ = backoff.Retry(t.Context(), func() (any, error) { return nil, fails(g, time.Millisecond, errReset)(t.Context()) },
						backoff.WithMaxElapsedTime(10*time.Second))
				})
				atMost(t, "attempts in the last millisecond", within(g.times(), 10*time.Second-time.Millisecond, 11*time.Second), 5)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			p := policy(t, retry.Unlimited(), retry.TTL(10*time.Second), retry.Exponential(time.Second, 2, 4*time.Second), retry.Proportional(0.5), retry.Idempotent())
			clients(100, func() {
				err := retry.Do(t.Context(), p, fails(g, time.Millisecond, errReset))
				if !errors.Is(err, retry.ErrNoTime) {
					t.Errorf("it ended with %v", err)
				}
			})
			atMost(t, "attempts in the last millisecond", within(g.times(), 10*time.Second-time.Millisecond, 11*time.Second), 0)
		}),
	},
	{
		name: "no_wait_without_time_for_it",
		what: "A wait that the caller's deadline cuts off is not begun",
		how:  "a deadline in 1 s, 400 ms of which the first attempt takes; the next delay is 10 s",
		ours: "it returns after 400 ms, with the last error",
		peers: []rival{
			defect(failsafeGo, "it waits until the deadline, then returns", bubble(func(t *testing.T) {
				executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithDelay(10 * time.Second).Build())
				took := withDeadline(t, func(ctx context.Context) error {
					return executor.WithContext(ctx).Run(func() error { return fails(newTarget(), 400*time.Millisecond, errReset)(ctx) })
				})
				exactly(t, "time until it returns", took, time.Second)
			})),
			defect(cenkalti, "it waits until the deadline, then returns (WithMaxElapsedTime is looked at before the wait, the context is not)", bubble(func(t *testing.T) {
				took := withDeadline(t, func(ctx context.Context) error {
					_, err := backoff.Retry(ctx, func() (any, error) { return nil, fails(newTarget(), 400*time.Millisecond, errReset)(ctx) },
						backoff.WithBackOff(backoff.NewConstantBackOff(10*time.Second)))
					return err
				})
				exactly(t, "time until it returns", took, time.Second)
			})),
			defect(avastRetry, "it waits until the deadline, then returns", bubble(func(t *testing.T) {
				took := withDeadline(t, func(ctx context.Context) error {
					return avast.New(avast.Context(ctx), avast.Delay(10*time.Second)).Do(func() error {
						return fails(newTarget(), 400*time.Millisecond, errReset)(ctx)
					})
				})
				exactly(t, "time until it returns", took, time.Second)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			p := policy(t, retry.Fixed(10*time.Second), retry.NoJitter(), retry.Idempotent())
			took := withDeadline(t, func(ctx context.Context) error {
				err := retry.Do(ctx, p, fails(newTarget(), 400*time.Millisecond, errReset))
				exactly(t, "the last error is there", errors.Is(err, errReset), true)
				return err
			})
			exactly(t, "time until it returns", took, 400*time.Millisecond)
		}),
	},
}

// distanceAt1000 is the Kolmogorov-Smirnov bound of 1000 draws at a chance of
// one in a million.
var distanceAt1000 = math.Sqrt(-math.Log(1e-6/2)/2) / math.Sqrt(1000)

// uniformDistance is the largest distance of the draws' distribution from the
// uniform one.
func uniformDistance(draws []time.Duration, low, high time.Duration) float64 {
	sorted, most := slices.Sorted(slices.Values(draws)), 0.0
	for i, d := range sorted {
		want := float64(d-low) / float64(high-low)
		most = max(most, math.Abs(want-share(i, len(sorted))), math.Abs(want-share(i+1, len(sorted))))
	}
	return most
}

func draws(n int, draw func() time.Duration) []time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = draw()
	}
	return all
}

// failsafeDelays are the waits between n + 1 attempts.
func failsafeDelays(t *testing.T, n int, b retrypolicy.Builder[any]) []time.Duration {
	g := newTarget()
	executor := failsafe.With[any](b.WithMaxRetries(n).Build())
	if err := executor.Run(func() error { return fails(g, 0, errReset)(t.Context()) }); err == nil {
		t.Fatal("it succeeded")
	}
	return g.gaps()
}

func avastDelays(t *testing.T, n uint, options ...avast.Option) []time.Duration {
	g := newTarget()
	options = append(options, avast.Attempts(n+1))
	if err := avast.New(options...).Do(func() error { return fails(g, 0, errReset)(t.Context()) }); err == nil {
		t.Fatal("it succeeded")
	}
	return g.gaps()
}

func ownDelays(t *testing.T, n int, options ...retry.Option) []time.Duration {
	g := newTarget()
	p := policy(t, append(options, retry.Attempts(n+1), retry.Idempotent())...)
	if err := retry.Do(t.Context(), p, fails(g, 0, errReset)); err == nil {
		t.Fatal("it succeeded")
	}
	return g.gaps()
}

// within counts the times from low to high.
func within(at []time.Duration, low, high time.Duration) (count int) {
	for _, d := range at {
		if d >= low && d <= high {
			count++
		}
	}
	return count
}

// withDeadline says how long a call with a deadline in one second takes.
func withDeadline(t *testing.T, call func(ctx context.Context) error) time.Duration {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	began := time.Now()
	if call(ctx) == nil {
		t.Fatal("it succeeded")
	}
	return time.Since(began)
}
