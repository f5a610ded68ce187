package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// TargetState is what the living nodes know of a target: the most restrictive
// breaker, sums of what was counted, and each node's view.
type TargetState struct {
	Name string `json:"name" doc:"The host of a request's URL, with a port that is not the scheme's own, as in api.example.com:8443; what its handler has named, as in @stripe; or the type of the task."`
	TargetView
	Order *TargetOrder `json:"order,omitempty" doc:"What an operator said last; one to open holds, others are shown for an hour."`
	Nodes []NodeTarget `json:"nodes" doc:"What each node knows. Empty of a target that is ordered open while no node knows a task of it: perhaps its name is a typing error."`
}

// TargetView is a target as one node sees it, or all together.
type TargetView struct {
	Breaker   Breaker       `json:"breaker" doc:"The circuit breaker."`
	Budget    Budget        `json:"budget" doc:"The retry budget."`
	Limit     int           `json:"limit" doc:"Attempts at once."`
	InFlight  int           `json:"in_flight" doc:"Attempts that run."`
	HeldUntil Time          `json:"held_until,omitzero" doc:"Until then the target wants no calls: it has refused with a hint."`
	Unguarded bool          `json:"unguarded,omitempty" doc:"The handler of the type wants no guards: only an operator's order holds its tasks."`
	Waiting   TargetWaiting `json:"waiting" doc:"Due tasks in the memory of the nodes, by what holds them."`
}

// NodeTarget is what one node knows of a target.
type NodeTarget struct {
	Node string `json:"node" doc:"Id of the node."`
	TargetView
}

// Breaker is the breaker of a target.
type Breaker struct {
	State    string  `json:"state" enum:"closed,ramping,half_open,open" doc:"closed: calls go through. open: none does. half_open: probes do. ramping: ever more do."`
	Forced   bool    `json:"forced" doc:"An operator opened it."`
	Since    Time    `json:"since,omitzero" doc:"The last change."`
	Until    Time    `json:"until,omitzero" doc:"When an open one lets a probe through."`
	Opened   Time    `json:"opened,omitzero" doc:"The beginning of the outage."`
	Trips    int     `json:"trips" doc:"Failed probes of this outage, plus one."`
	Cause    string  `json:"cause,omitempty" doc:"Of the last change."`
	Calls    int64   `json:"calls" doc:"In the window."`
	Failures int64   `json:"failures" doc:"Of the calls in the window."`
	Slow     int64   `json:"slow" doc:"Of the calls in the window."`
	Probing  int     `json:"probing" doc:"Probes under way."`
	Admitted float64 `json:"admitted" doc:"Share of calls let through: 1 closed, 0 open."`
}

// Budget is the retry budget of a target.
type Budget struct {
	Tokens  float64 `json:"tokens" doc:"Retries that can be made at once."`
	Share   float64 `json:"share" doc:"Of the attempts that succeeded lately. Below 0.9 the budget binds."`
	First   int64   `json:"first" doc:"First attempts in the last ten seconds."`
	Retries int64   `json:"retries" doc:"Retries in the last ten seconds."`
	Denied  int64   `json:"denied" doc:"Retries that had to wait, since the nodes' start."`
	Until   Time    `json:"until,omitzero" doc:"When the next retry that waits may run."`
}

// TargetWaiting counts due tasks in the memory of the nodes by what holds them.
type TargetWaiting struct {
	Breaker     int `json:"breaker" doc:"The breaker is not closed."`
	Budget      int `json:"budget" doc:"The retry budget is spent."`
	Rate        int `json:"rate" doc:"The target asked for a pause, or recovers."`
	Concurrency int `json:"concurrency" doc:"As many attempts run as may at once."`
}

// TargetOrder is what an operator said about a target.
type TargetOrder struct {
	Action string `json:"action" enum:"open,close,reset" doc:"open: nothing calls the target. close: calls begin again. reset: what was learned of it was forgotten."`
	At     Time   `json:"at" doc:"When it was said."`
}

// Targets lists targets, those with something to tell first.
type Targets struct {
	Targets []TargetState `json:"targets" doc:"The targets, those with something to tell first."`
	Total   int           `json:"total" doc:"How many there are, also beyond the limit."`
}

func targetPath(name string) string { return "/v1/targets/" + url.PathEscape(name) }

// Targets lists at most limit targets (100 for 0), those with something to tell
// first, then by name.
func (c *Client) Targets(ctx context.Context, limit int) (*Targets, error) {
	return c.targets(ctx, limit, url.Values{})
}

// TroubledTargets lists at most limit targets (100 for 0) as [Client.Targets] does: only
// those whose breaker is not closed, and those that want no calls for a while. Total is
// of these.
func (c *Client) TroubledTargets(ctx context.Context, limit int) (*Targets, error) {
	return c.targets(ctx, limit, url.Values{"troubled": {"true"}})
}

func (c *Client) targets(ctx context.Context, limit int, query url.Values) (*Targets, error) {
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return get[Targets](ctx, c, "/v1/targets", query)
}

// Target returns one target.
func (c *Client) Target(ctx context.Context, name string) (*TargetState, error) {
	return get[TargetState](ctx, c, targetPath(name), nil)
}

// OpenTarget stops all calls of a target until [Client.CloseTarget] or
// [Client.ResetTarget].
func (c *Client) OpenTarget(ctx context.Context, name string) (*TargetState, error) {
	return exchange[TargetState](ctx, c, call{method: http.MethodPost, path: targetPath(name) + "/open"})
}

// CloseTarget ends an outage or an order to open: calls begin again, ever more
// of them.
func (c *Client) CloseTarget(ctx context.Context, name string) (*TargetState, error) {
	return exchange[TargetState](ctx, c, call{method: http.MethodPost, path: targetPath(name) + "/close"})
}

// ResetTarget forgets what was learned of a target: breaker, budget, limit and
// the history of its outages.
func (c *Client) ResetTarget(ctx context.Context, name string) (*TargetState, error) {
	return exchange[TargetState](ctx, c, call{method: http.MethodPost, path: targetPath(name) + "/reset"})
}

// TargetChange is one change of a target's breaker or budget on one node.
type TargetChange struct {
	At     Time   `json:"at" doc:"When it happened."`
	Node   string `json:"node" doc:"Id of the node."`
	Part   string `json:"part" enum:"breaker,budget" doc:"What has changed."`
	State  string `json:"state" enum:"closed,open,half_open,ramping,exhausted,refilled" doc:"Of a breaker closed, open, half_open or ramping; of a budget exhausted or refilled."`
	Was    string `json:"was,omitempty" doc:"The state before."`
	Reason string `json:"reason,omitempty" doc:"Why, in a word."`
	Until  Time   `json:"until,omitzero" doc:"When an open breaker probes, or a budget has its next token."`
}

// TargetHistory is what happened to a target, the newest first.
type TargetHistory struct {
	Changes []TargetChange `json:"changes" doc:"The changes, newest first."`
}

// TargetHistory tells what happened to a target.
func (c *Client) TargetHistory(ctx context.Context, name string) (*TargetHistory, error) {
	return get[TargetHistory](ctx, c, "/v1/targets/"+url.PathEscape(name)+"/history", nil)
}
