package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/task"
)

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
		if r.Crashes >= ending.SuspectCrashes {
			d.suspects[node] = true
			return
		}
	}
}

// lost is who ran a row and is not alive.
func (d *data) lost(holder string) ending.Lost {
	state := store.NodeState("")
	if n := d.nodes[holder]; n != nil {
		state = n.State
	}
	lost := ending.NewLost(holder, state)
	if !lost.Judged() {
		lost.Judge(d.suspects[holder])
	}
	return lost
}

func (d *data) recover(r *row, now time.Time) store.Recovered {
	lost := d.lost(r.Node)
	entry, out := lost.HandBack(r.standing(), r.Spec.TraceParent, now.UnixMicro())
	d.attempts[r.ID] = append(d.attempts[r.ID], task.Attempt{
		Number: r.Attempt, Claim: r.Claim, Node: r.Node, StartedAt: r.StartedAt, EndedAt: now, Outcome: lost.Outcome(),
	})
	d.change(r, now, func(r *row) {
		r.State, r.Node = task.Pending, ""
		if !r.CancelRequested { // which ends it with the start of what was lost
			r.StartedAt = time.Time{}
		}
		r.Attempt, r.Crashes, r.Claim = entry.Attempt, out.Crashes, out.Claim
	})
	if out.Canceled {
		d.cancel(r, now)
	}
	return out
}

// cancel ends a pending row as canceled.
func (d *data) cancel(r *row, now time.Time) {
	d.end(r)
	r.State, r.Park, r.UpdatedAt, r.FinishedAt = task.Canceled, 0, now, now
	d.archive(&r.Task)
}
