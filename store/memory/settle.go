package memory

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	results := make([]store.Settled, len(settlements))
	var lanes []uint16
	for i, settlement := range settlements {
		results[i] = d.settle(settlement, now)
		if results[i].Status != store.StatusOK {
			continue
		}
		lanes = append(lanes, settlement.Task.ID.Lane())
		for _, follow := range settlement.Follow {
			lanes = append(lanes, follow.Task.ID.Lane())
		}
	}
	if len(lanes) > 0 {
		s.commit(lanes...)
	}
	return results, nil
}

func (d *data) settle(given store.Settlement, now time.Time) store.Settled {
	if err := check.Settlement(&given); err != nil {
		return refused(err)
	}
	r := d.live[given.Task.ID]
	if r == nil || r.State != task.Running || r.Claim != given.Task.Claim {
		return d.repeated(&given)
	}
	follow, err := d.plan(given.Follow, now)
	if err != nil {
		return refused(err)
	}
	a := ending.Of(&given, r.standing(), now.UnixMicro())
	if signals.Ready(given.Task, d.steps[a.ID], given.Awaits) {
		a.Due()
	}
	var settled store.Settled
	if ending.GivesBack(a.Outcome) {
		settled = d.resume(r, a, now)
	} else {
		settled = d.finish(r, a, now)
	}
	follow.apply()
	return settled
}

func refused(err error) store.Settled { return store.Settled{Status: store.StatusRefused, Err: err} }

// standing is the row as package ending knows it.
func (r *row) standing() *ending.Row {
	return &ending.Row{Entry: stored.Entry(&r.Task), State: r.State, Claim: r.Claim, Unstarted: r.unstarted, Cancel: r.CancelRequested,
		Priority: r.Priority, Node: r.Node, Queue: r.Queue, StartedAt: r.StartedAt}
}

// record writes the history row of an attempt that started, and how long it is until
// the next.
func (d *data) record(a *ending.Attempt, delay int64) {
	if a.Unstarted {
		return
	}
	d.attempts[a.ID] = append(d.attempts[a.ID], task.Attempt{
		Number: a.Number, Claim: a.Claim, Node: a.Node, StartedAt: micros(a.Started), EndedAt: stored.Time(a.Ended), Outcome: a.Outcome,
		Failure: cloneFailure(a.Failure), NextDelay: time.Duration(delay) * time.Microsecond, Label: a.Label,
	})
}

// forgetRun drops the oldest run that cost no attempt, if there are too many.
func (d *data) forgetRun(id task.ID) {
	free, oldest := 0, 0
	for i, attempt := range slices.Backward(d.attempts[id]) {
		if attempt.Outcome == task.OutcomeSnoozed || attempt.Outcome == task.OutcomeReleased {
			free, oldest = free+1, i
		}
	}
	if free > store.KeptRuns {
		d.attempts[id] = slices.Delete(slices.Clone(d.attempts[id]), oldest, oldest+1)
	}
}

// resume makes the row pending again.
func (d *data) resume(r *row, a *ending.Attempt, now time.Time) store.Settled {
	entry := a.Retry(r.standing(), now.UnixMicro())
	d.record(a, a.Delay(entry.RunAt))
	if a.Outcome != task.OutcomeFailed {
		d.forgetRun(r.ID)
	}
	d.change(r, now, func(r *row) {
		r.State, r.Node, r.StartedAt = task.Pending, "", time.Time{}
		r.RunAt, r.Attempt, r.Claim = stored.Time(entry.RunAt), a.After, a.ClaimAfter(now.UnixMicro())
		if r.unstarted = 0; a.Unstarted {
			r.unstarted = a.Claim
		}
		if a.Failure != nil {
			r.LastError = cloneFailure(a.Failure)
		}
		if at := a.FailedAt(); at != 0 {
			d.failed(&r.Task, stored.Time(at))
		}
	})
	return store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
}

// finish moves the row to done or dead.
func (d *data) finish(r *row, a *ending.Attempt, now time.Time) store.Settled {
	d.record(a, 0)
	d.end(r)
	t := &r.Task
	t.Node, t.Park, t.UpdatedAt, t.FinishedAt = "", 0, now, now
	t.StartedAt, t.Attempt = micros(a.Started), a.After
	if a.Failure != nil {
		t.LastError = cloneFailure(a.Failure)
	}
	switch a.Outcome {
	case task.OutcomeDead:
		t.State, t.DeadReason, t.FallbackTask = task.Dead, a.DeadReason, a.Task.FallbackTask
		d.bury(t, a.OrderOnDead)
	case task.OutcomeCanceled:
		t.State = task.Canceled
		d.archive(t)
	default:
		t.State, t.Result = task.Succeeded, slices.Clone(a.Result)
		d.archive(t)
	}
	return store.Settled{Status: store.StatusOK, State: t.State}
}

// archive puts a task that succeeded or was canceled among the done ones.
func (d *data) archive(t *task.Task) {
	d.done[t.ID] = t
	d.doneByEnd.add(byEnd(t))
	d.groups.ended(t)
}

// bury puts a task among the dead letters: its last attempts, the hold of
// its key and the counters with it.
func (d *data) bury(t *task.Task, orderOnDead string) {
	d.dead[t.ID] = t
	d.groups.ended(t)
	d.failed(t, t.FinishedAt)
	d.deadByEnd.add(byEnd(t))
	if history := d.attempts[t.ID]; len(history) > stored.MostAttempts {
		d.attempts[t.ID] = slices.Clone(history[len(history)-stored.MostAttempts:])
	}
	if t.Key != "" && orderOnDead != "skip" {
		if orderOnDead == "" {
			orderOnDead = "block"
		}
		ensure(d.lanes[t.ID.Lane()].keys, t.Key).hold = &hold{t.ID, orderOnDead, t.FinishedAt}
	}
	count(&d.stats, t, 1)
}

// failed notes when a task failed last.
func (d *data) failed(t *task.Task, at time.Time) {
	d.byFailure.remove(byFailure(t))
	t.LastFailedAt = time.UnixMicro(at.UnixMicro()).UTC()
	d.byFailure.add(byFailure(t))
}

func byFailure(t *task.Task) place { return place{first: t.LastFailedAt.UnixMicro(), id: t.ID} }

// repeated answers a settlement whose claim is not the running one.
func (d *data) repeated(given *store.Settlement) store.Settled {
	t := d.find(given.Task.ID)
	if t == nil {
		return ending.Repeated(given, nil, "")
	}
	row := &ending.Row{State: t.State, Claim: t.Claim}
	if r := d.live[t.ID]; r != nil {
		row = r.standing()
	}
	var recorded task.Outcome
	for _, attempt := range d.attempts[t.ID] {
		if attempt.Claim == given.Task.Claim {
			recorded = attempt.Outcome
		}
	}
	return ending.Repeated(given, row, recorded)
}

func byEnd(t *task.Task) place { return place{first: t.FinishedAt.UnixMicro(), id: t.ID} }
