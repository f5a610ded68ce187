package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/sim"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// simTime is how long one run of the simulator may take.
const simTime = 5 * time.Second

type simScenarios struct {
	Scenarios []*sim.Scenario `json:"scenarios"`
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

func (s *Server) addSim() {
	handle(s, route{
		method: "GET", path: "/v1/sim/scenarios", id: "list-scenarios", needs: token.View, scope: shared, tag: "simulator", answers: []int{200},
		summary: "List the scenarios of the storm simulator",
	}, func(context.Context, *none) (answer[simScenarios], error) { return ok(simScenarios{sim.Scenarios()}) })
	handle(s, route{
		method: "POST", path: "/v1/sim/run", id: "run-scenario", needs: token.Operate, scope: shared, tag: "simulator", answers: []int{200},
		summary: "Play a scenario of the storm simulator, with our own clients or a policy in their place",
		about:   "The report is that of outlast sim run, with what each variant did over time. One run at a time on a node, for 5 s at most: longer ones are for the command line.",
		errors:  []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *simInput) (answer[sim.Report], error) {
		contender, err := s.contender(ctx, "", &simPolicy{in.Body.Preset, in.Body.Policy})
		if err != nil {
			return fail[sim.Report](err)
		}
		return simulate(ctx, s, in.Body.Scenario, in.Body.Seed, func(scenario *sim.Scenario, seed uint64, over func() bool) (*sim.Report, error) {
			report, err := scenario.RunUntil(over, seed, contender)
			if err == nil {
				report.Draw(drawnSteps)
			}
			return report, err
		})
	})
	handle(s, route{
		method: "POST", path: "/v1/sim/compare", id: "compare-policies", needs: token.Operate, scope: shared, tag: "simulator", answers: []int{200},
		summary: "Play a storm with several policies, and show what each does over time",
		about:   "As outlast sim compare. One run at a time on a node, for 5 s at most.",
		errors:  []task.Code{task.CodeNotFound},
	}, s.comparePolicies)
	s.addWhatIf()
}

func (s *Server) comparePolicies(ctx context.Context, in *compareInput) (answer[sim.Comparison], error) {
	if n := len(in.Body.Policies); n > maxContenders {
		return fail[sim.Comparison](task.Invalid("policies", fmt.Sprintf("%d are more than %d", n, maxContenders), "leave some out"))
	}
	var all []sim.Contender
	for n := range in.Body.Policies {
		contender, err := s.contender(ctx, fmt.Sprintf("policies[%d].", n), &in.Body.Policies[n])
		if err != nil {
			return fail[sim.Comparison](err)
		}
		if contender != nil {
			all = append(all, *contender)
		}
	}
	return simulate(ctx, s, in.Body.Scenario, in.Body.Seed, func(scenario *sim.Scenario, seed uint64, over func() bool) (*sim.Comparison, error) {
		return sim.CompareUntil(over, scenario, seed, all)
	})
}

// simulate plays something, unless the node plays already, for [simTime] at most.
func simulate[R any](ctx context.Context, s *Server, id string, given *int64, play func(*sim.Scenario, uint64, func() bool) (*R, error)) (answer[R], error) {
	scenario := sim.Find(id)
	if scenario == nil {
		return fail[R](task.NotFound("scenario", id))
	}
	seed := uint64(1)
	if given != nil {
		seed = uint64(*given) // any 64 bits will do
	}
	var result *R
	err := s.alone(func() (err error) {
		if result, err = play(scenario, seed, overAfter(ctx, s.simTime)); err != nil {
			return &task.Error{Code: task.CodeUnavailable, Message: "the scenario takes longer than " + s.simTime.String(), Err: err,
				Hint: "outlast sim run " + scenario.ID + " plays it on your machine"}
		}
		return nil
	})
	return answer[R]{Body: result}, err
}

// alone plays something, unless the node plays already.
func (s *Server) alone(play func() error) error {
	if !s.simulating.TryLock() {
		return &task.Error{Code: task.CodeRateLimited, Message: "this node plays another scenario or history", RetryAfter: time.Second}
	}
	defer s.simulating.Unlock()
	return play()
}

// overAfter tells when so much time has passed, or the caller has gone.
func overAfter(ctx context.Context, d time.Duration) func() bool {
	end := time.Now().Add(d)
	return func() bool { return ctx.Err() != nil || time.Now().After(end) }
}

// contender is nil where our own clients play.
func (s *Server) contender(ctx context.Context, place string, p *simPolicy) (*sim.Contender, error) {
	switch {
	case p.Preset != "" && len(p.Policy) > 0:
		return nil, task.Invalid(place+"policy", "preset and policy are both given", "give one of them")
	case p.Preset != "":
		named, err := s.inspect.Policies.Get(ctx, p.Preset)
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
	wrong := &task.Error{Code: task.CodeInvalid, Message: "the policy is not valid", Err: err, Hint: "docs/configuration.md has the fields of policies"}
	for _, field := range retry.FieldErrors(err) {
		wrong.Fields = append(wrong.Fields, task.Field{Path: place + "policy." + field.Field, Message: field.Message})
	}
	return wrong
}
