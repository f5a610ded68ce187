package client

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// PlanRequest asks what a policy will do: the keys of a policy, then what it is
// planned for. What is left out is not known, or has its default.
type PlanRequest struct {
	Preset        string          `json:"preset,omitempty" doc:"Name of a preset; the other keys of the policy override it."`
	MaxAttempts   *int            `json:"max_attempts,omitempty" doc:"The first attempt counts."`
	Unlimited     bool            `json:"unlimited,omitempty" doc:"No limit of attempts."`
	Backoff       json.RawMessage `json:"backoff,omitempty" strict:"true" doc:"kind, initial, multiplier, max, step, steps, jitter."`
	Timeout       Duration        `json:"timeout,omitzero" doc:"Limit of each attempt."`
	TTL           Duration        `json:"ttl,omitzero" doc:"Limit of all attempts and waits together."`
	FirstRunAfter Duration        `json:"first_run_after,omitzero" doc:"Wait before the first attempt; none when absent."`
	Rules         json.RawMessage `json:"rules,omitempty" strict:"true" doc:"The first that matches decides; when is a list of categories or an expression in CEL."`
	RetryOn       json.RawMessage `json:"retry_on,omitempty" strict:"true" doc:"Categories, error types and codes that are retried beyond the usual."`
	NeverOn       json.RawMessage `json:"never_on,omitempty" strict:"true" doc:"Categories, error types and codes that are never retried; these win over retry_on."`
	MaxCrashes    *int            `json:"max_crashes,omitempty" doc:"How many runs may be lost before the task dies as crash_loop."`
	OrderOnDead   string          `json:"order_on_dead,omitempty" enum:"block,skip,park" doc:"What becomes of the tasks of an ordering key behind a dead one."`
	Budget        json.RawMessage `json:"budget,omitempty" strict:"true" doc:"The retry budget of the target, or none: ratio, floor, burst, pressure."`
	Breaker       json.RawMessage `json:"breaker,omitempty" strict:"true" doc:"The circuit breaker of the target, or none: failure_rate, min_calls, window, open_for and the like."`
	Fallback      json.RawMessage `json:"fallback,omitempty" strict:"true" doc:"The task that follows a dead one: type, queue, policy, payload, target."`
	Alert         json.RawMessage `json:"alert,omitempty" strict:"true" doc:"When to tell people about tasks of the policy: {when, channels, cooldown}."`
	Canary        json.RawMessage `json:"canary,omitempty" strict:"true" doc:"The share of the tasks for which this version holds, such as \"10%\" or 10, above 0 to 100."`

	Deadline      Duration `json:"deadline,omitzero" given:"leave it out for no deadline" doc:"Time that the caller has, from the first attempt on."`
	AttemptTime   Duration `json:"attempt_time,omitzero" given:"leave it out when it is not known" doc:"Usual length of an attempt."`
	FailRate      float64  `json:"fail_rate,omitzero" given:"leave it out for 0.5" doc:"Share of attempts that fail, above 0 to 1; 0.5 when absent."`
	Rate          float64  `json:"rate,omitzero" given:"leave it out when it is not known" doc:"First attempts per second."`
	Utilization   float64  `json:"utilization,omitzero" given:"leave it out when it is not known" doc:"Share of the target's capacity that first attempts use."`
	OuterAttempts []int    `json:"outer_attempts,omitempty" doc:"Attempts of the layers that call this one."`
	Rows          int      `json:"rows,omitzero" given:"leave it out for 100" doc:"Retries to list, up to 10 000; 100 when absent."`
	Solve         string   `json:"solve,omitempty" given:"leave it out to plan the policy as it is" enum:"initial,multiplier,retries" doc:"What to find the largest value of that keeps the lower of ttl and deadline."`
	Fit           bool     `json:"fit,omitempty" doc:"Name the presets that keep the lower of ttl and deadline."`
}

// notOfPolicy are the keys of a request that say what is asked about the policy.
var notOfPolicy = []string{"deadline", "attempt_time", "fail_rate", "rate", "utilization", "outer_attempts", "rows", "solve", "fit"}

// spec is the policy of the request.
func (r *PlanRequest) spec() (*retry.Spec, error) {
	text, err := Marshal(r)
	if err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil { // raw JSON that is none
		return nil, err
	}
	for _, key := range notOfPolicy {
		delete(keys, key)
	}
	if text, err = json.Marshal(keys); err != nil {
		return nil, err
	}
	return retry.ParseSpec(text)
}

// Report plans the policy in this process, without a server. A request that
// cannot be meant is refused with a [*task.Error] that names the fields.
func (r *PlanRequest) Report() (*plan.Report, error) {
	env := plan.Env{
		Deadline: time.Duration(r.Deadline), AttemptTime: time.Duration(r.AttemptTime), FailRate: r.FailRate,
		Rate: r.Rate, Utilization: r.Utilization, OuterAttempts: r.OuterAttempts, Rows: r.Rows,
	}
	spec, err := r.spec()
	if err != nil {
		_, wrong := plan.Of(retry.Default(), env) // all that is wrong at once
		return nil, refused(errors.Join(err, wrong))
	}
	report, err := plan.Question{Spec: spec, Solve: plan.Variable(r.Solve), Fit: r.Fit, Env: env}.Answer()
	return report, refused(err)
}

// mostRefused bounds the answer to a policy that is wrong all over.
const mostRefused = 20

// refused turns field errors into an error of the API, nil for nil.
func refused(err error) error {
	if err == nil {
		return nil
	}
	fields := retry.FieldErrors(err)
	if len(fields) == 0 {
		return task.Invalid("policy", err.Error(), "send a policy as JSON")
	}
	out := &task.Error{Code: task.CodeInvalid, Message: "the policy cannot be planned", Err: err}
	var all hints.List
	for _, field := range fields[:min(len(fields), mostRefused)] {
		path := task.Quote(field.Field) // it can end with the name of an unknown key
		path = path[1 : len(path)-1]
		if path == "" {
			path = "policy"
		}
		out.Fields = append(out.Fields, task.Field{Path: path, Message: field.Message})
		all.Add(path, field.Hint)
	}
	if out.Hint = all.Text(); out.Hint == "" {
		out.Hint = "docs/reference/policies.md lists the keys of a policy and their ranges"
	}
	return out
}

// Plan asks the server to plan a policy.
func (c *Client) Plan(ctx context.Context, request PlanRequest) (*Plan, error) {
	return exchange[Plan](ctx, c, call{method: http.MethodPost, path: "/v1/policies/plan", body: &request})
}

// finite is nil for what JSON has no number for.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}
