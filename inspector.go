package outlast

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// Inspector shows what is there and changes it on behalf of people, by noun: see package
// inspect. Its actions work from any node, also before [Client.Start].
func (c *Client) Inspector() *inspect.Inspector { return c.inspector }

// Tokens checks the tokens of requests, for servers; [inspect.Tokens] is for people.
func (c *Client) Tokens() *token.Keeper { return c.tokens }

// newInspector makes the inspector of a client all of whose parts are there.
func newInspector(c *Client) *inspect.Inspector {
	return inspect.New(inspect.Config{
		Backend: c.backend, Sealing: c.sealing, Logger: c.logger,
		Fleet: c.engine, Memory: c.engine, Control: c.engine,
		Letters: c.keeper, Bulk: c.bulk, Alerts: c.alerts, Stats: c.stats, Series: c.series, Tokens: c.tokens,
		Policies: policySource(c), Schedules: scheduleRunner(c),
		Running: c.running, Progress: c.registry.progress.get, Asked: c.feedAsked, Ended: c.toldCanceled, Redriven: c.metrics.redrive,
		Calls:       func(ctx context.Context) func(string, netip.Addr) *safehttp.RefusedError { return c.callsOf(ctx) },
		DeadBacklog: c.dead.Backlog,
	})
}

// policySource is what an inspector asks a client of policies.
func policySource(c *Client) inspect.PolicySource {
	r := c.registry
	return inspect.PolicySource{
		Of: r.policyOf, Alert: r.alertOf, Set: r.set.Load, Read: c.readPolicies, Check: c.checkPolicy,
		Types: func() []string { return slices.Collect(maps.Keys(*r.handlers.Load())) },
		Load: func(ctx context.Context) error {
			if c.state.Load() != opened {
				return nil
			}
			return errors.Join(c.engine.Refresh(ctx), c.configure(ctx), c.alerts.Load(ctx))
		},
	}
}

// scheduleRunner is how an inspector makes tasks of schedules by a client.
func scheduleRunner(c *Client) inspect.ScheduleRunner {
	return inspect.ScheduleRunner{
		Now: c.ticker.Now, Check: c.checkSchedule,
		Run: func(ctx context.Context, s *schedule.Schedule, id task.ID) (store.Insert, error) {
			d := scheduled(s, time.Time{})
			d.ID = id
			return c.prepare(ctx, d, "")
		},
		Accepted: func(insert *store.Insert, inserted *store.Inserted) (*task.Task, bool) {
			receipt := c.receipt(insert, inserted)
			return receipt.Task, receipt.Existing
		},
		Refused: func(err error) error { return c.metrics.refused(attributed(err, "")) },
	}
}
