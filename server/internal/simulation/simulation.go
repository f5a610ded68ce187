// Package simulation is the calls of the storm simulator, and of the replay of what was
// recorded under other policies.
package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/sim"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

// longest is how long one run may take.
const longest = 5 * time.Second

// Simulator plays one scenario or history at a time.
type Simulator struct {
	// Longest is how long one run may take.
	Longest time.Duration

	policies inspect.Policies
	tasks    inspect.Tasks
	playing  sync.Mutex // held while something is played
}

// New makes a simulator of these policies, that plays again what has become of these tasks.
func New(policies inspect.Policies, tasks inspect.Tasks) *Simulator {
	return &Simulator{Longest: longest, policies: policies, tasks: tasks}
}

type simScenarios struct {
	Scenarios []*sim.Scenario `json:"scenarios" doc:"The scenarios, in the order of the documentation."`
}

// simRun says what is played.
type simRun struct {
	Scenario string          `json:"scenario" doc:"Id of a scenario: S4."`
	Seed     *int64          `json:"seed,omitempty" doc:"Of the random numbers, 1 when absent; the same seed gives the same report."`
	Preset   string          `json:"preset,omitempty" doc:"Name of a preset, or of a policy of this server, that takes the place of our own clients."`
	Policy   json.RawMessage `json:"policy,omitempty" doc:"A policy in the form of the configuration that does so."`
}

// simContest says what is played by whom.
type simContest struct {
	Scenario string      `json:"scenario" doc:"Id of a scenario: S4."`
	Seed     *int64      `json:"seed,omitempty" doc:"Of the random numbers, 1 when absent."`
	Policies []simPolicy `json:"policies,omitempty" doc:"At most 4. With fewer than two, our own clients and the main control come first."`
}

// simPolicy is whose clients play.
type simPolicy struct {
	Preset string          `json:"preset,omitempty" doc:"Name of a preset, or of a policy of this server."`
	Policy json.RawMessage `json:"policy,omitempty" doc:"A policy in the form of the configuration."`
}

// maxContenders is how many policies one comparison takes.
const maxContenders = 4

type (
	simInput     struct{ Body simRun }
	compareInput struct{ Body simContest }
)

// Add adds the calls of the simulator.
func (s *Simulator) Add(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/sim/scenarios", ID: "list-scenarios", Needs: inspect.PermissionView, Scope: scope.Shared, Tag: "simulator",
		Summary: "List the scenarios of the storm simulator", About: "Each is a storm, the clients that go through it, and the numbers that they must reach.",
	}, func(context.Context, *route.None) (*route.Answer[simScenarios], error) {
		return route.OK(simScenarios{sim.Scenarios()})
	})
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/sim/run", ID: "run-scenario", Needs: inspect.PermissionOperate, Scope: scope.Shared, Tag: "simulator",
		Summary: "Simulate a scenario, with the clients of Outlast or with a policy instead",
		About:   "The report is that of outlast sim run, with what each variant did over time. One run at a time on a node, for 5 s at most: longer ones are for the command line.",
		Errors:  []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *simInput) (*route.Answer[sim.Report], error) {
		contender, err := s.contender(ctx, "", &simPolicy{in.Body.Preset, in.Body.Policy})
		if err != nil {
			return nil, err
		}
		return simulate(ctx, s, in.Body.Scenario, in.Body.Seed, func(scenario *sim.Scenario, seed uint64, over func() bool) (*sim.Report, error) {
			report, err := scenario.RunUntil(over, seed, contender)
			if err == nil {
				report.Draw(drawnSteps)
			}
			return report, err
		})
	})
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/sim/compare", ID: "compare-policies", Needs: inspect.PermissionOperate, Scope: scope.Shared, Tag: "simulator",
		Summary: "Simulate a storm with several policies, and show what each does over time",
		About:   "As outlast sim compare. One run at a time on a node, for 5 s at most.",
		Errors:  []task.Code{task.CodeNotFound},
	}, s.comparePolicies)
	s.addWhatIf(to)
}

func (s *Simulator) comparePolicies(ctx context.Context, in *compareInput) (*route.Answer[sim.Comparison], error) {
	if n := len(in.Body.Policies); n > maxContenders {
		return nil, task.Invalid("policies", fmt.Sprintf("%d are too many; the limit is %d", n, maxContenders), "leave some out")
	}
	var all []sim.Contender
	for n := range in.Body.Policies {
		contender, err := s.contender(ctx, fmt.Sprintf("policies[%d].", n), &in.Body.Policies[n])
		if err != nil {
			return nil, err
		}
		if contender != nil {
			all = append(all, *contender)
		}
	}
	return simulate(ctx, s, in.Body.Scenario, in.Body.Seed, func(scenario *sim.Scenario, seed uint64, over func() bool) (*sim.Comparison, error) {
		return sim.CompareUntil(over, scenario, seed, all)
	})
}

// simulate plays something, unless the node plays already, for [Simulator.Longest] at most.
func simulate[R any](ctx context.Context, s *Simulator, id string, given *int64, play func(*sim.Scenario, uint64, func() bool) (*R, error)) (*route.Answer[R], error) {
	scenario := sim.Find(id)
	if scenario == nil {
		return nil, task.NotFound("scenario", id)
	}
	seed := uint64(1)
	if given != nil {
		seed = uint64(*given) // any 64 bits will do
	}
	var result *R
	err := s.alone(func() (err error) {
		if result, err = play(scenario, seed, overAfter(ctx, s.Longest)); err != nil {
			return &task.Error{Code: task.CodeUnavailable, Message: "the scenario takes longer than " + s.Longest.String(), Err: err,
				Hint: "outlast sim run " + scenario.ID + " plays it on your machine"}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return route.OK(*result)
}

// alone plays something, unless the node plays already.
func (s *Simulator) alone(play func() error) error {
	if !s.playing.TryLock() {
		return &task.Error{Code: task.CodeRateLimited, Message: "this node plays another scenario or history", RetryAfter: time.Second}
	}
	defer s.playing.Unlock()
	return play()
}

// overAfter tells when so much time has passed, or the caller has gone.
func overAfter(ctx context.Context, d time.Duration) func() bool {
	end := time.Now().Add(d)
	return func() bool { return ctx.Err() != nil || time.Now().After(end) }
}

// contender is nil where our own clients play.
func (s *Simulator) contender(ctx context.Context, place string, p *simPolicy) (*sim.Contender, error) {
	switch {
	case p.Preset != "" && len(p.Policy) > 0:
		return nil, task.Invalid(place+"policy", "preset and policy are both given", "give one of them")
	case p.Preset != "":
		named, err := s.policies.Get(ctx, p.Preset)
		if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
			return nil, task.Invalid(place+"preset", task.Quote(p.Preset)+" is neither a policy of this server nor a preset", "presets: "+strings.Join(retry.Presets(), ", "))
		}
		if err != nil {
			return nil, err
		}
		own, err := simulated(named.Form)
		if err != nil {
			return nil, wrongSpec(place, err)
		}
		return &sim.Contender{Name: p.Preset, Policy: own}, nil
	case len(p.Policy) > 0:
		own, err := simulated(p.Policy)
		if err != nil {
			return nil, wrongSpec(place, err)
		}
		return &sim.Contender{Name: cmp.Or(strings.TrimSuffix(place, "."), "policy"), Policy: own}, nil
	}
	return nil, nil
}

// simulated reads the keys of a policy that decide about attempts; those about what
// follows them are for the server alone.
func simulated(form json.RawMessage) (*retry.Policy, error) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(form, &keys) == nil { // else ParseSpec says what is wrong
		for _, other := range []string{"alert", "canary", "fallback"} {
			delete(keys, other)
		}
		form, _ = json.Marshal(keys) // of what was JSON
	}
	spec, err := retry.ParseSpec(form)
	if err != nil {
		return nil, err
	}
	return spec.Policy()
}

// wrongSpec names everything that is wrong with a policy.
func wrongSpec(place string, err error) error {
	wrong := &task.Error{Code: task.CodeInvalid, Message: "the policy is not valid", Err: err, Hint: "docs/reference/configuration.md has the fields of policies"}
	for _, field := range retry.FieldErrors(err) {
		wrong.Fields = append(wrong.Fields, task.Field{Path: place + "policy." + field.Field, Message: field.Message})
	}
	return wrong
}
