package sim

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Scenario is a storm, the clients that go through it, and the numbers that they
// must reach.
type Scenario struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Shows      string      `json:"shows"`  // one sentence
	Source     string      `json:"source"` // where the storm or its numbers come from
	Parameters []Parameter `json:"parameters"`

	tabled []string // figures of all variants that the documentation shows

	own      kit   // our clients, unless the caller brings a policy
	contrast kit   // clients of a control, without a name where none can be told apart by their kit
	storm    storm // the run that stands for the scenario in [Compare]
	play     func(t *trial)
}

// Parameter is a number that the scenario fixes.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// storm sets up a run: servers, faults, clients, its end.
type storm func(w *world, k kit)

// Contender is a policy under a name. Its guards are those that the policy asks
// for, see [retry.Policy.BudgetConfig] and [retry.Policy.BreakerConfig].
type Contender struct {
	Name   string
	Policy *retry.Policy
}

// Run plays all variants of the scenario. With a contender, it takes the place of
// our own clients; the controls stay. The report depends on nothing else than the
// arguments.
func (s *Scenario) Run(seed uint64, contender *Contender) *Report { return s.run(nil, seed, contender) }

func (s *Scenario) run(over func() bool, seed uint64, contender *Contender) *Report {
	t := &trial{seed: seed, over: over, own: s.own, report: &Report{Scenario: s.ID, Name: s.Name, Seed: seed}}
	if contender != nil {
		t.own = contender.kit(s.own)
	}
	s.play(t)
	t.report.Passed = true
	for _, v := range t.report.Verdicts {
		t.report.Passed = t.report.Passed && v.OK
	}
	return t.report
}

// errOver ends a run from inside.
var errOver = errors.New("sim: the run took too long")

// RunUntil is [Scenario.Run] for those who do not wait for ever: over is asked now and
// then whether to give up. There is no report then, and an error.
func (s *Scenario) RunUntil(over func() bool, seed uint64, contender *Contender) (*Report, error) {
	return untilOver(func() *Report { return s.run(over, seed, contender) })
}

// untilOver turns the end of a run from inside into an error.
func untilOver[R any](run func() *R) (result *R, err error) {
	defer func() {
		if cause := recover(); cause == errOver { //nolint:errorlint // our own, thrown by the world
			result, err = nil, errOver
		} else if cause != nil {
			panic(cause)
		}
	}()
	return run(), nil
}

// kit gives a contender the guards that it asks for. What is no part of a policy,
// or what this one leaves open, stays as in our own kit.
func (c *Contender) kit(own kit) kit {
	k := own
	if own.policy != nil && k.patience == 0 {
		k.patience = own.policy.Timeout()
	}
	k.name, k.policy, k.budget, k.breaker, k.repeat = c.Name, c.Policy, nil, nil, decided(c.Policy)
	if config, ok := c.Policy.BudgetConfig(); ok {
		withBudget(config)(&k)
	}
	if config, ok := c.Policy.BreakerConfig(); ok {
		withBreaker(config)(&k)
	}
	return k
}

// trial is a scenario being played with one seed.
type trial struct {
	seed   uint64
	over   func() bool
	own    kit
	report *Report
}

// run plays a storm with clients and adds it to the report.
func (t *trial) run(k kit, s storm) *run {
	w := newWorld(t.seed)
	w.over = t.over
	s(w, k)
	w.run()
	t.report.Events += w.count
	t.report.Variants = append(t.report.Variants, Variant{Name: k.name, Metrics: w.meter.metrics(), meter: w.meter})
	return &run{w.meter, t.report, len(t.report.Variants) - 1}
}

// control plays a storm with clients that must fail.
func (t *trial) control(k kit, s storm) *run {
	r := t.run(k, s)
	t.report.Variants[r.index].Control = true
	return r
}

// run is a variant that has been played.
type run struct {
	*meter
	report *Report
	index  int
}

// note adds a number to the variant.
func (r *run) note(name string, value float64, unit string) {
	v := &r.report.Variants[r.index]
	v.Figures = append(v.Figures, Figure{name, round(value), unit})
}

// noteTime adds a time in seconds that may never come.
func (r *run) noteTime(name string, s float64) {
	if !math.IsInf(s, 1) {
		r.note(name, s, "s")
	}
}

// recovered is the recovery in seconds, infinite for never.
func (r *run) recovered() float64 {
	if after := r.recovery(); after != never {
		return after.Seconds()
	}
	return math.Inf(1)
}

func (t *trial) atMost(name string, measured, bound float64, unit string) {
	t.verdict(name, "≤ "+quantity(bound, unit), quantity(measured, unit), measured <= bound)
}

func (t *trial) atLeast(name string, measured, bound float64, unit string) {
	t.verdict(name, "≥ "+quantity(bound, unit), quantity(measured, unit), measured >= bound)
}

func (t *trial) within(name string, measured, low, high float64, unit string) {
	t.verdict(name, fmt.Sprintf("%s to %s", figure(low), quantity(high, unit)), quantity(measured, unit), low <= measured && measured <= high)
}

// holds is a verdict that is no number.
func (t *trial) holds(name, bound string, ok bool) {
	measured := "yes"
	if !ok {
		measured = "no"
	}
	t.verdict(name, bound, measured, ok)
}

// stuck is the verdict on a control that must not recover.
func (t *trial) stuck(name string, r *run, from time.Duration) {
	good := r.goodput(from, 0)
	t.verdict(name, "no recovery, goodput ≤ 0.02", fmt.Sprintf("recovery %s, goodput %s", quantity(r.recovered(), "s"), figure(good)),
		r.recovery() == never && good <= 0.02)
}

func (t *trial) verdict(name, bound, measured string, ok bool) {
	t.report.Verdicts = append(t.report.Verdicts, Verdict{name, bound, measured, ok})
}
