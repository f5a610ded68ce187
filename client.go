package outlast

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/admission"
	"github.com/outlast-dev/outlast/internal/alerting"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/internal/duepass"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/internal/keywatch"
	"github.com/outlast-dev/outlast/internal/live"
	"github.com/outlast-dev/outlast/internal/observe"
	"github.com/outlast-dev/outlast/internal/options"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/internal/roster"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/internal/taskgroups"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/internal/waiters"
	"github.com/outlast-dev/outlast/internal/wakeup"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// Client is one node of Outlast inside this process. Make it with [Open];
// all methods are safe for concurrent use. A client is started once.
type Client struct {
	options   options.Options
	observers observe.Observers
	backend   *sealed.Store
	keys      *keywatch.Watch
	engine    *engine.Engine
	registry  *registry
	enqueuer  *enqueue.Enqueuer
	waiters   *waiters.Waiters
	live      *live.Live
	records   records
	alerts    *keeper.Keeper
	keeper    *dead.Keeper
	bulk      *bulk.Runner
	groups    *group.Groups
	roster    *roster.Roster
	recurring recurring
	tallies   *taskgroups.Keeper
	inspector *inspect.Inspector
	tokens    *token.Keeper
	elsewhere reach.Elsewhere
	caller    *wakeup.Caller
	key       wakeup.Key
	passes    duepass.Passes

	life
}

// life is how far a client has come.
type life struct {
	startStop sync.Mutex // held by Start and Stop
	keeps     bool       // alerts, series and history have started; held by startStop
	early     *admission.Early
	state     atomic.Int32 // opened, started or stopped
}

// records are what a node counts and keeps of what happens.
type records struct {
	stats   *stats.Keeper
	series  *stats.Series
	history *stats.History
}

// The states of a client. It accepts tasks until its engine has stopped, so
// that handlers can enqueue while they finish.
const (
	opened int32 = iota
	started
	stopped
)

// Open makes a node on a store. It reads and writes nothing and starts no
// goroutine; [Client.Start] does. Without a start it enqueues, waits and inspects.
// The backend stays the caller's: close it
// after [Client.Stop]. Bad options are an [*Error] with code "invalid".
func Open(ctx context.Context, backend store.Backend, opts ...Option) (*Client, error) {
	if backend == nil {
		return nil, task.Invalid("backend", "there is no store", "open one, such as memory.New() or sqlite.Open")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Client{}
	for _, opt := range opts {
		if opt != nil {
			opt(&c.options)
		}
	}
	if err := c.options.Check(); err != nil {
		return nil, err
	}
	for _, observer := range c.options.Observers {
		c.observers = append(c.observers, observer(c))
	}
	c.keys = keywatch.New(c.options.Logger, c.observers.Undecryptable)
	var err error
	if c.backend, err = sealed.Wrap(backend, c.options.Keys, c.keys.Unreadable); err != nil {
		return nil, err
	}
	if err := c.make(); err != nil {
		return nil, err
	}
	return c, nil
}

// make makes the parts of a client, each after those that it is made of. What is made later
// is handed in as a function that finds it.
func (c *Client) make() (err error) {
	log := c.options.Logger
	c.tokens = token.NewKeeper(c.backend)
	c.waiters = waiters.New(c.backend.Get, errStopped)
	c.registry = newRegistry(c)
	c.backend.Gate(c.registry.policies.Unproven)
	c.caller, c.key = wakeup.New(), wakeup.NewKey(c.options.Address)
	c.records = newRecords(c)
	c.alerts = newAlerts(c)
	c.live = live.New(c.backend, c.alerts, func() *engine.Engine { return c.engine })
	if c.engine, err = engine.New(c.engineConfig()); err != nil {
		return err
	}
	c.enqueuer = enqueue.New(enqueue.Config{
		Backend: c.backend, Engine: c.engine, Handlers: c.registry.Handlers, Policies: c.registry.policies,
		Tracer: c.options.Tracer, Logger: log, Longest: c.options.PushMost,
		Channels: alerting.NewChannels(c.alerts, c.backend, c.engine.Refresh).Check, Calls: c.callsOf,
		Enqueued: c.observers.Enqueued, Refused: c.observers.Refused, Told: c.live.Enqueued,
		Middleware: c.options.AroundEnqueues,
	})
	c.passes.Configure(duepass.Config{Backend: c.backend, Engine: c.engine, Make: c.engineConfig, Registry: c.registry})
	c.groups = group.New(c.backend, log, func(name string) { c.engine.Unhold(accept.GroupTarget + name) })
	c.roster = roster.New(roster.Config{Backend: c.backend, Logger: log, Node: c.engine.Node, Workers: c.engine.Workers})
	c.keeper = dead.New(c.options.Dead, c.backend, c.engine, log)
	c.keeper.Redriver().WhenEnded(func(operation *store.Operation) {
		progress, _ := dead.ProgressOf(operation)
		c.observers.Redriven(progress.Sent, progress.Skipped)
		c.alerts.Events.Happened(alerts.RedriveEnded(operation, time.Now()))
	})
	c.bulk = bulk.New(bulk.Config{Backend: c.backend, Node: c.engine, Log: log, Steered: c.steered})
	c.keeper.AlsoForget(c.bulk.Forget)
	c.recurring = newRecurring(c)
	c.tallies = taskgroups.New(taskgroups.Config{Store: c.backend, Node: c.engine, Callback: c.enqueuer.Callback, Logger: log})
	c.early = newEarly(c)
	c.inspector = newInspector(c)
	return nil
}

func newRecords(c *Client) records {
	log := c.options.Logger
	return records{
		stats: stats.New(stats.Config{Backend: c.backend, Logger: log, Release: c.options.Release}),
		series: stats.NewSeries(stats.SeriesConfig{Backend: c.backend, Logger: log, Backlog: func(ctx context.Context) map[string]stats.Backlog {
			return observe.Backlog(ctx, c.engine, c.alerts)
		}}),
		history: stats.NewHistory(stats.HistoryConfig{
			Backend: c.backend, Logger: log, Node: func() string { return c.engine.Node() },
			Budgets: func() map[string]time.Time { return observe.SpentBudgets(c.engine) },
		}),
	}
}

// Start creates missing queues, joins the cluster and begins to run tasks.
// It returns once this node can accept and run tasks. Mistakes made while
// registering handlers are reported here.
func (c *Client) Start(ctx context.Context) error {
	c.startStop.Lock()
	defer c.startStop.Unlock()
	if c.state.Load() != opened {
		return &Error{Code: task.CodeConflict, Message: "the client was started before", Hint: "open a new one"}
	}
	if err := c.makeReady(ctx); err != nil {
		return err
	}
	if err := c.observers.Start(); err != nil {
		return err
	}
	if err := c.engine.Start(ctx); err != nil {
		c.observers.Stop()
		return err
	}
	ctx = background.WithPace(ctx, c.options.Pace)
	c.keeper.Start(ctx)
	c.bulk.Start(ctx)
	c.groups.Start(ctx)
	c.roster.Start(ctx)
	c.tallies.Start(ctx)
	c.records.stats.Start(ctx)
	if !c.options.EnqueueOnly {
		c.keepWatch(ctx)
	}
	c.recurring.code.Start(ctx)
	c.recurring.ticker.Start(ctx)
	c.state.Store(started)
	return nil
}

// makeReady reads what a node needs to know before it joins, and makes its queues.
func (c *Client) makeReady(ctx context.Context) error { return c.early.Alone(ctx, c.prepare) }

func (c *Client) prepare(ctx context.Context) error {
	if err := admission.Admit(ctx, c.backend, true); err != nil {
		return err
	}
	set, err := c.enqueuer.ReadPolicies(ctx)
	if err != nil {
		return err
	}
	if err := c.registry.Mistakes(set); err != nil {
		return err
	}
	if err := admission.CreateQueues(ctx, c.backend, c.options.Queues); err != nil {
		return err
	}
	return errors.Join(c.alerts.Book.Load(ctx), c.groups.Load(ctx), c.recurring.code.Ready(ctx))
}

// keepWatch begins what goes on beside attempts: alerts that are no task's own, and what
// is kept of them for the console.
func (c *Client) keepWatch(ctx context.Context) {
	if c.keeps {
		return
	}
	c.keeps = true
	c.alerts.Start(ctx)
	c.records.series.Start(ctx)
	c.records.history.Start(ctx)
}

// Stop ends the node gracefully: nothing new starts, running attempts get
// their grace time or less if ctx ends first, the rest is handed back without
// cost, and calls of [Client.Wait] return. A context that a signal has ended
// leaves no grace time: give it [context.WithoutCancel] of that. Idempotent.
func (c *Client) Stop(ctx context.Context) error {
	c.startStop.Lock()
	defer c.startStop.Unlock()
	before := c.state.Load()
	if before == stopped {
		return nil
	}
	c.live.Feed.Close()
	var err error
	if before == started {
		err = background.Join(c.recurring.ticker.Stop(ctx), c.keeper.Stop(ctx), c.bulk.Stop(ctx), c.engine.Stop(ctx), c.tallies.Stop(ctx), c.alerts.Stop(ctx))
		c.groups.Stop()
		c.roster.Stop(ctx)
		c.records.stats.Stop(ctx)
		c.records.series.Stop(ctx)
		c.records.history.Stop(ctx)
	}
	c.state.Store(stopped)
	c.waiters.Close()
	c.registry.close()
	c.caller.Close()
	if before == started {
		c.observers.Stop()
	}
	return err
}

// Ready is nil while this node takes part: started, not stopped, able to read the
// store within the last seconds, and without a result that the store has not taken
// for 10 s.
func (c *Client) Ready() error {
	if err := c.running(); err != nil {
		return err
	}
	stats := c.engine.Stats()
	if stats.Lost {
		return &Error{Code: task.CodeUnavailable, Message: "the node has lost contact with its store", RetryAfter: time.Second}
	}
	if u := stats.Unsettled; !u.Since.IsZero() && time.Since(u.Since) > unsettledAfter {
		return unsettled(time.Since(u.Since), u.Err)
	}
	return nil
}

// unsettledAfter is for how long the store may take no results before the node is
// not ready.
const unsettledAfter = 10 * time.Second

// unsettled says that results are not recorded, and why as far as that is for
// operators.
func unsettled(since time.Duration, err error) error {
	problem := &Error{Code: task.CodeUnavailable, Message: "the store has taken no results for " + since.Round(time.Second).String(),
		Hint: "the log says why: settle.repeated", RetryAfter: time.Second, Err: err}
	var typed *Error
	if errors.As(err, &typed) {
		problem.Message, problem.Hint = problem.Message+": "+typed.Message, typed.Hint
	}
	return problem
}

// accepting refuses calls after Stop. Before Start it has the client look at the store, and
// make missing queues, but not beside a transaction of the caller: that may hold the lock
// for it.
func (c *Client) accepting(ctx context.Context, inTx bool) error {
	if c == nil {
		return task.Invalid("client", "there is no client", "make one with Open; in a handler, ClientOf has it")
	}
	if c.state.Load() != opened {
		return c.running()
	}
	if err := c.early.Ready(ctx, inTx); err != nil || c.state.Load() == opened {
		return err
	}
	return c.running() // while this waited
}

// newEarly is what a client knows of its store before it has started.
func newEarly(c *Client) *admission.Early {
	return admission.NewEarly(func(ctx context.Context) error {
		if err := admission.Admit(ctx, c.backend, false); err != nil {
			return err
		}
		return errors.Join(c.alerts.Book.Load(ctx), c.groups.Load(ctx))
	}, func(ctx context.Context) error {
		if err := admission.Admit(ctx, c.backend, true); err != nil {
			return err
		}
		return admission.CreateQueues(ctx, c.backend, c.options.Queues)
	}, c.engine.Refresh)
}

// running refuses calls before Start and after Stop.
func (l *life) running() error {
	switch l.state.Load() {
	case opened:
		return &Error{Code: task.CodeUnavailable, Message: "the client has not started", Hint: "call Start first"}
	case stopped:
		return errStopped
	}
	return nil
}

var errStopped = &Error{
	Code:    task.CodeUnavailable,
	Message: "the client has stopped",
	Hint:    "accepted tasks continue on other nodes",
}

// Stats is a snapshot of this node.
func (c *Client) Stats() inspect.NodeStats { return inMemory{c.engine}.Stats() }
