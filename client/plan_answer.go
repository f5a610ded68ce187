package client

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// Plan is a planned policy; see package plan for what the figures mean.
type Plan struct {
	Summary       string            `json:"summary" doc:"The schedule in one line."`
	Policy        json.RawMessage   `json:"policy" doc:"The policy as it would be written, complete; solved if something was solved for."`
	Attempts      int               `json:"attempts" doc:"The first one included; 0 for unlimited."`
	Retries       int               `json:"retries" doc:"One less; with unlimited attempts, how many are listed."`
	Delays        []PlanDelay       `json:"delays" doc:"The waits before retries, the first ones."`
	More          int               `json:"more,omitzero" doc:"Retries that delays leaves out."`
	Total         Duration          `json:"total" doc:"Nominal waits of all retries."`
	Totals        PlanTotals        `json:"totals" doc:"All waits under the jitter."`
	Elapsed       Duration          `json:"elapsed" doc:"Longest time from the first attempt to the end of the last one, as far as the length of attempts is known."`
	Limit         Duration          `json:"limit,omitzero" doc:"Time that all attempts and waits have."`
	InTime        int               `json:"in_time" doc:"Retries that certainly end within the limit."`
	FailRate      float64           `json:"fail_rate" doc:"The share of attempts that fail, as asked for."`
	Success       []float64         `json:"success" doc:"Probability that one of 1, 2, … attempts succeeds if they fail independently."`
	Adds          []float64         `json:"adds" doc:"What attempt 1, 2, … adds to it."`
	Sensitivities []PlanSensitivity `json:"sensitivities,omitempty" doc:"Of an exponential schedule, before the cap."`
	Advice        []string          `json:"advice,omitempty" doc:"What to change, in sentences for people."`
	Load          PlanLoad          `json:"load" doc:"What the policy does to a target that fails."`
	Jitter        *PlanJitter       `json:"jitter,omitempty" doc:"How well clients are kept apart that fail together; absent without retries."`
	Rules         []PlanRule        `json:"rules,omitempty" doc:"The schedules of the rules of the policy that have their own."`
	Warnings      []PlanWarning     `json:"warnings" doc:"What is probably not meant."`
	Solution      *PlanSolution     `json:"solution,omitempty" doc:"The largest value that keeps the limit; only where something was solved for."`
	Fit           []PlanFitting     `json:"fit,omitempty" doc:"The presets that keep the limit; only where that was asked for."`
}

// PlanDelay is the wait before one retry.
type PlanDelay struct {
	Retry   int      `json:"retry" doc:"Number of the retry, from 1."`
	Nominal Duration `json:"nominal" doc:"Before jitter, under the cap."`
	Min     Duration `json:"min" doc:"The shortest wait under the jitter."`
	Max     Duration `json:"max" doc:"No wait reaches it unless it equals min."`
	Mean    Duration `json:"mean" doc:"The mean wait under the jitter."`
	At      Duration `json:"at" doc:"Sum of the nominal waits up to here."`
}

// PlanTotals are sums of waits.
type PlanTotals struct {
	Min  Duration `json:"min" doc:"If each wait is the shortest."`
	Max  Duration `json:"max" doc:"If each wait is the longest."`
	Mean Duration `json:"mean" doc:"The mean."`
}

// PlanSensitivity says how much a wait moves with the schedule.
type PlanSensitivity struct {
	Retry        int      `json:"retry" doc:"Number of the retry, from 1."`
	ByMultiplier Duration `json:"by_multiplier" doc:"Per 1 of the multiplier."`
	ByRetry      Duration `json:"by_retry" doc:"Per retry."`
}

// PlanLoad is what the policy does to a target that fails.
type PlanLoad struct {
	Attempts         int          `json:"attempts" doc:"Of one request at worst, through all layers; 0 for unlimited."`
	Layers           int          `json:"layers" doc:"Product of the attempts of the outer layers."`
	At               []PlanLoadAt `json:"at" doc:"The load at some fail rates."`
	Stable           float64      `json:"stable" doc:"Largest utilization from which the target recovers by itself when all retries are made."`
	StableWithBudget float64      `json:"stable_with_budget,omitzero" doc:"The same under the policy's retry budget."`
	InFlightHealthy  float64      `json:"in_flight_healthy,omitzero" doc:"Rate times length of an attempt."`
	InFlight         *float64     `json:"in_flight,omitempty" doc:"The same at the fail rate."`
	InFlightWorst    *float64     `json:"in_flight_worst,omitempty" doc:"The same when everything fails."`
}

// PlanLoadAt is the load at a fail rate.
type PlanLoadAt struct {
	FailRate      float64  `json:"fail_rate" doc:"The share of attempts that fail."`
	Amplification *float64 `json:"amplification,omitempty" doc:"Attempts per first attempt; absent when without limit."`
	WithBudget    float64  `json:"with_budget,omitzero" doc:"The same of this layer under the policy's retry budget, without the floor of the budget."`
}

// PlanJitter says how well clients are kept apart that fail together.
type PlanJitter struct {
	Kind           string   `json:"kind" doc:"Kind of the jitter, such as full or none."`
	From           float64  `json:"from" doc:"Lower bound as a share of the nominal wait."`
	To             float64  `json:"to" doc:"Upper bound as a share of the nominal wait."`
	Mean           float64  `json:"mean" doc:"Mean as a share of the nominal wait."`
	Peak           *float64 `json:"peak,omitempty" doc:"Highest density over the mean one; absent without jitter."`
	Line           float64  `json:"line" doc:"What one wave of retries keeps of the synchronized beat, as a share of power."`
	WorstLine      float64  `json:"worst_line" doc:"The largest at 1 to 5 beats per nominal wait."`
	Coherence      float64  `json:"coherence" doc:"How much synchrony one more retry leaves."`
	RetriesToApart *float64 `json:"retries_to_apart,omitempty" doc:"Retries until less than 1 % of the synchrony is left; absent without jitter."`
}

// PlanRule is the schedule of a rule of the policy.
type PlanRule struct {
	When     []retry.Category `json:"when" doc:"Categories that the rule is for. New ones may come."`
	If       string           `json:"if,omitempty" doc:"The expression of a rule that has no categories."`
	Then     retry.Action     `json:"then,omitempty" enum:"retry,dead,snooze" doc:"What the rule does; retry when absent."`
	Attempts int              `json:"attempts" doc:"The first one included; 0 for unlimited."`
	Delays   []PlanDelay      `json:"delays" doc:"The first 16."`
	More     int              `json:"more,omitzero" doc:"Retries that delays leaves out."`
	Total    Duration         `json:"total" doc:"Of the first 1000 waits."`
}

// PlanWarning is something that is probably not meant.
type PlanWarning struct {
	Code    string `json:"code" doc:"Stable name of the warning. New ones may come."`
	Field   string `json:"field" doc:"The key of the policy."`
	Message string `json:"message" doc:"What is wrong, for people."`
}

// PlanSolution is the largest value that keeps the limit.
type PlanSolution struct {
	Initial    Duration `json:"initial,omitzero" doc:"The first wait; only where it was solved for."`
	Multiplier float64  `json:"multiplier,omitzero" doc:"The multiplier; only where it was solved for."`
	Retries    int      `json:"retries,omitzero" doc:"How many retries; only where they were solved for."`
	Limit      Duration `json:"limit" doc:"Time that all attempts and waits have."`
	Slack      Duration `json:"slack" doc:"What is left of the limit."`
}

// PlanFitting is a preset that keeps the limit.
type PlanFitting struct {
	Preset   string   `json:"preset" doc:"Name of the preset."`
	Attempts int      `json:"attempts" doc:"The first one included; 0 for unlimited."`
	Elapsed  Duration `json:"elapsed" doc:"Longest time from the first attempt to the end of the last one."`
	Slack    Duration `json:"slack" doc:"What is left of the limit."`
	Purpose  string   `json:"purpose" doc:"What the preset is for."`
}

// NewPlan is a report in the form of the API.
func NewPlan(r *plan.Report) (*Plan, error) {
	policy, err := json.Marshal(r.Policy)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Summary: r.Summary(), Policy: PlainJSON(policy), Attempts: r.Attempts, Retries: r.Retries,
		Delays: planDelays(r.Delays), More: r.More, Total: Duration(r.Total.Nominal),
		Totals:  PlanTotals{Duration(r.Total.Min), Duration(r.Total.Max), Duration(r.Total.Mean)},
		Elapsed: Duration(r.Elapsed), Limit: Duration(r.Limit), InTime: r.InTime,
		FailRate: r.Env.FailRate, Success: r.Success, Adds: r.Adds, Advice: r.Advice,
		Load: planLoad(&r.Load), Jitter: planJitter(r.Spread), Warnings: make([]PlanWarning, len(r.Warnings)),
	}
	for _, s := range r.Sensitivities {
		p.Sensitivities = append(p.Sensitivities, PlanSensitivity{s.Retry, Duration(s.ByMultiplier), Duration(s.ByRetry)})
	}
	for _, rule := range r.Rules {
		p.Rules = append(p.Rules, PlanRule{rule.When, rule.If, rule.Then, rule.Attempts, planDelays(rule.Delays), rule.More, Duration(rule.Total.Nominal)})
	}
	for i, w := range r.Warnings {
		p.Warnings[i] = PlanWarning{w.Code, w.Field, w.Message}
	}
	if s := r.Solution; s != nil {
		p.Solution = &PlanSolution{Duration(s.Initial), s.Multiplier, s.Retries, Duration(s.Limit), Duration(s.Slack)}
	}
	for _, f := range r.Fitting {
		p.Fit = append(p.Fit, PlanFitting{f.Preset, f.Attempts, Duration(f.Elapsed), Duration(f.Slack), f.Purpose})
	}
	return p, nil
}

func planDelays(delays []plan.Delay) []PlanDelay {
	out := make([]PlanDelay, len(delays))
	for i, d := range delays {
		out[i] = PlanDelay{d.Retry, Duration(d.Nominal), Duration(d.Min), Duration(d.Max), Duration(d.Mean), Duration(d.At)}
	}
	return out
}

func planLoad(l *plan.Load) PlanLoad {
	out := PlanLoad{
		Attempts: l.Attempts, Layers: l.Layers, Stable: l.Stable, StableWithBudget: l.StableWithBudget,
		InFlightHealthy: l.InFlightHealthy,
	}
	if l.InFlightHealthy > 0 {
		out.InFlight, out.InFlightWorst = finite(l.InFlight), finite(l.InFlightWorst)
	}
	for _, at := range l.At {
		out.At = append(out.At, PlanLoadAt{at.FailRate, finite(at.Amplification), at.WithBudget})
	}
	return out
}

func planJitter(s *plan.Spread) *PlanJitter {
	if s == nil {
		return nil
	}
	return &PlanJitter{s.Kind, s.From, s.To, s.Mean, finite(s.Peak), s.Line, s.WorstLine, s.Coherence, finite(s.RetriesToApart)}
}
