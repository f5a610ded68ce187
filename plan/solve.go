package plan

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Variable is what [Solve] looks for.
type Variable string

// The variables.
const (
	ForInitial    Variable = "initial"
	ForMultiplier Variable = "multiplier"
	ForRetries    Variable = "retries"
)

// Variables are those that [Solve] knows.
func Variables() []Variable { return []Variable{ForInitial, ForMultiplier, ForRetries} }

// Solution is the largest value of a variable for which everything ends in
// time: the waits at the jitter's maximum, and all attempts if their usual length
// is known. Only the field of the variable is set.
type Solution struct {
	For Variable
	// Initial is rounded down to whole milliseconds, below 10 ms to whole
	// microseconds.
	Initial time.Duration
	// Multiplier is rounded down to hundredths.
	Multiplier float64
	Retries    int
	// Limit is the time that was to be kept, Slack what is left of it.
	Limit, Slack time.Duration
}

// What can be solved.
const (
	mostSolved = 999_999 // retries
	mostGiven  = 10_000  // retries, when something else is looked for
)

// Solve finds the largest value of a variable for which a policy keeps its time
// limit: the lower of the policy's TTL and the environment's deadline, of which
// one is needed. The report is that of the solved policy. What the policy says
// about the variable itself is ignored. When not even the smallest value keeps
// the limit, the error is a [retry.FieldError] on "ttl".
func Solve(spec *retry.Spec, variable Variable, env Env) (*Report, error) {
	if _, err := ParseVariable(string(variable)); err != nil {
		return nil, err
	}
	q, err := pose(spec, variable, env)
	if err != nil {
		return nil, err
	}
	solution, err := q.solve(variable)
	if err != nil {
		return nil, err
	}
	policy, err := q.spec.Policy()
	if err != nil {
		return nil, err
	}
	report, err := Of(policy, env)
	if err != nil {
		return nil, err
	}
	solution.For, solution.Limit, solution.Slack = variable, q.limit, q.limit-q.elapsed(policy)
	report.Solution = solution
	if env.AttemptTime == 0 {
		report.Warnings = append(report.Warnings, Warning{noAttemptTime, "attempt_time",
			"the waits take the whole limit: the attempts themselves have no time unless their usual length is given"})
	}
	return report, nil
}

// puzzle is a policy with one variable open.
type puzzle struct {
	spec    retry.Spec // whole, without preset; the solution is written into it
	attempt time.Duration
	limit   time.Duration
}

// pose checks what is given.
func pose(spec *retry.Spec, variable Variable, env Env) (*puzzle, error) {
	_, wrong := env.withDefaults()
	policy, err := ignoring(spec, variable).Policy()
	if err != nil {
		policy, err = spec.Policy()
	}
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	whole, _ := policy.Spec()
	q := &puzzle{spec: *whole, attempt: env.AttemptTime, limit: limit(policy.TTL(), env.Deadline)}
	if q.limit == 0 {
		return nil, &retry.FieldError{Field: "ttl", Message: "is missing", Hint: "it is the time that all attempts and waits may take"}
	}
	return q, nil
}

// ignoring is the policy with a first interval that no maximum is below, when
// that interval is looked for.
func ignoring(spec *retry.Spec, variable Variable) *retry.Spec {
	if variable != ForInitial {
		return spec
	}
	open, backoff := *spec, retry.BackoffSpec{}
	if spec.Backoff != nil {
		backoff = *spec.Backoff
	}
	backoff.Initial = new(retry.Duration(1))
	open.Backoff = &backoff
	return &open
}

func (q *puzzle) solve(variable Variable) (*Solution, error) {
	switch variable {
	case ForInitial:
		return q.initial()
	case ForMultiplier:
		return q.multiplier()
	default:
		return q.retries()
	}
}

// elapsed is the longest time of a policy that keeps the limit.
func (q *puzzle) elapsed(p *retry.Policy) time.Duration {
	_, elapsed := scheduleOf(p).longest(p.MaxAttempts()-1, q.attempt, q.limit)
	return elapsed
}

// fits reports whether the policy as it stands keeps the limit.
func (q *puzzle) fits() (bool, error) {
	p, err := q.spec.Policy()
	if err != nil {
		return false, err
	}
	n := p.MaxAttempts() - 1
	fit, _ := scheduleOf(p).longest(n, q.attempt, q.limit)
	return fit == n, nil
}

// count is the number of retries, which solutions for other variables need.
func (q *puzzle) count() (int, error) {
	if q.spec.Unlimited {
		return 0, &retry.FieldError{Field: "max_attempts", Message: "is unlimited", Hint: "give a number of retries, or solve for it"}
	}
	n := *q.spec.MaxAttempts - 1
	if n == 0 {
		return 0, &retry.FieldError{Field: "max_attempts", Message: "1 leaves no retries to plan", Hint: "give a number of retries, or solve for it"}
	}
	if n > mostGiven {
		return 0, &retry.FieldError{Field: "max_attempts", Message: fmt.Sprintf("%d retries are more than the %d that can be solved for", n, mostGiven)}
	}
	return n, nil
}

// tooShort is the error of a limit that nothing keeps.
func (q *puzzle) tooShort(format string, args ...any) error {
	return &retry.FieldError{Field: "ttl", Message: fmt.Sprintf("%v is too short for ", q.limit) + fmt.Sprintf(format, args...), Hint: "fewer retries, shorter attempts or more time"}
}

// largest is the largest i in [0, n) for which ok is true, given that it is for
// all smaller ones; −1 when it is for none.
func largest(n int64, ok func(i int64) (bool, error)) (int64, error) {
	low, high := int64(-1), n
	for high-low > 1 {
		middle := low + (high-low)/2
		good, err := ok(middle)
		if err != nil {
			return -1, err
		}
		if good {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

func (q *puzzle) initial() (*Solution, error) {
	backoff := q.spec.Backoff
	if backoff.Initial == nil {
		return nil, &retry.FieldError{Field: "solve", Message: fmt.Sprintf("kind %s has no initial", backoff.Kind), Hint: "choose exponential, fixed, linear or fibonacci"}
	}
	n, err := q.count()
	if err != nil {
		return nil, err
	}
	var roof time.Duration // a cap below the first interval would be refused
	if backoff.Max != nil {
		roof = time.Duration(*backoff.Max)
	}
	for _, unit := range []time.Duration{time.Millisecond, time.Microsecond, time.Nanosecond} {
		most := math.MaxInt64 / 2 / unit // a jitter may shorten all waits
		if roof > 0 {
			most = roof / unit
		}
		found, err := largest(int64(most), func(i int64) (bool, error) {
			*backoff.Initial = retry.Duration(time.Duration(i+1) * unit)
			return q.fits()
		})
		if err != nil {
			return nil, err
		}
		solved := time.Duration(found+1) * unit
		if solved >= 10*time.Millisecond || unit == time.Nanosecond && solved > 0 || unit == time.Microsecond && solved >= 10*time.Microsecond {
			*backoff.Initial = retry.Duration(solved)
			return &Solution{Initial: solved}, nil
		}
	}
	return nil, q.tooShort("%s%s", q.attempts(n), plural(n, "wait", "waits"))
}

// attempts names the attempts of n retries, as far as they take time, and joins
// what follows.
func (q *puzzle) attempts(n int) string {
	if q.attempt == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s and ", plural(n+1, "attempt", "attempts"), Short(q.attempt))
}

func (q *puzzle) multiplier() (*Solution, error) {
	if q.spec.Backoff.Kind != "exponential" {
		return nil, &retry.FieldError{Field: "solve", Message: fmt.Sprintf("kind %s has no multiplier", q.spec.Backoff.Kind), Hint: "choose exponential"}
	}
	n, err := q.count()
	if err != nil {
		return nil, err
	}
	at := func(i int64) float64 { return math.Round(100+float64(i)) / 100 }
	found, err := largest(9901, func(i int64) (bool, error) {
		q.spec.Backoff.Multiplier = new(at(i))
		return q.fits()
	})
	if err != nil {
		return nil, err
	}
	if found < 0 {
		return nil, q.tooShort("%s%s of %s, even with a multiplier of 1", q.attempts(n), plural(n, "wait", "waits"), q.spec.Backoff.Initial)
	}
	q.spec.Backoff.Multiplier = new(at(found))
	return &Solution{Multiplier: at(found)}, nil
}

func (q *puzzle) retries() (*Solution, error) {
	q.spec.Unlimited, q.spec.MaxAttempts = false, new(mostSolved+1)
	p, err := q.spec.Policy()
	if err != nil {
		return nil, err
	}
	found, _ := scheduleOf(p).longest(mostSolved, q.attempt, q.limit)
	if found < 1 {
		return nil, q.tooShort("%sthe first wait", q.attempts(1))
	}
	q.spec.MaxAttempts = new(found + 1)
	return &Solution{Retries: found}, nil
}

// ParseVariable reads the name of a variable.
func ParseVariable(name string) (Variable, error) {
	names := make([]string, 0, 3)
	for _, v := range Variables() {
		if string(v) == name {
			return v, nil
		}
		names = append(names, string(v))
	}
	return "", &retry.FieldError{Field: "solve", Message: fmt.Sprintf("%.60q is none of %s", name, strings.Join(names, ", ")), Hint: "leave it out to plan the policy as it is"}
}
