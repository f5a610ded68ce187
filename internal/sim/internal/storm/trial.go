// Package storm has the scenarios: storms, the clients that go through them, and the
// numbers that they must reach. A file is a scenario.
package storm

import (
	"fmt"
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
)

// Scenario is a storm, the clients that go through it, and what is held against them.
type Scenario struct {
	ID         string
	Name       string
	Shows      string // one sentence
	Source     string // where the storm or its numbers come from
	Parameters []parameter

	Tabled []string // figures of all variants that the documentation shows

	Own      world.Kit // our clients, unless the caller brings a policy
	Contrast world.Kit // clients of a control, without a name where none can be told apart by their kit
	Storm    storm     // the run that stands for the scenario in comparisons
	play     func(t *trial)
}

// parameter is a number that the scenario fixes.
type parameter struct{ Name, Value string }

// storm sets up a run: servers, faults, clients, its end.
type storm func(w *world.World, k world.Kit)

// Report is what a scenario showed with one seed.
type Report struct {
	Verdicts []verdict
	Variants []variant
	Events   int64
}

// verdict is one acceptance number.
type verdict struct {
	Name, Bound, Measured string
	OK                    bool
}

// variant is what one kind of client measured.
type variant struct {
	Name    string
	Control bool
	Figures []figure
	Meter   *world.Meter
}

// figure is a number of one scenario.
type figure struct {
	Name  string
	Value float64
	Unit  string
}

// Run plays all variants with our own clients, or those in their place. Over is asked now
// and then whether to give up; nil is never.
func (s *Scenario) Run(over func() bool, seed uint64, own world.Kit) *Report {
	t := &trial{seed: seed, over: over, own: own, report: &Report{}}
	s.play(t)
	return t.report
}

// trial is a scenario being played with one seed.
type trial struct {
	seed   uint64
	over   func() bool
	own    world.Kit
	report *Report
}

// run plays a storm with clients and adds it to the report.
func (t *trial) run(k world.Kit, s storm) *run {
	w := world.New(t.seed)
	w.Over = t.over
	s(w, k)
	w.Run()
	t.report.Events += w.Count
	t.report.Variants = append(t.report.Variants, variant{Name: k.Name, Meter: w.Meter})
	return &run{w.Meter, t.report, len(t.report.Variants) - 1}
}

// control plays a storm with clients that must fail.
func (t *trial) control(k world.Kit, s storm) *run {
	r := t.run(k, s)
	t.report.Variants[r.index].Control = true
	return r
}

// run is a variant that has been played.
type run struct {
	*world.Meter
	report *Report
	index  int
}

// note adds a number to the variant.
func (r *run) note(name string, value float64, unit string) {
	v := &r.report.Variants[r.index]
	v.Figures = append(v.Figures, figure{name, Round(value), unit})
}

// noteTime adds a time in seconds that may never come.
func (r *run) noteTime(name string, s float64) {
	if !math.IsInf(s, 1) {
		r.note(name, s, "s")
	}
}

// recovered is the recovery in seconds, infinite for never.
func (r *run) recovered() float64 {
	if after := r.Recovery(); after != world.Never {
		return after.Seconds()
	}
	return math.Inf(1)
}

func (t *trial) atMost(name string, measured, bound float64, unit string) {
	t.verdict(name, "≤ "+Quantity(bound, unit), Quantity(measured, unit), measured <= bound)
}

func (t *trial) atLeast(name string, measured, bound float64, unit string) {
	t.verdict(name, "≥ "+Quantity(bound, unit), Quantity(measured, unit), measured >= bound)
}

func (t *trial) within(name string, measured, low, high float64, unit string) {
	t.verdict(name, fmt.Sprintf("%s to %s", Decimal(low), Quantity(high, unit)), Quantity(measured, unit), low <= measured && measured <= high)
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
	good := r.Goodput(from, 0)
	t.verdict(name, "no recovery, goodput ≤ 0.02", fmt.Sprintf("recovery %s, goodput %s", Quantity(r.recovered(), "s"), Decimal(good)),
		r.Recovery() == world.Never && good <= 0.02)
}

func (t *trial) verdict(name, bound, measured string, ok bool) {
	t.report.Verdicts = append(t.report.Verdicts, verdict{name, bound, measured, ok})
}
