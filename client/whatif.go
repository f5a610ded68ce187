package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// WhatIf asks how recorded tasks would have gone under other policies. Without type,
// queue and target it is about all tasks.
type WhatIf struct {
	Type     string         `json:"type,omitempty" given:"leave it out for all types" doc:"Only tasks of this type; all when absent."`
	Queue    string         `json:"queue,omitempty" given:"leave it out for all queues" doc:"Only tasks of this queue; all when absent."`
	Target   string         `json:"target,omitempty" given:"leave it out for all targets" doc:"Only tasks that call this target; all when absent."`
	Of       string         `json:"of,omitempty" given:"leave it out for all policies" doc:"Only tasks of which an attempt ran under this policy, in any version."`
	Since    Time           `json:"since,omitzero" doc:"Tasks created at or after; a day before until when absent."`
	Until    Time           `json:"until,omitzero" doc:"Tasks created before; now when absent."`
	Tasks    int            `json:"tasks,omitzero" given:"leave it out for 2000" doc:"At most so many tasks, the newest first: up to 10 000, 2000 when absent."`
	Seed     *int64         `json:"seed,omitempty" doc:"Of the random numbers, 1 when absent; the same seed gives the same answer to the same tasks."`
	Policies []WhatIfPolicy `json:"policies,omitempty" doc:"At most 4, to compare with what was recorded and with the policies of now."`
}

// WhatIfPolicy is a policy that is tried: a named one, or one that is written out.
type WhatIfPolicy struct {
	Name   string          `json:"name,omitempty" doc:"What it is called in the answer."`
	Preset string          `json:"preset,omitempty" doc:"Name of a preset, or of a policy of this server."`
	Policy json.RawMessage `json:"policy,omitempty" doc:"A policy in the form of the configuration."`
}

// WhatIfReport is how recorded tasks went, and would have gone.
type WhatIfReport struct {
	Read   WhatIfRead    `json:"read" doc:"What was read of the store."`
	Seed   int64         `json:"seed" doc:"Of the random numbers."`
	Begin  Time          `json:"begin" doc:"When the first attempt began, and all series do."`
	Step   Duration      `json:"step" doc:"Time between two values of a series."`
	Runs   []WhatIfRun   `json:"runs" doc:"What was recorded; then each task under the policy that holds for it now; then the policies that are tried, in their order."`
	Limits []WhatIfLimit `json:"limits" doc:"What the runs cannot know, in plain words."`
}

// WhatIfRead is what was read of the store.
type WhatIfRead struct {
	Tasks    int    `json:"tasks" doc:"That were tried at least once."`
	Attempts int    `json:"attempts" doc:"Of them."`
	Untried  int    `json:"untried" doc:"Tasks without an attempt, which are left out."`
	Others   int    `json:"others,omitempty" doc:"Tasks that ran under other policies than the one asked for, which are left out."`
	Targets  int    `json:"targets" doc:"That the tasks call."`
	Since    Time   `json:"since" doc:"Tasks created at or after were asked for."`
	Until    Time   `json:"until" doc:"Tasks created before were asked for."`
	Oldest   Time   `json:"oldest,omitzero" doc:"When the oldest task that was read was created."`
	Stopped  string `json:"stopped,omitempty" enum:"tasks,attempts,time" doc:"The bound at which reading stopped; absent when nothing is left out."`
}

// WhatIfRun is how the tasks went, or go in a replay.
type WhatIfRun struct {
	Name         string         `json:"name" doc:"What the run is called."`
	Kind         string         `json:"kind" enum:"recorded,current,tried" doc:"recorded: as it was. current: under the policies of now. tried: under a policy of the request."`
	Attempts     int            `json:"attempts" doc:"Attempts of all tasks."`
	Retries      int            `json:"retries" doc:"Those of the attempts that were not the first of their task."`
	Failed       int            `json:"failed" doc:"Attempts that failed."`
	Guessed      int            `json:"guessed" doc:"Attempts at a time of which nothing is recorded; they are taken to succeed."`
	Succeeded    int            `json:"succeeded" doc:"Tasks."`
	Died         int            `json:"died" doc:"Tasks."`
	Canceled     int            `json:"canceled" doc:"Tasks; only as recorded."`
	Open         int            `json:"open" doc:"Tasks that had not ended; only as recorded."`
	Wait         WhatIfSpans    `json:"wait" doc:"From a failure to the next attempt."`
	Success      WhatIfSpans    `json:"success" doc:"From the first attempt of a task to its success."`
	MostInFlight int            `json:"most_in_flight" doc:"Attempts at once, at most."`
	DiedBy       map[string]int `json:"died_by,omitempty" doc:"Tasks by why they died."`
	Series       WhatIfSeries   `json:"series" doc:"The run over time."`
}

// WhatIfSpans says how long something took.
type WhatIfSpans struct {
	P50     Duration `json:"p50" doc:"Half took no longer."`
	P99     Duration `json:"p99" doc:"99 of 100 took no longer."`
	Longest Duration `json:"longest,omitzero" doc:"The longest; absent where there is none."`
}

// WhatIfSeries is a run over time, per second in each step.
type WhatIfSeries struct {
	Tasks     []float64 `json:"tasks" doc:"First attempts that were due."`
	Attempts  []float64 `json:"attempts" doc:"Load that the targets are offered."`
	Succeeded []float64 `json:"succeeded" doc:"Tasks."`
}

// WhatIfLimit is one thing that a replay cannot know.
type WhatIfLimit struct {
	Code string `json:"code" doc:"Stable name of the limit. New ones may come."`
	Text string `json:"text" doc:"What it means, for people."`
}

// WhatIf replays recorded tasks under other policies. It takes a server some seconds.
func (c *Client) WhatIf(ctx context.Context, question WhatIf) (*WhatIfReport, error) {
	return exchange[WhatIfReport](ctx, c, call{method: http.MethodPost, path: "/v1/sim/whatif", body: &question})
}
