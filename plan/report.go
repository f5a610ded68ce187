package plan

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Report is a planned policy.
type Report struct {
	// Policy is as it would be written, without what cannot be.
	Policy *retry.Spec
	// Env is what was planned for, with the defaults filled in.
	Env Env
	// Attempts counts the first one; 0 is unlimited. Retries is one less; with
	// unlimited attempts it is the number of rows.
	Attempts, Retries int
	// Delays lists the first retries, More is how many it leaves out.
	Delays []Delay
	More   int
	// Total sums the waits of all Retries.
	Total Totals
	// Elapsed is the longest time from the first attempt to the end of the last
	// one: the waits at the jitter's maximum, and all attempts, each as long as
	// the attempt time, or as the timeout when that is not known.
	Elapsed time.Duration
	// Limit is the time that all attempts and waits have, 0 for no limit. InTime
	// is how many retries certainly end within it, even with the longest waits.
	Limit  time.Duration
	InTime int
	// Success[n-1] is the probability that one of n attempts succeeds, and
	// Adds[n-1] what attempt n adds to it.
	Success, Adds []float64
	// Sensitivities are those of an exponential schedule, none of others.
	Sensitivities []Sensitivity
	// Advice says in words what the sensitivities carry.
	Advice []string
	Load   Load
	// Spread is how well the jitter keeps clients apart, nil for a jitter that is
	// not of package retry.
	Spread *Spread
	// Rules are the plans of the rules that have a backoff or a limit of their own.
	Rules []RulePlan
	// Warnings are in the order of their codes' documentation.
	Warnings []Warning
	// Solution is what [Solve] found, nil otherwise.
	Solution *Solution
	// Fitting is what [Fit] found, when it was asked for with [Question].
	Fitting []Fitting

	schedule *schedule
	budget   *retry.BudgetConfig // nil without one
}

// How much of a rule is planned: a policy can have many.
const (
	ruleRows = 16
	ruleSum  = 1000
)

// RulePlan is what a rule changes.
type RulePlan struct {
	When     []retry.Category
	If       string // the expression of a rule without categories
	Then     retry.Action
	Attempts int // the lower of the rule's and the policy's limit; 0 is unlimited
	// Delays lists the first 16 retries, More is how many it leaves out. Total sums
	// the first 1000 waits.
	Delays []Delay
	More   int
	Total  Totals
}

// Of plans a policy. An environment that cannot be meant is refused with joined
// [retry.FieldError] values.
func Of(p *retry.Policy, env Env) (*Report, error) {
	env, err := env.withDefaults()
	if err != nil {
		return nil, err
	}
	spec, _ := p.Spec()
	s := scheduleOf(p)
	r := &Report{Policy: spec, Env: env, Attempts: p.MaxAttempts(), Retries: p.MaxAttempts() - 1, schedule: s}
	if r.Attempts == 0 {
		r.Retries = env.Rows
	}
	r.Limit = limit(p.TTL(), env.Deadline)
	r.Delays, r.Total = s.delays(r.Retries, env.Rows)
	r.More = r.Retries - len(r.Delays)
	r.Elapsed = add(r.Total.Max, times(r.attemptTime(), r.Retries+1))
	if r.InTime = r.Retries; r.Limit > 0 {
		fit, _ := s.longest(r.Retries, r.attemptTime(), r.Limit)
		r.InTime = max(fit, 0)
	}
	r.addSuccess()
	r.Sensitivities, r.Advice = s.sensitivities(r.Retries), s.advice(r.Retries)
	r.budget = env.budget(p)
	r.Load = loadOf(r.Attempts, r.budget, env)
	if spread, ok := s.spread(); ok {
		r.Spread = &spread
	}
	r.addRules(p)
	r.Warnings = r.warnings(p)
	return r, nil
}

// limit is the lower of two limits of which 0 is none.
func limit(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// attemptTime is how long an attempt may take, as far as it is known.
func (r *Report) attemptTime() time.Duration {
	if r.Env.AttemptTime == 0 && r.Policy.Timeout != nil {
		return time.Duration(*r.Policy.Timeout)
	}
	return r.Env.AttemptTime
}

func (r *Report) addSuccess() {
	n := len(r.Delays) + 1
	for i := 1; i <= n; i++ {
		before := Success(r.Env.FailRate, i-1)
		r.Success = append(r.Success, Success(r.Env.FailRate, i))
		r.Adds = append(r.Adds, r.Success[i-1]-before)
	}
}

// addRules plans the rules that have a schedule or a limit of their own.
func (r *Report) addRules(p *retry.Policy) {
	forms := r.Policy.Rules
	for i, rule := range p.Rules() {
		plan := RulePlan{When: rule.When, If: forms[i].If, Then: rule.Then, Attempts: r.Attempts}
		if rule.MaxAttempts > 0 && (r.Attempts == 0 || rule.MaxAttempts < r.Attempts) {
			plan.Attempts = rule.MaxAttempts
		}
		if rule.Then.GivesUp() {
			plan.Attempts = 1
			r.Rules = append(r.Rules, plan)
			continue
		}
		s := *r.schedule
		if rule.Backoff != nil {
			s.backoff, s.max, s.form = rule.Backoff, 0, forms[i].Backoff
			if s.form.Max != nil {
				s.max = time.Duration(*s.form.Max)
			}
			if s.form.Jitter == nil {
				form := *s.form
				form.Jitter = r.schedule.form.Jitter
				s.form = &form
			}
		}
		if rule.Max > 0 {
			s.max = rule.Max
		}
		if rule.Jitter != nil {
			s.jitter = rule.Jitter
		}
		s.first = s.nominal(1, 0)
		retries := plan.Attempts - 1
		if plan.Attempts == 0 {
			retries = r.Env.Rows
		}
		plan.Delays, plan.Total = s.delays(min(retries, ruleSum), min(r.Env.Rows, ruleRows))
		plan.More = retries - len(plan.Delays)
		r.Rules = append(r.Rules, plan)
	}
}
