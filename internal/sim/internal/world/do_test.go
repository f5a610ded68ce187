package world

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
)

// trace is what can be seen of operations from outside.
type trace struct {
	Attempts []time.Duration // when each began, since the beginning
	Ends     []time.Duration
	Reasons  []Reason // DenyNothing for a success
	Numbers  []int    // attempts of each operation
}

// scripted is the fate of attempts, by their number since the beginning.
type scripted struct {
	took    time.Duration
	verdict *retry.Verdict
}

// failure is an error that says what it is.
type failure struct{ verdict *retry.Verdict }

func (f failure) Error() string               { return string(f.verdict.Category) }
func (f failure) RetryVerdict() retry.Verdict { return *f.verdict }

// setup is one drawn case.
type setup struct {
	options  []retry.Option
	paced    bool
	budget   *retry.BudgetConfig
	breaker  *retry.BreakerConfig
	throttle bool
	limit    int
	deadline time.Duration
	think    time.Duration
	seed     uint64
	script   []scripted
	calls    int
}

func drawSetup(t *rapid.T) *setup {
	ms := func(label string, low, high int) time.Duration {
		return time.Duration(rapid.IntRange(low, high).Draw(t, label)) * time.Millisecond
	}
	s := &setup{seed: rapid.Uint64().Draw(t, "seed"), calls: rapid.IntRange(1, 40).Draw(t, "calls"), think: ms("think", 1, 2000)}
	s.options = []retry.Option{
		retry.Attempts(rapid.IntRange(1, 5).Draw(t, "attempts")),
		retry.Exponential(ms("first wait", 1, 1000), 2, 10*time.Second),
	}
	jitters := []retry.Option{retry.FullJitter(), retry.NoJitter(), retry.EqualJitter(), retry.Decorrelated(), retry.Additive(0.3)}
	s.options = append(s.options, rapid.SampledFrom(jitters).Draw(t, "jitter"))
	if rapid.Bool().Draw(t, "idempotent") {
		s.options = append(s.options, retry.Idempotent())
	}
	if rapid.Bool().Draw(t, "limited attempts") {
		s.options = append(s.options, retry.PerAttempt(ms("timeout", 20, 500)))
	}
	s.paced = rapid.Bool().Draw(t, "paced")
	if rapid.Bool().Draw(t, "budget") {
		s.budget = &retry.BudgetConfig{Burst: float64(rapid.IntRange(1, 5).Draw(t, "burst"))}
	}
	if rapid.Bool().Draw(t, "breaker") {
		s.breaker = &retry.BreakerConfig{Consecutive: rapid.IntRange(1, 5).Draw(t, "consecutive"), OpenFor: ms("open", 100, 4000)}
	}
	s.throttle = rapid.Bool().Draw(t, "throttle")
	if rapid.Bool().Draw(t, "limit") {
		s.limit = rapid.IntRange(1, 3).Draw(t, "places")
	}
	if rapid.Bool().Draw(t, "deadline") {
		s.deadline = ms("deadline after", 50, 5000)
		s.calls = min(s.calls, 9) // from ten on, both look at a median, each to its own grain
	}
	s.drawScript(t)
	return s
}

func (s *setup) drawScript(t *rapid.T) {
	fates := []*retry.Verdict{nil, &Unavailable, &Broken, &Refused, &Conflict, {Category: retry.Throttled, Effect: retry.NotSent},
		{Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: time.Second}}, {Category: retry.Permanent, Effect: retry.Done},
		{Category: retry.Unknown, Effect: retry.Maybe}, {Category: retry.Bug, Effect: retry.Maybe}, {Category: retry.Unavailable, Hint: retry.Hint{GiveUp: true}}}
	well := rapid.IntRange(0, 9).Draw(t, "well") // of ten attempts
	for range s.calls * 5 {
		// Never exactly as long as a timeout: which of the two comes first is not said.
		one := scripted{took: time.Duration(rapid.IntRange(0, 700_000).Draw(t, "took"))*time.Microsecond + time.Nanosecond}
		if rapid.IntRange(0, 9).Draw(t, "luck") >= well {
			one.verdict = rapid.SampledFrom(fates).Draw(t, "fate")
		}
		s.script = append(s.script, one)
	}
}

// simulated plays the case with the engine.
func (s *setup) simulated() trace {
	var got trace
	k := Kit{Policy: Must(retry.New(s.options...)), Paced: s.paced}
	if s.budget != nil {
		WithBudget(*s.budget)(&k)
	}
	if s.breaker != nil {
		WithBreaker(*s.breaker)(&k)
	}
	if s.throttle {
		WithThrottle(retry.ThrottleConfig{})(&k)
	}
	if s.limit > 0 {
		WithLimit(retry.LimitConfig{Initial: s.limit, Fixed: true})(&k)
	}
	w := New(s.seed)
	one := NewClient(w, k, Takes(func(w *World, a *Attempt) {
		next := s.script[len(got.Attempts)]
		got.Attempts = append(got.Attempts, w.Now)
		a.Answer(w, next.verdict, next.took)
	}))
	w.OnEnd = func(c *Call) {
		got.Ends = append(got.Ends, w.Now)
		got.Numbers = append(got.Numbers, c.number)
		if c.OK {
			c.End = DenyNothing
		}
		got.Reasons = append(got.Reasons, c.End)
	}
	shape := func(w *World, c *Call) {
		if s.deadline > 0 {
			c.deadline = w.Now + s.deadline
		}
	}
	(&Crowd{Clients: []*Client{one}, Each: s.calls, Think: s.think, shape: shape}).Start(w)
	w.Run()
	return got
}

// real plays the case with retry.Do, in a bubble.
func (s *setup) real(t *testing.T) trace {
	var got trace
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		random := rand.New(rand.NewPCG(s.seed, 3)) // the stream of the engine's jitter
		options := append([]retry.Option{retry.WithRand(random)}, s.options...)
		if s.budget != nil {
			options = append(options, retry.WithBudget(Must(retry.NewBudget(*s.budget))))
		}
		if s.breaker != nil {
			config := *s.breaker
			config.Rand = random
			options = append(options, retry.WithBreaker(Must(retry.NewBreaker(config))))
		}
		if s.throttle {
			options = append(options, retry.WithThrottle(Must(retry.NewThrottle(retry.ThrottleConfig{}))))
		}
		if s.limit > 0 {
			options = append(options, retry.WithLimit(Must(retry.NewLimit(retry.LimitConfig{Initial: s.limit, Fixed: true}))))
		}
		if s.paced {
			options = append(options, retry.OnExhausted(retry.Pace))
		}
		policy := Must(retry.New(options...))
		for i := range s.calls {
			if i > 0 {
				time.Sleep(s.think)
			}
			before := len(got.Attempts)
			got.Reasons = append(got.Reasons, s.one(policy, start, &got))
			got.Ends = append(got.Ends, time.Since(start))
			got.Numbers = append(got.Numbers, len(got.Attempts)-before)
		}
	})
	return got
}

// one is one operation with retry.Do.
func (s *setup) one(policy *retry.Policy, start time.Time, got *trace) Reason {
	ctx, cancel := context.Background(), func() {}
	if s.deadline > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, s.deadline, retry.ErrDeadline)
	}
	defer cancel()
	err := retry.Do(ctx, policy, func(ctx context.Context) error {
		next := s.script[len(got.Attempts)]
		got.Attempts = append(got.Attempts, time.Since(start))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(next.took):
		}
		if next.verdict == nil {
			return nil
		}
		return failure{next.verdict}
	})
	var ended *retry.Error
	if !errors.As(err, &ended) {
		return DenyNothing
	}
	return realReason(ended.Reason)
}

func realReason(err error) Reason {
	switch {
	case errors.Is(err, retry.ErrBudget):
		return DenyBudget
	case errors.Is(err, retry.ErrBreakerOpen):
		return DenyBreaker
	case errors.Is(err, retry.ErrThrottled):
		return DenyThrottle
	case errors.Is(err, retry.ErrLimited):
		return DenyLimit
	case errors.Is(err, retry.ErrDeadline):
		return DenyTime
	}
	return reasonOf(err)
}

// TestCallIsDo: the engine's calls do what retry.Do does, attempt for attempt and
// to the nanosecond, whatever the policy, the guards and the target.
func TestCallIsDo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := drawSetup(r)
		simulated, real := s.simulated(), s.real(t)
		if !reflect.DeepEqual(simulated, real) {
			r.Fatalf("the engine:\n%+v\nretry.Do:\n%+v", simulated, real)
		}
	})
}
