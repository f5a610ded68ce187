package outlast

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/bulk"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/feed"
	"github.com/outlast-dev/outlast/group"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// Client is one node of Outlast inside this process. Make it with [Open];
// all methods are safe for concurrent use. A client is started once.
type Client struct {
	options
	backend   store.Backend
	engine    *engine.Engine
	registry  *registry
	waiters   *waiters
	metrics   *metrics // nil without a registerer
	keeper    *dead.Keeper
	bulk      *bulk.Runner
	alerts    *alert.Keeper
	ticker    *schedule.Ticker
	refreshed throttle // reads of the topology for unknown queues
	looked    throttle // for unknown channels
	pressure  pressure
	groups    *group.Groups
	stats     *stats.Keeper
	series    *stats.Series
	history   *stats.History
	feed      *feed.Feed
	txLocks   txLocks // of calls in callers' transactions
	elsewhere elsewhere
	identity  installation
	waker     *waker
	tokens    *token.Keeper
	sealing   *sealed.Store // the backend
	told      sealingTold
	inspector *inspect.Inspector
	pass      sync.Mutex // held by RunDue
	passed    atomic.Pointer[duePass]
	keeps     bool // alerts, series and history have started; held by startStop

	startStop      sync.Mutex                // held by Start and Stop
	exhaustedCalls atomic.Int64              // that it could not make since then
	exhaustedAt    atomic.Pointer[time.Time] // when the log was last told that this node lacks descriptors, memory or ports
	state          atomic.Int32              // opened, started or stopped
	closed         chan struct{}             // closed by Stop
}

// The states of a client. It accepts tasks until its engine has stopped, so
// that handlers can enqueue while they finish.
const (
	opened int32 = iota
	started
	stopped
)

// Open makes a node on a store. It reads and writes nothing and starts no
// goroutine; [Client.Start] does. The backend stays the caller's: close it
// after [Client.Stop]. Bad options are an [*Error] with code "invalid".
func Open(ctx context.Context, backend store.Backend, opts ...Option) (*Client, error) {
	if backend == nil {
		return nil, task.Invalid("backend", "there is no store", "open one, such as memory.New() or sqlite.Open")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Client{waiters: newWaiters(), closed: make(chan struct{}), pressure: pressure{looking: make(chan struct{}, mostLooking)}}
	for _, opt := range opts {
		if opt != nil {
			opt(&c.options)
		}
	}
	if err := c.options.check(); err != nil {
		return nil, err
	}
	var err error
	c.sealing, err = sealed.Wrap(backend, c.keys, c.unreadable)
	if err != nil {
		return nil, err
	}
	c.backend, c.tokens = c.sealing, token.NewKeeper(c.sealing)
	c.registry = newRegistry(c)
	c.sealing.Gate(c.registry.unproven)
	c.waker = newWaker(c.address)
	if c.registerer != nil {
		c.metrics = newMetrics(c)
	}
	c.stats = stats.New(stats.Config{Backend: c.backend, Logger: c.logger, Release: c.release})
	c.series = stats.NewSeries(stats.SeriesConfig{Backend: c.backend, Logger: c.logger, Backlog: c.backlog})
	c.history = stats.NewHistory(stats.HistoryConfig{Backend: c.backend, Logger: c.logger, Node: func() string { return c.engine.Node() }, Budgets: c.spentBudgets})
	c.makeAlerts()
	c.makeFeed()
	if err := c.makeEngine(); err != nil {
		return nil, err
	}
	c.groups = group.New(c.backend, c.logger, func(name string) { c.engine.Unhold(accept.GroupTarget + name) })
	c.keeper = dead.New(c.options.dead, c.backend, c.engine, c.logger)
	c.keeper.Redriver().WhenEnded(func(operation *store.Operation) {
		progress, _ := dead.ProgressOf(operation)
		c.metrics.redrive(progress.Sent, progress.Skipped)
		c.alerts.Happened(alert.RedriveEnded(operation, time.Now()))
	})
	c.bulk = bulk.New(bulk.Config{Backend: c.backend, Node: c.engine, Log: c.logger, Steered: c.steeredTasks})
	c.keeper.AlsoForget(c.bulk.Forget)
	c.ticker = schedule.New(schedule.Config{
		Backend: c.backend, Node: c.engine, Make: c.tickTask, Observe: c.ticked, Logger: c.logger,
	})
	c.inspector = newInspector(c)
	return c, nil
}

func (c *Client) makeEngine() error {
	made, err := engine.New(c.engineConfig())
	c.engine = made
	return err
}

// engineConfig is what an engine of this client is made of, under an id of its own.
func (c *Client) engineConfig() engine.Config {
	config := engine.Config{
		Store:       c.backend,
		Registry:    c.registry,
		Logger:      c.logger,
		Observer:    c.observe(),
		EnqueueOnly: c.enqueueOnly,
		Tell:        c.waker.tell,
		Configure:   c.configure,
		TargetLimit: c.targetLimit,
		Untested:    c.untested,
		Unguarded:   c.registry.isUnguarded,
		Fingerprint: c.sealing.Fingerprint,
		Queues:      c.queues,
		Internal:    alert.Queue,
		OnFailure: func(run *engine.Run, s *store.Settlement) []store.Insert {
			return c.alerts.OnFailure(s, run.MaxAttempts, c.registry.alertOf(s.Task))
		},
		Node: store.Node{
			ID:       nodeID(),
			Address:  c.address,
			Version:  buildVersion(),
			Release:  c.release,
			Embedded: !c.server,
			WakeKey:  c.waker.key,
		},
	}
	if c.tracer != nil {
		config.Trace = c.traceAttempt
	}
	for _, change := range c.tune {
		change(&config)
	}
	return config
}

// nodeID is new at every call: the host's name, for people, and 64 random
// bits.
func nodeID() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "node"
	}
	host = strings.Map(func(r rune) rune {
		if r < 0x80 && accept.IsNameByte(byte(r)) {
			return r
		}
		return '-'
	}, host)
	// What holds a lease is written as node, worker and release: with a suffix of the node,
	// 128 and 64 bytes of these and two marks, 255 bytes, as many as MySQL keeps.
	return host[:min(len(host), 35)] + "-" + strconv.FormatUint(rand.Uint64()|1<<63, 16)
}

func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path == "github.com/outlast-dev/outlast" && module.Version != "" {
			return module.Version
		}
	}
	return "(devel)"
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
	if c.metrics != nil {
		if err := c.metrics.register(); err != nil {
			return err
		}
	}
	if err := c.engine.Start(ctx); err != nil {
		if c.metrics != nil {
			c.metrics.unregister()
		}
		return err
	}
	c.keeper.Start()
	c.bulk.Start()
	c.groups.Start()
	c.stats.Start()
	if !c.enqueueOnly {
		c.keepWatch()
	}
	c.ticker.Start()
	c.state.Store(started)
	return nil
}

// makeReady reads what a node needs to know before it joins, and makes its queues.
func (c *Client) makeReady(ctx context.Context) error {
	if err := c.checkSchema(ctx); err != nil {
		return err
	}
	if err := c.sealing.Admit(ctx); err != nil {
		return err
	}
	set, err := c.readPolicies(ctx)
	if err != nil {
		return err
	}
	if err := c.registry.mistakes(set); err != nil {
		return err
	}
	if err := c.createQueues(ctx); err != nil {
		return err
	}
	return errors.Join(c.alerts.Load(ctx), c.groups.Load(ctx))
}

// keepWatch begins what goes on beside attempts: alerts that are no task's own, and what
// is kept of them for the console.
func (c *Client) keepWatch() {
	if c.keeps {
		return
	}
	c.keeps = true
	c.alerts.Start()
	c.series.Start()
	c.history.Start()
}

// checkSchema refuses a database that was opened as it is and lacks migrations. One
// that is too far ahead is refused by the store itself.
func (c *Client) checkSchema(ctx context.Context) error {
	migrator, ok := store.As[store.Migrator](c.backend)
	if !ok {
		return nil
	}
	all, err := migrator.Migrations(ctx)
	if err != nil {
		return err
	}
	for _, migration := range all {
		if !migration.Applied {
			return &Error{Code: task.CodeUnavailable, Message: "the database lacks the migration " + migration.Name,
				Hint: "run outlast migrate up --store URL, or open the store without WithoutMigration"}
		}
	}
	return nil
}

// createQueues makes the default queue and those that the node works on.
func (c *Client) createQueues(ctx context.Context) error {
	queues, err := c.backend.Queues(ctx)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(queues))
	for _, queue := range queues {
		known[queue.Name] = true
	}
	for _, name := range append([]string{task.DefaultQueue, alert.Queue}, c.queues...) {
		if known[name] {
			continue
		}
		known[name] = true
		queue := Queue{Name: name}
		if name == alert.Queue {
			queue.Lanes = alertLanes
		}
		if _, err := c.backend.PutQueue(ctx, queue); err != nil {
			return err
		}
	}
	return nil
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
	c.feed.Close()
	var err error
	if before == started {
		err = joinOnce(c.ticker.Stop(ctx), c.keeper.Stop(ctx), c.bulk.Stop(ctx), c.engine.Stop(ctx), c.alerts.Stop(ctx))
		c.groups.Stop()
		c.stats.Stop(ctx)
		c.series.Stop(ctx)
		c.history.Stop(ctx)
	}
	c.state.Store(stopped)
	close(c.closed)
	c.registry.close()
	c.waker.caller.Close()
	if c.metrics != nil {
		c.metrics.unregister()
	}
	return err
}

// joinOnce joins errors that say different things.
func joinOnce(errs ...error) (all error) {
	for _, err := range errs {
		if err != nil && !errors.Is(all, err) {
			all = errors.Join(all, err)
		}
	}
	return all
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
		return &Error{Code: task.CodeUnavailable, Message: "the node has lost touch with its store", RetryAfter: time.Second}
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

// running refuses calls before Start and after Stop.
func (c *Client) running() error {
	switch c.state.Load() {
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
	Hint:    "what was accepted goes on wherever another node runs",
}

// Stats is a snapshot of this node.
func (c *Client) Stats() engine.Stats { return c.engine.Stats() }
