package outlast

import (
	"context"
	"errors"
	"net/netip"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/internal/inspector"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Inspector shows what is there and changes it on behalf of people, by noun: see package
// inspect. Its actions work from any node, also before [Client.Start].
func (c *Client) Inspector() *inspect.Inspector { return c.inspector }

// WithActor names who acts through calls with the context, for the audit log:
// the name of a token or program, its address and the id of its request. Without
// it, "library" acts.
func WithActor(ctx context.Context, name, address, request string) context.Context {
	return actor.With(ctx, name, address, request)
}

// newInspector makes the inspector of a client all of whose parts are there.
func newInspector(c *Client) *inspect.Inspector {
	return inspector.New(inspector.Config{
		Backend: c.backend, Sealing: c.backend, Logger: c.options.Logger,
		Fleet: c.engine, Memory: inMemory{c.engine}, Control: c.engine,
		Letters: c.keeper, Bulk: c.bulk, Alerts: c.alerts, Stats: c.records.stats, Series: c.records.series, Tokens: c.tokens, Feed: c.live.Feed, Roster: c.roster,
		Policies: policySource(c), Schedules: scheduleRunner(c),
		Running: c.running, Progress: c.registry.Progress.Get, Asked: c.live.Asked, Ended: c.canceled, Redriven: c.observers.Redriven,
		Calls:       func(ctx context.Context) func(string, netip.Addr) *safehttp.RefusedError { return c.callsOf(ctx) },
		DeadBacklog: c.options.Dead.Backlog,
		TaskGroups:  inspector.TaskGroupKeeper{Check: c.enqueuer.CheckGroup, Finish: c.tallies.Finish},
	})
}

// policySource is what an inspector asks a client of policies.
func policySource(c *Client) inspector.PolicySource {
	of := c.registry.policies
	return inspector.PolicySource{
		Of: of.Of, Alert: of.Alert, Set: of.Set, Read: c.enqueuer.ReadPolicies, Check: c.enqueuer.CheckPolicy,
		Types: c.registry.Types,
		Load: func(ctx context.Context) error {
			if c.state.Load() != opened {
				return nil
			}
			return errors.Join(c.engine.Refresh(ctx), c.configure(ctx), c.alerts.Book.Load(ctx))
		},
	}
}

// scheduleRunner is how an inspector makes tasks of schedules by a client.
func scheduleRunner(c *Client) inspector.ScheduleRunner {
	return inspector.ScheduleRunner{
		Now: c.recurring.ticker.Now, Check: c.recurring.tasks.Check, Owned: c.recurring.code.Owned, Run: c.recurring.tasks.Run,
		Accepted: func(ctx context.Context, insert *store.Insert, inserted *store.Inserted) (*task.Task, bool) {
			receipt := c.enqueuer.Receipt(ctx, insert, inserted)
			return receipt.Task, receipt.Existing
		},
		Refused: func(ctx context.Context, err error) error {
			return c.observers.Refused(ctx, enqueue.Attributed(err, ""))
		},
	}
}

// canceled lets those know who wait for a task that an operator has canceled. One
// that was only asked to end is told of when it does.
func (c *Client) canceled(t *task.Task) {
	if !t.State.Final() {
		return
	}
	c.waiters.Tell(t.ID)
	c.tallies.Ended(t.Spec.Group)
	if t.Queue != alerts.Queue {
		c.records.series.Add(&stats.Event{Queue: t.Queue, State: t.State})
	}
	c.live.Asked(t, inspect.EventCanceled)
}

// steered tells this node what was done to many tasks.
func (c *Client) steered(all []store.Steered) {
	tasks := make([]*task.Task, len(all))
	for n := range all {
		tasks[n] = all[n].Task
	}
	c.engine.Steered(tasks)
	for _, t := range tasks {
		if t.State == task.Pending {
			c.live.Asked(t, inspect.EventReleased)
		} else {
			c.canceled(t)
		}
	}
}

// inMemory is the engine as an inspector asks for what is in its memory.
type inMemory struct{ *engine.Engine }

// Stats implements [inspector.Memory].
func (m inMemory) Stats() inspect.NodeStats {
	s := m.Engine.Stats()
	stats := inspect.NodeStats{
		Node: s.Node, Lost: s.Lost, Lanes: s.Lanes, Waiting: s.Waiting, Ready: s.Ready, Running: s.Running, Slots: s.Slots,
		UnsettledSince: s.Unsettled.Since, UnsettledErr: s.Unsettled.Err, Queues: make(map[string]inspect.QueueMemory, len(s.Queues)),
	}
	for name, queue := range s.Queues {
		stats.Queues[name] = inspect.QueueMemory(queue)
	}
	return stats
}

// configure reads the objects of the store and lets them hold here.
func (c *Client) configure(ctx context.Context) error {
	var objects []store.Object
	for _, kind := range policy.Kinds {
		some, err := c.backend.Objects(ctx, kind)
		if err != nil {
			return err
		}
		objects = append(objects, some...)
	}
	c.registry.policies.Take(objects)
	return c.keys.See(ctx, c.backend)
}
