package sim

import (
	"strings"

	"github.com/outlast-dev/outlast/internal/sim/internal/storm"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// Scenario is a storm, the clients that go through it, and the numbers that they
// must reach.
type Scenario struct {
	ID         string      `json:"id" doc:"Id of the scenario, such as S4."`
	Name       string      `json:"name" doc:"Name of the scenario."`
	Shows      string      `json:"shows" doc:"What it shows, in a sentence."`
	Source     string      `json:"source" doc:"Where the storm or its numbers come from."`
	Parameters []Parameter `json:"parameters" doc:"The numbers that it fixes."`

	made *storm.Scenario
}

// Parameter is a number that the scenario fixes.
type Parameter struct {
	Name  string `json:"name" doc:"What it is."`
	Value string `json:"value" doc:"Its value, with the unit."`
}

// Scenarios returns all scenarios in the order of the documentation. The caller
// owns the slice.
func Scenarios() []*Scenario {
	var found []*Scenario
	for _, made := range storm.All() {
		s := &Scenario{ID: made.ID, Name: made.Name, Shows: made.Shows, Source: made.Source, made: made}
		for _, p := range made.Parameters {
			s.Parameters = append(s.Parameters, Parameter(p))
		}
		found = append(found, s)
	}
	return found
}

// Find returns the scenario with that id, whatever its case; nil when there is
// none.
func Find(id string) *Scenario {
	for _, s := range Scenarios() {
		if strings.EqualFold(s.ID, id) {
			return s
		}
	}
	return nil
}

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
	own := s.made.Own
	if contender != nil {
		own = contender.kit(own)
	}
	r := &Report{Scenario: s.ID, Name: s.Name, Seed: seed}
	r.fill(s.made.Run(over, seed, own))
	return r
}

// RunUntil is [Scenario.Run] for those who do not wait for ever: over is asked now and
// then whether to give up. There is no report then, and an error.
func (s *Scenario) RunUntil(over func() bool, seed uint64, contender *Contender) (*Report, error) {
	return untilOver(func() *Report { return s.run(over, seed, contender) })
}

// untilOver turns the end of a run from inside into an error.
func untilOver[R any](run func() *R) (result *R, err error) {
	defer func() {
		if cause := recover(); cause == world.ErrOver { //nolint:errorlint // our own, thrown by the world
			result, err = nil, world.ErrOver
		} else if cause != nil {
			panic(cause)
		}
	}()
	return run(), nil
}

// kit gives a contender the guards that it asks for. What is no part of a policy,
// or what this one leaves open, stays as in our own kit.
func (c *Contender) kit(own world.Kit) world.Kit {
	k := own
	if own.Policy != nil && k.Patience == 0 {
		k.Patience = own.Policy.Timeout()
	}
	k.Name, k.Policy, k.Budget, k.Breaker, k.Repeat = c.Name, c.Policy, nil, nil, world.Decided(c.Policy)
	if config, ok := c.Policy.BudgetConfig(); ok {
		world.WithBudget(config)(&k)
	}
	if config, ok := c.Policy.BreakerConfig(); ok {
		world.WithBreaker(config)(&k)
	}
	return k
}
