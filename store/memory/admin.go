package memory

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// Cancel implements [store.Admin]. The request leaves the claim number as
// it is, so that a success that still arrives is kept.
func (s *Store) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	return s.edit(ctx, id, audit, cancelRow)
}

func cancelRow(d *data, r *row, now time.Time) error {
	if r.State == task.Running {
		r.CancelRequested, r.UpdatedAt = true, now
		return nil
	}
	d.cancel(r, now)
	return nil
}

// Reschedule implements [store.Admin].
func (s *Store) Reschedule(ctx context.Context, id task.ID, at time.Time, audit ...store.Audit) (*task.Task, error) {
	return s.edit(ctx, id, audit, moveRow(at))
}

func moveRow(at time.Time) func(*data, *row, time.Time) error {
	return func(d *data, r *row, now time.Time) error {
		if _, err := r.State.Next(task.Reschedule); err != nil {
			return err
		}
		d.change(r, now, func(r *row) { r.RunAt, r.Park = orElse(at, now), 0 })
		return nil
	}
}

// edit applies an operator's change to a live row and returns the task as
// it then stands.
func (s *Store) edit(ctx context.Context, id task.ID, audit []store.Audit, change func(*data, *row, time.Time) error) (*task.Task, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	r, err := d.liveRow(id)
	if err != nil {
		return nil, err
	}
	if err := objects.CheckAudit(audit); err != nil {
		return nil, err
	}
	before := r.Task
	if err := change(d, r, now); err != nil {
		return nil, err
	}
	after := clone(&r.Task)
	if err := d.log(store.AuditTask(audit, &before, after), now); err != nil {
		return nil, err
	}
	s.commit(id.Lane())
	return after, nil
}

// liveRow is the row of a task that has not ended.
func (d *data) liveRow(id task.ID) (*row, error) {
	if r := d.live[id]; r != nil {
		return r, nil
	}
	t := d.find(id)
	if t == nil {
		return nil, task.NotFound("task", id.String())
	}
	return nil, &task.Error{Code: task.CodeConflict, Message: "the task has ended as " + string(t.State), State: t.State}
}

// Redrive implements [store.Admin]. The history of the task stays.
func (s *Store) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	for i, id := range ids {
		t := d.dead[id]
		if t == nil || options.Operation != "" && t.Spec.Redrive == options.Operation {
			missing = append(missing, id)
			continue
		}
		done = append(done, store.Redriven{ID: id, Type: t.Type, Queue: t.Queue, Attempt: t.Attempt, Claim: t.Claim, TraceParent: t.Spec.TraceParent})
		d.unbury(t)
		t.State, t.RunAt, t.Crashes = task.Pending, now, 0
		if i < len(options.RunAt) {
			t.RunAt = orElse(options.RunAt[i], now)
		}
		if !options.KeepAttempts {
			t.Attempt = 0
		}
		t.Spec = t.Spec.Redriven(now, options.Operation, t.Claim)
		d.groups.revived(t)
		if options.Payload != nil {
			t.Payload = slices.Clone(options.Payload)
		}
		t.CancelRequested, t.DeadReason, t.FallbackTask = false, "", task.ID{}
		t.StartedAt, t.FinishedAt, t.UpdatedAt = time.Time{}, time.Time{}, now
		d.insert(*t)
		s.commit(id.Lane())
	}
	if len(done) == 0 {
		return nil, missing, nil
	}
	return done, missing, d.log(options.Audit, now)
}

// unbury takes a task out of the dead letters and releases its key.
func (d *data) unbury(t *task.Task) {
	count(&d.stats, t, -1)
	delete(d.dead, t.ID)
	d.deadByEnd.remove(byEnd(t))
	if t.Key != "" {
		d.lanes[t.ID.Lane()].release(t.Key, t.ID)
	}
}

// Purge implements [store.Admin].
func (s *Store) Purge(ctx context.Context, filter store.Filter, limit int, audit ...store.Audit) ([]*task.Task, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	var purged []*task.Task
	for p := range d.deadByEnd.all() {
		if len(purged) >= limit {
			break
		}
		if t := d.dead[p.id]; filter.Matches(t) {
			purged = append(purged, t)
		}
	}
	for i, t := range purged {
		d.unbury(t)
		d.forget(t)
		purged[i] = clone(t)
		s.commit(t.ID.Lane())
	}
	if len(purged) == 0 {
		return nil, nil
	}
	return purged, d.log(audit, now)
}

// forget removes the last traces of a task that is in no table any more.
func (d *data) forget(t *task.Task) {
	d.byID.remove(place{id: t.ID})
	d.byFailure.remove(byFailure(t))
	delete(d.attempts, t.ID)
	delete(d.steps, t.ID)
}

// ReleaseKey implements [store.Admin].
func (s *Store) ReleaseKey(ctx context.Context, queue, key string, audit ...store.Audit) (bool, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return false, err
	}
	d := s.data
	defer d.mu.Unlock()
	if err := objects.CheckAudit(audit); err != nil {
		return false, err
	}
	released := false
	for _, lane := range d.lanes {
		if lane.Queue == queue && lane.release(key, task.ID{}) {
			released = true
			s.commit(lane.Number)
		}
	}
	if released {
		return true, d.log(audit, now)
	}
	return false, nil
}

// Cleanup implements [store.Admin]. A task and its history count as one row.
func (s *Store) Cleanup(ctx context.Context, ended time.Time, limit int) (int, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	d := s.data
	defer d.mu.Unlock()
	deleted := 0
	for deleted < limit {
		oldest, ok := d.doneByEnd.min()
		if !ok || oldest.first >= ended.UnixMicro() {
			break
		}
		d.doneByEnd.remove(oldest)
		d.forget(d.done[oldest.id])
		delete(d.done, oldest.id)
		deleted++
	}
	for id, group := range d.groups {
		if deleted < limit && group.State == task.GroupDone && group.DoneAt.Before(ended) {
			delete(d.groups, id)
			deleted++
		}
	}
	for key, entry := range d.dedupe {
		if deleted < limit && !d.dedupeLives(entry, now) {
			delete(d.dedupe, key)
			deleted++
		}
	}
	for id, node := range d.nodes {
		if deleted < limit && d.forgotten(node, now) {
			delete(d.nodes, id)
			delete(d.suspects, id)
			deleted++
		}
	}
	return deleted, nil
}

// Steer implements [store.Admin].
func (s *Store) Steer(ctx context.Context, steering store.Steering) ([]store.Steered, *store.Operation, error) {
	if err := steer.Check(&steering); err != nil {
		return nil, nil, err
	}
	now, err := s.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if steering.Operation != nil {
		if err := d.isCurrent(steering.Operation); err != nil {
			return nil, nil, err
		}
	}
	steered := make([]store.Steered, len(steering.IDs))
	for i, id := range steering.IDs {
		steered[i] = d.steer(&steering, id, now)
		if steered[i].Err == nil {
			s.commit(id.Lane())
		}
	}
	noted, err := steer.Noted(&steering, steered)
	if err != nil {
		return nil, nil, err
	}
	var put *store.Operation
	if noted != nil {
		put = d.putOperation(*noted, now)
		s.commit()
	}
	return steered, put, d.log(steer.Audit(&steering, steered), now)
}

func (d *data) steer(steering *store.Steering, id task.ID, now time.Time) store.Steered {
	r, err := d.liveRow(id)
	if err != nil {
		return store.Steered{ID: id, Err: err}
	}
	before, change := r.Task, cancelRow
	if steering.Event == task.Reschedule {
		change = moveRow(steer.RunAt(steering, now))
	}
	if err := change(d, r, now); err != nil {
		return store.Steered{ID: id, Err: err}
	}
	return steer.Done(&before, steering, now)
}
