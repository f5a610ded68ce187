package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Accepted ranges, and the values of what is left out.
const (
	// DefaultFailRate is the share of failing attempts that is planned for.
	DefaultFailRate = 0.5
	// DefaultRows is how many retries a report lists, MostRows how many it can.
	DefaultRows = 100
	MostRows    = 10_000

	mostLayers = 16
)

// Env is what a policy is planned for. Zero fields are not known, or take the
// default that their comment names.
type Env struct {
	// Deadline is the time for all attempts and waits together. A shorter TTL of
	// the policy holds instead.
	Deadline time.Duration
	// AttemptTime is the usual length of an attempt.
	AttemptTime time.Duration
	// FailRate is the probability that an attempt fails, above 0 to 1. Default 0.5.
	FailRate float64
	// Rate is how many first attempts are made per second.
	Rate float64
	// Utilization is the share of the target's capacity that first attempts use,
	// 0 to 1.
	Utilization float64
	// OuterAttempts are the attempts of the layers that call this one, such as a
	// client and a gateway that retry themselves: at most 16 of them.
	OuterAttempts []int
	// InProcess plans for calls of [retry.Do], which have the budget that they are
	// given: Budget, nil for none. Otherwise it is the one that the policy asks for
	// the targets of its tasks ([retry.Policy.BudgetConfig]).
	InProcess bool
	Budget    *retry.BudgetConfig
	// Rows is how many retries are listed, up to 10 000. Default 100.
	Rows int
}

// withDefaults checks the values and fills in what is left out.
func (e Env) withDefaults() (Env, error) {
	var f findings
	for _, d := range []struct {
		field string
		value time.Duration
	}{{"deadline", e.Deadline}, {"attempt_time", e.AttemptTime}} {
		if d.value < 0 {
			f.refuse(d.field, "", "%v is negative", d.value)
		}
	}
	if !(e.FailRate >= 0 && e.FailRate <= 1) {
		f.refuse("fail_rate", "it is the share of attempts that fail, such as 0.2", "%v is outside 0 to 1", e.FailRate)
	}
	if !(e.Rate >= 0 && e.Rate <= 1e12) {
		f.refuse("rate", "it is first attempts per second", "%v is outside 0 to 1e12", e.Rate)
	}
	if !(e.Utilization >= 0 && e.Utilization <= 1) {
		f.refuse("utilization", "it is a share of the capacity, such as 0.7", "%v is outside 0 to 1", e.Utilization)
	}
	if len(e.OuterAttempts) > mostLayers {
		f.refuse("outer_attempts", "", "%d layers; at most %d are accepted", len(e.OuterAttempts), mostLayers)
	}
	for i, n := range e.OuterAttempts {
		if n < 1 || n > 1_000_000 {
			f.refuse(fmt.Sprintf("outer_attempts[%d]", i), "the first attempt counts", "%d is outside 1 to 1000000", n)
		}
	}
	if e.Rows < 0 || e.Rows > MostRows {
		f.refuse("rows", "", "%d is outside 1 to %d", e.Rows, MostRows)
	}
	if e.FailRate == 0 {
		e.FailRate = DefaultFailRate
	}
	if e.Rows == 0 {
		e.Rows = DefaultRows
	}
	return e, f.err()
}

// budget is what bounds the retries of all callers, nil for nothing.
func (e *Env) budget(p *retry.Policy) *retry.BudgetConfig {
	config, wanted := p.BudgetConfig()
	switch {
	case e.InProcess && e.Budget == nil, !e.InProcess && !wanted:
		return nil
	case e.InProcess:
		config = *e.Budget
	}
	config.Ratio = cmp.Or(config.Ratio, retry.DefaultRatio)
	config.Pressure = cmp.Or(config.Pressure, retry.DefaultPressure)
	return &config
}

// findings collects field errors. The zero value is ready.
type findings struct{ errs []error }

func (f *findings) refuse(field, hint, format string, args ...any) {
	f.errs = append(f.errs, &retry.FieldError{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (f *findings) err() error { return errors.Join(f.errs...) }

// add is a + b for values that are not negative, at most the largest duration.
func add(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times is d · n for values that are not negative, at most the largest duration.
func times(d time.Duration, n int) time.Duration {
	if n > 0 && d > math.MaxInt64/time.Duration(n) {
		return math.MaxInt64
	}
	return d * time.Duration(n)
}
