package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Claim implements [store.Store].
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return store.Claimed{}, err
	}
	d := s.data
	defer d.mu.Unlock()
	budget := check.ClaimBytes(&claim)
	owned := d.owned(claim)
	var claimed store.Claimed
	for _, item := range claim.Items {
		if budget <= 0 {
			break
		}
		standing := d.standing(claim.Node, item.ID, owned, now)
		if refusal := standing.Refusal(item); refusal.Reason != "" {
			claimed.Refused = append(claimed.Refused, refusal)
			continue
		}
		r := d.live[item.ID]
		d.change(r, now, func(r *row) {
			r.State, r.Node, r.Park, r.StartedAt = task.Running, claim.Holder(), 0, now
			r.lease = time.Time{}
			if claim.Lease > 0 {
				r.lease = now.Add(claim.Lease)
			}
			r.Attempt++
			r.Claim = raise(r.Claim, now)
		})
		t := clone(&r.Task)
		t.LastFailedAt = time.Time{}
		claimed.Tasks = append(claimed.Tasks, t)
		budget -= len(r.Payload)
	}
	return claimed, nil
}

// owned is the set of the claim's lanes that the node really owns at the
// epoch that it names.
func (d *data) owned(claim store.Claim) map[uint16]bool {
	owned := map[uint16]bool{}
	for _, given := range claim.Lanes {
		lane := d.lane(given.Lane)
		owned[given.Lane] = lane != nil && lane.Owner == claim.Node && lane.Epoch == given.Epoch
	}
	return owned
}

// standing is how a row stands that a claim names.
func (d *data) standing(node string, id task.ID, owned map[uint16]bool, now time.Time) check.Standing {
	r := d.live[id]
	if r == nil || r.State != task.Pending {
		return check.Standing{Gone: true}
	}
	s := check.Standing{Entry: stored.Entry(&r.Task), Alive: d.alive(node), Owned: owned[id.Lane()], Later: r.RunAt.After(now)}
	if r.Key != "" {
		k := d.lanes[id.Lane()].keys[r.Key]
		first, _ := k.pending.min()
		s.Held, s.Busy, s.Head = k.hold != nil, !k.running.IsZero(), stored.Entry(&d.live[first.id].Task)
	}
	return s
}
