package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// defaultMaxBytes bounds the payloads of one claim.
const defaultMaxBytes = 8 << 20

// Claim implements [store.Store].
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return store.Claimed{}, err
	}
	d := s.data
	defer d.mu.Unlock()
	budget := claim.MaxBytes
	if budget <= 0 {
		budget = defaultMaxBytes
	}
	owned := d.owned(claim)
	var claimed store.Claimed
	for _, item := range claim.Items {
		if budget <= 0 {
			break
		}
		if refusal, refused := d.refusal(claim.Node, item, owned, now); refused {
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

// refusal says why a row cannot be claimed now, if it cannot; of several
// reasons the first one below.
func (d *data) refusal(node string, item store.ClaimItem, owned map[uint16]bool, now time.Time) (store.Refusal, bool) {
	r := d.live[item.ID]
	if r == nil || r.State != task.Pending {
		return store.Refusal{ID: item.ID, Reason: store.ReasonGone}, true
	}
	refusal := store.Refusal{ID: item.ID, Entry: r.entry()}
	switch {
	case !d.alive(node), item.Mark == 0 && !owned[r.ID.Lane()]:
		refusal.Reason = store.ReasonEpoch
	case r.RunAt.After(now):
		refusal.Reason = store.ReasonLater
	case r.Park != item.Mark:
		refusal.Reason = store.ReasonParked
	case r.Key != "":
		refusal.Reason, refusal.Head = d.behind(r)
	}
	return refusal, refusal.Reason != ""
}

// behind says what stands before a pending keyed row: a hold, a running
// row, or another one that is first; nothing if it is the head of its key.
func (d *data) behind(r *row) (store.Reason, store.Entry) {
	k := d.lanes[r.ID.Lane()].keys[r.Key]
	if k.hold != nil {
		return store.ReasonKeyHeld, store.Entry{}
	}
	if !k.running.IsZero() {
		return store.ReasonBehindKey, store.Entry{}
	}
	if first, _ := k.pending.min(); first.id != r.ID {
		return store.ReasonBehindKey, d.live[first.id].entry()
	}
	return "", store.Entry{}
}
