package outlast

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/observe"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Observer is told what happens on a node, where it happens: its functions must be quick
// and must not block. Those that are nil are not called. Tasks of alerts are not told of, but
// for their part of batches ([Observer.Claimed], Committed, Doubted), Stale and Exhausted.
// Package prom is an observer that counts for Prometheus.
//
// What belongs to an attempt or to an enqueue is told with a context, whose values say more:
// the span of [WithTracerProvider], by which logs are tied to traces, and what the caller or
// [Middleware] has put there. What no single attempt and no call has caused is told without.
type Observer struct {
	// AttemptStarted is called before the handler and its middleware, with the context that
	// they get; late is the time since the task was due.
	AttemptStarted func(ctx context.Context, t *task.Task, late time.Duration)
	// Settled is called after the outcome of an attempt has committed. Its context has the
	// values with which the handler was called, those of middleware included, and never
	// ends: the attempt is over. Attempts of remote workers have none of them.
	Settled func(ctx context.Context, o Outcome)
	// Recovered is called for every task taken from a node that ended, or whose lease did;
	// Lost for as many as were taken at once.
	Recovered func(store.Recovered)
	Lost      func([]store.Recovered)
	// Stale is called for each end of an attempt that the store refused, because the task
	// was no longer the attempt's, or gone. Its context is as that of Settled.
	Stale func(ctx context.Context, id task.ID, status store.Status)
	// BreakerChanged is called after each change of a target's breaker on this node.
	BreakerChanged func(target string, change retry.BreakerChange)
	// NodeDied is called when this node was found dead and returns under a new id.
	NodeDied func(before, after string)

	// Claimed and Committed tell the sizes and times of batches.
	Claimed   func(rows int, took time.Duration)
	Committed func(kind string, rows int, took time.Duration)
	// Doubted is called for each claim, enqueue or settle ("claim", ...) whose outcome
	// stayed unknown, before it is found out or the call is repeated.
	Doubted func(kind string)
	// Told is called after each wake-up for other nodes: the way (notify or call), the
	// lanes in it, the time it took and its error.
	Told func(way string, lanes int, took time.Duration, err error)

	// Enqueued is called for each task that was handed in here, and of one that was there
	// already, with the context of the call as middleware has passed it on, and its span.
	Enqueued func(ctx context.Context, t *task.Task, existing bool)
	// Refused is called for each task that was handed in here and not accepted. Its context
	// is as that of Enqueued.
	Refused func(ctx context.Context, err error)
	// Redriven is called with how many dead letters went back to their queues, and how many
	// ids were none.
	Redriven func(redriven, missing int)
	// Ticked is called for what this node did with ticks of schedules.
	Ticked func(e inspect.ScheduleEvent)
	// AlertTold is called after each try to tell people by a channel, with "sent",
	// "failed", "silenced", or "digested" with others because the channel may take no more.
	AlertTold func(channel, result string)
	// Undecryptable is called for each look at a task that is due and cannot be opened here
	// for want of its key.
	Undecryptable func(t *task.Task)
	// Exhausted is called for each request that this node lacked the means to make, with
	// the system's code, such as EMFILE.
	Exhausted func(code string)
	// Started is called by [Client.Start] before the node joins, and must neither start nor
	// stop it; its error is that of Start. Stopped is called at the end of [Client.Stop], or
	// where Start failed later.
	Started func(c *Client) error
	Stopped func()
}

// Outcome is a committed end of an attempt, with what was decided. Observers share it: it
// must not be changed.
type Outcome struct {
	Settlement *store.Settlement
	State      task.State // what the task is now
	Rule       string     // which rule of the policy decided
	Delay      time.Duration
	Err        error         // what the handler returned
	Policy     *retry.Policy // in force when it ended, nil for none
}

// WithObserver adds an observer.
func WithObserver(observer Observer) Option {
	return func(o *settings) {
		o.Observers = append(o.Observers, func(client any) observe.Observer { return observer.of(client.(*Client)) })
	}
}

// of is the observer as the parts of a client tell it.
func (o *Observer) of(c *Client) observe.Observer {
	told := observe.Observer{
		Engine: engine.Observer{
			AttemptStarted: o.AttemptStarted, Recovered: o.Recovered, Lost: o.Lost, Stale: o.Stale,
			BreakerChanged: o.BreakerChanged, NodeDied: o.NodeDied, Claimed: o.Claimed, Committed: o.Committed, Doubted: o.Doubted, Told: o.Told,
		},
		Enqueued: o.Enqueued, Refused: o.Refused, Redriven: o.Redriven, Ticked: o.Ticked, AlertTold: o.AlertTold,
		Undecryptable: o.Undecryptable, Exhausted: o.Exhausted, Stopped: o.Stopped,
	}
	if o.Settled != nil {
		told.Engine.Settled = func(ctx context.Context, ended engine.Outcome) { o.Settled(ctx, Outcome(ended)) }
	}
	if o.Started != nil {
		told.Started = func() error { return o.Started(c) }
	}
	return told
}
