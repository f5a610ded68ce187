package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Targets is [inspect.Targets].
type Targets struct{ node *node }

func (ts *Targets) List(ctx context.Context) ([]*inspect.TargetView, error) {
	topology, err := ts.node.topology(ctx)
	if err != nil {
		return nil, err
	}
	views := map[string]*inspect.TargetView{}
	of := func(name string) *inspect.TargetView {
		if views[name] == nil {
			views[name] = &inspect.TargetView{Target: store.Target{Name: name}, Nodes: map[string]store.Target{}}
		}
		return views[name]
	}
	self := ""
	if ts.node.started() {
		self = ts.node.Fleet.Node()
		for _, known := range ts.node.Memory.Targets() {
			if alerts.IsType(known.Name) {
				continue // a step of an alert
			}
			of(known.Name).Nodes[self] = known
		}
	}
	for n := range topology.Nodes {
		node := &topology.Nodes[n]
		if node.State != store.NodeAlive || node.Gone || node.ID == self {
			continue
		}
		for _, known := range node.Targets {
			of(known.Name).Nodes[node.ID] = known
		}
	}
	for n := range topology.Orders {
		order := topology.Orders[n]
		if views[order.Target] != nil || order.Action == store.TargetOpen {
			of(order.Target).Order = &order
		}
	}
	for _, view := range views {
		sum(view, time.Now())
	}
	return slices.SortedFunc(maps.Values(views), func(a, b *inspect.TargetView) int {
		return cmp.Or(cmp.Compare(trouble(b), trouble(a)), cmp.Compare(a.Name, b.Name))
	}), nil
}

func (ts *Targets) Troubled() []store.Target { return ts.node.Memory.Troubled() }

func (ts *Targets) Get(ctx context.Context, name string) (*inspect.TargetView, error) {
	var c accept.Complaints
	c.Key("name", name)
	if err := c.Err("the name is invalid"); err != nil {
		return nil, err
	}
	all, err := ts.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, view := range all {
		if view.Name == name {
			return view, nil
		}
	}
	return nil, task.NotFound("target", name)
}

func (ts *Targets) Order(ctx context.Context, name string, action store.TargetAction) (*inspect.TargetView, error) {
	var c accept.Complaints
	c.Key("name", name)
	if !action.Valid() {
		c.Add("action", task.Quote(string(action))+" is not an action", "one of open, close, reset")
	}
	if err := c.Err("the order is invalid"); err != nil {
		return nil, err
	}
	known, err := ts.Get(ctx, name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) && action == store.TargetOpen {
		known, err = &inspect.TargetView{}, nil
	}
	if err != nil {
		return nil, err
	}
	row := actor.Audit(ctx, "target."+string(action), "target/"+name)
	row.Before, row.After = orderSaid(known), orderSaid(&inspect.TargetView{Order: &store.TargetOrder{Action: action}})
	order, err := ts.node.Backend.PutTargetOrder(ctx, store.TargetOrder{Target: name, Action: action}, row)
	if err != nil {
		return nil, err
	}
	ts.node.Logger.Warn("target.ordered", "target", name, "action", string(action), "at", order.At)
	ts.node.refresh(ctx)
	view, err := ts.Get(ctx, name)
	if err != nil { // no node has read it yet
		view = &inspect.TargetView{Target: store.Target{Name: name}, Order: order}
		sum(view, time.Now())
	}
	return view, nil
}

func (ts *Targets) History(ctx context.Context, name string) ([]inspect.TargetChange, error) {
	changes, err := stats.ReadHistory(ctx, ts.node.Backend, name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		_, err = ts.Get(ctx, name)
	}
	return changes, err
}

// orderSaid is a target in the audit log: what was ordered last, and how its breaker
// stands as far as a node knows.
func orderSaid(v *inspect.TargetView) []byte {
	action := store.TargetAction("none")
	if v.Order != nil {
		action = v.Order.Action
	}
	text, _ := json.Marshal(struct { // plain values
		Action  store.TargetAction `json:"action"`
		Breaker string             `json:"breaker,omitempty"`
	}{action, v.Breaker.State})
	return text
}

// The states of a breaker, the most restrictive last.
var breakerStates = []string{"closed", "ramping", "half_open", "open"}

// BreakerRank is how little a breaker in a state lets through: 0 for closed, 1 ramping, 2
// half_open, 3 open, and -1 for what is no state.
func BreakerRank(state string) int { return slices.Index(breakerStates, state) }

// trouble orders targets by how much of their tasks is held.
func trouble(v *inspect.TargetView) int {
	trouble := 2 * BreakerRank(v.Breaker.State)
	if v.Breaker.Forced {
		trouble++
	}
	if trouble == 0 && (!v.HeldUntil.IsZero() || v.Waiting != store.TargetWaiting{}) {
		trouble = 1
	}
	return trouble
}

// sum puts together what the nodes know.
func sum(v *inspect.TargetView, now time.Time) {
	worked, attempts := 0.0, 0.0
	v.Breaker, v.Budget.Share = store.Breaker{State: breakerStates[0], Admitted: 1}, 1
	for _, id := range slices.Sorted(maps.Keys(v.Nodes)) {
		node := v.Nodes[id]
		sumBreaker(v, &node.Breaker)
		v.Budget.Tokens += node.Budget.Tokens
		v.Budget.First += node.Budget.First
		v.Budget.Retries += node.Budget.Retries
		v.Budget.Denied += node.Budget.Denied
		v.Budget.Until = latest(v.Budget.Until, node.Budget.Until)
		v.HeldUntil = latest(v.HeldUntil, node.HeldUntil)
		v.Unguarded = v.Unguarded || node.Unguarded
		v.Limit += node.Limit
		v.InFlight += node.InFlight
		v.Waiting.Breaker += node.Waiting.Breaker
		v.Waiting.Budget += node.Waiting.Budget
		v.Waiting.Rate += node.Waiting.Rate
		v.Waiting.Concurrency += node.Waiting.Concurrency
		weight := max(1, float64(node.Budget.First+node.Budget.Retries))
		worked, attempts = worked+weight*node.Budget.Share, attempts+weight
	}
	if attempts > 0 {
		v.Budget.Share = math.Round(100*worked/attempts) / 100
	}
	if v.Order != nil && v.Order.Action == store.TargetOpen && !v.Breaker.Forced {
		v.Breaker = store.Breaker{State: "open", Forced: true, Since: v.Order.At, Opened: v.Order.At, Cause: "forced"}
	}
	if !v.HeldUntil.After(now) {
		v.HeldUntil = time.Time{}
	}
}

// sumBreaker takes over the state of a node that lets less through, or of the
// later change, and adds up what was counted.
func sumBreaker(v *inspect.TargetView, b *store.Breaker) {
	all := &v.Breaker
	calls, failures, slow, probing := all.Calls+b.Calls, all.Failures+b.Failures, all.Slow+b.Slow, all.Probing+b.Probing
	restricts := cmp.Compare(BreakerRank(b.State), BreakerRank(all.State))
	if restricts > 0 || restricts == 0 && b.Since.After(all.Since) {
		*all = *b
	}
	all.Calls, all.Failures, all.Slow, all.Probing = calls, failures, slow, probing
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
