package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// suspectCrashes is from how many crashes on a task is held to be the cause
// of the next one.
const suspectCrashes = 2

// Recover implements [store.Store].
func (s *Store) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	var out []store.Recovered
	for _, number := range lanes {
		lane := d.lane(number)
		if lane == nil {
			continue
		}
		for _, node := range sortedKeys(lane.running) {
			if d.alive(node) {
				continue
			}
			if !task.Leased(node) {
				d.suspect(node)
			}
			for _, r := range d.runningOf(lane, node, limit-len(out), now) {
				out = append(out, d.recover(r, now))
			}
		}
	}
	if len(out) > 0 {
		s.commit(lanes...)
	}
	return out, nil
}

// runningOf lists up to limit running rows of a node in a lane that no open
// transaction has settled, and whose lease, if they have one, has ended.
func (d *data) runningOf(lane *lane, node string, limit int, now time.Time) []*row {
	var rows []*row
	for p := range lane.running[node].all() {
		if len(rows) >= limit {
			break
		}
		if r := d.live[p.id]; d.locked[p.id] != r.Claim && !r.lease.After(now) {
			rows = append(rows, r)
		}
	}
	return rows
}

// suspect notes whether a task that may have killed the node was running
// there. It is noted before the first row is recovered, since afterwards
// the rows no longer tell.
func (d *data) suspect(node string) {
	for r := range d.running(node) {
		if r.Crashes >= suspectCrashes {
			d.suspects[node] = true
			return
		}
	}
}

func (d *data) recover(r *row, now time.Time) store.Recovered {
	out := store.Recovered{ID: r.ID, Type: r.Type, Node: r.Node, OldClaim: r.Claim, Cause: "node unknown",
		Attempt: r.Attempt, Queue: r.Queue, TraceParent: r.Spec.TraceParent}
	outcome := task.OutcomeCrashed
	if task.Leased(r.Node) {
		out.Cause = "lease expired"
	} else if n := d.nodes[r.Node]; n != nil {
		out.Cause = "node " + string(n.State)
		if n.State == store.NodeLeft {
			outcome = task.OutcomeReleased
		}
	}
	counts := outcome == task.OutcomeCrashed && (r.Crashes >= suspectCrashes || !d.suspects[r.Node])
	d.attempts[r.ID] = append(d.attempts[r.ID], task.Attempt{
		Number: r.Attempt, Claim: r.Claim, Node: r.Node, StartedAt: r.StartedAt, EndedAt: now, Outcome: outcome,
	})
	d.change(r, now, func(r *row) {
		r.State, r.Node, r.StartedAt = task.Pending, "", time.Time{}
		r.Attempt--
		r.Claim = raise(r.Claim, now)
		if counts {
			r.Crashes++
		}
	})
	out.Claim, out.Crashes = r.Claim, r.Crashes
	if r.CancelRequested {
		d.cancel(r, now)
		out.Canceled = true
		return out
	}
	out.Entry = r.entry()
	return out
}

// cancel ends a pending row as canceled.
func (d *data) cancel(r *row, now time.Time) {
	d.end(r)
	r.State, r.Park, r.UpdatedAt, r.FinishedAt = task.Canceled, 0, now, now
	d.archive(&r.Task)
}
