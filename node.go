package outlast

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerting"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/internal/compensate"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/eventlog"
	"github.com/outlast-dev/outlast/internal/exhaustion"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/internal/observe"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/internal/ticks"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// engineConfig is what an engine of this client is made of, under an id of its own.
func (c *Client) engineConfig() engine.Config {
	o := &c.options
	config := engine.Config{
		Store:       c.backend,
		Registry:    c.registry,
		Logger:      o.Logger,
		Observer:    c.observe(),
		EnqueueOnly: o.EnqueueOnly,
		Tell:        c.caller.Tell,
		Configure:   c.configure,
		TargetLimit: c.registry.targetLimit,
		Untested:    c.registry.untested,
		Unguarded:   c.registry.Unguarded,
		Fingerprint: c.backend.Fingerprint,
		Queues:      o.Queues,
		Pace:        o.Pace,
		Internal:    alerts.Queue,
		OnFailure: func(run *engine.Run, s *store.Settlement) []store.Insert {
			return c.alerts.Events.OnFailure(s, run.MaxAttempts, c.registry.policies.Alert(s.Task))
		},
		Node: store.Node{
			ID:       accept.NodeID(),
			Address:  o.Address,
			Version:  buildVersion(),
			Release:  o.Release,
			Embedded: !o.Server,
			WakeKey:  string(c.key),
		},
	}
	if o.Tracer != nil {
		config.Trace = c.traceAttempt
	}
	o.Tuning.Into(&config)
	return config
}

// observe makes one observer of those who wait, the log, and the caller's observers. The
// engine's own tasks, those of alerts, are nobody's work: most hear nothing of them.
func (c *Client) observe() engine.Observer {
	waits := func(_ context.Context, o engine.Outcome) {
		if o.State.Final() {
			c.waiters.Tell(o.Settlement.Task.ID)
			c.tallies.Ended(o.Settlement.Task.Spec.Group)
		}
	}
	log := &eventlog.Log{Logger: c.options.Logger, Texts: c.options.ErrorTexts}
	all := []engine.Observer{{Settled: waits}, log.Observer(), observe.Alerts(c.alerts), {Settled: c.live.Sent}}
	people := []engine.Observer{
		observe.Attempts(c.records.stats), c.passes.Observer(), observe.Series(c.records.series), observe.History(c.records.history), c.live.Observer(),
	}
	if c.options.Tracer != nil {
		people = append(people, engine.Observer{Settled: c.traceLeased})
	}
	return observe.Combine(append(all, observe.OfPeople(observe.Combine(people)), c.observers.Engine()))
}

// traceAttempt is [engine.Config.Trace]. Deliveries of alerts are the engine's own
// affair.
func (c *Client) traceAttempt(ctx context.Context, run *engine.Run) (context.Context, func(*store.Settlement)) {
	if run.Task.Queue == alerts.Queue {
		return ctx, nil
	}
	return c.options.Tracer.Attempt(ctx, run)
}

// traceLeased records the attempts of remote workers, which run elsewhere.
func (c *Client) traceLeased(_ context.Context, o engine.Outcome) {
	if s := o.Settlement; task.Leased(s.Task.Node) && !s.Unstarted {
		c.options.Tracer.Leased(s, o.Policy)
	}
}

// newAlerts makes the keeper of the alerts of a node.
func newAlerts(c *Client) *keeper.Keeper {
	opener := &alerting.Opener{HTTP: c.outbound(), Logger: c.options.Logger, Own: c.options.OwnChannels}
	groups := alerting.NewGroups(func() *engine.Engine { return c.engine }, func() *group.Groups { return c.groups })
	return keeper.New(keeper.Config{
		Backend: c.backend, Node: &alertNode{c}, Logger: c.options.Logger, Backlog: c.options.Dead.Backlog, Functions: c.options.AlertFuncs,
		Serve: c.registry.serveAlerts, Groups: groups.Samples, Keys: c.backend.Unopened, Changes: alerting.NewChanges(c.backend).Samples,
		Read: alerting.ReadChannel, Open: opener.Open, Told: c.observers.AlertTold, Console: c.options.Console,
	})
}

// serveAlerts makes the tasks of alerts startable here: those of the channels
// that this node can send to, and those before.
func (r *registry) serveAlerts(channels []string) {
	of := func() *keeper.Keeper { return r.client.alerts }
	own := alerting.Steps(channels, of, func(err error) error { return r.exhausted.Judge(err, exhaustion.AlertWait) })
	own[alerts.TypeCompensate] = compensate.Handler(r.compensation)
	r.ServeAlerts(own)
}

// compensation is what undoes the steps of canceled tasks on this node.
func (r *registry) compensation() compensate.Config {
	c := r.client
	return compensate.Config{
		Backend: c.backend, Logger: c.options.Logger, Undo: r.Undo, Wake: c.engine.Wake,
		Cancel: func(ctx context.Context, id task.ID) error {
			_, err := c.inspector.Tasks.Cancel(ctx, id)
			return err
		},
	}
}

// alertNode is the engine as alerts see it: it is made after them.
type alertNode struct{ client *Client }

func (n *alertNode) Wake(lanes ...uint16)                  { n.client.engine.Wake(lanes...) }
func (n *alertNode) Topology() *store.Topology             { return n.client.engine.Topology() }
func (n *alertNode) Node() string                          { return n.client.engine.Node() }
func (n *alertNode) Queue(name string) (store.Queue, bool) { return n.client.engine.Queue(name) }

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

// recurring is what a client does for schedules: it makes their tasks when they are due, and
// keeps those of the code.
type recurring struct {
	tasks  *ticks.Tasks
	ticker *schedules.Ticker
	code   *ticks.Periodic
}

func newRecurring(c *Client) (r recurring) {
	r.tasks = ticks.New(c.backend, c.enqueuer.Prepare)
	r.code = ticks.NewPeriodic(ticks.PeriodicConfig{
		Backend: c.backend, Node: c.engine, Check: r.tasks.Check, Logger: c.options.Logger,
	})
	r.ticker = r.newTicker(c)
	return r
}

// newTicker makes a ticker of a client.
func (r *recurring) newTicker(c *Client) *schedules.Ticker {
	return schedules.New(schedules.Config{
		Backend: c.backend, Node: c.engine, Make: r.tasks.Tick, Before: r.code.Keep, Logger: c.options.Logger,
		Observe: func(e inspect.ScheduleEvent) {
			c.observers.Ticked(e)
			if e.Kind == inspect.TicksMissed {
				c.alerts.Events.Happened(alerts.ScheduleMissed(e.Schedule, e.Count, time.Now()))
			}
		},
	})
}
