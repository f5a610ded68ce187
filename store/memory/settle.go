package memory

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// deadAttempts is how many attempts a dead letter keeps.
const deadAttempts = 100

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
	if given.Task == nil {
		return refused(task.Invalid("task", "a settlement needs its task", ""))
	}
	switch given.Outcome {
	case task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeDead, task.OutcomeCanceled:
	default:
		return refused(task.Invalid("outcome", "no attempt is settled as "+task.Quote(string(given.Outcome)), ""))
	}
	r := d.live[given.Task.ID]
	if r == nil || r.State != task.Running || r.Claim != given.Task.Claim {
		return d.repeated(given)
	}
	follow, err := d.plan(given.Follow, now)
	if err != nil {
		return refused(err)
	}
	outcome := given.Outcome
	if r.CancelRequested && again(outcome) {
		outcome = task.OutcomeCanceled
	}
	d.record(r, given, outcome, now)
	var settled store.Settled
	if again(outcome) {
		settled = d.resume(r, given, now)
	} else {
		settled = d.finish(r, given, outcome, now)
	}
	follow.apply()
	return settled
}

func refused(err error) store.Settled { return store.Settled{Status: store.StatusRefused, Err: err} }

// again reports whether the task runs again after the outcome.
func again(outcome task.Outcome) bool {
	return outcome == task.OutcomeFailed || outcome == task.OutcomeSnoozed || outcome == task.OutcomeReleased
}

// record writes the history row of an attempt that started.
func (d *data) record(r *row, given store.Settlement, outcome task.Outcome, now time.Time) {
	if given.Unstarted {
		return
	}
	attempt := task.Attempt{
		Number: r.Attempt, Claim: r.Claim, Node: r.Node, StartedAt: orElse(given.StartedAt, r.StartedAt),
		EndedAt: orElse(given.EndedAt, now), Outcome: outcome, Failure: cloneFailure(given.Failure), Label: given.Label,
	}
	if again(outcome) {
		attempt.NextDelay = max(0, orElse(given.RunAt, now).Sub(attempt.EndedAt))
	}
	d.attempts[r.ID] = append(d.attempts[r.ID], attempt)
	if again(outcome) && outcome != task.OutcomeFailed {
		d.forgetRun(r.ID)
	}
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
func (d *data) resume(r *row, given store.Settlement, now time.Time) store.Settled {
	d.change(r, now, func(r *row) {
		r.State, r.Node, r.StartedAt = task.Pending, "", time.Time{}
		r.RunAt = orElse(given.RunAt, now)
		if given.Failure != nil {
			r.LastError = cloneFailure(given.Failure)
		}
		if given.Unstarted || given.Outcome != task.OutcomeFailed {
			r.Attempt--
		} else {
			d.failed(&r.Task, orElse(given.EndedAt, now))
		}
		if given.Outcome == task.OutcomeReleased {
			r.Claim = raise(r.Claim, now)
		}
	})
	return store.Settled{Status: store.StatusOK, State: task.Pending, Entry: r.entry()}
}

// finish moves the row to done or dead.
func (d *data) finish(r *row, given store.Settlement, outcome task.Outcome, now time.Time) store.Settled {
	d.end(r)
	t := &r.Task
	t.Node, t.Park, t.UpdatedAt, t.FinishedAt = "", 0, now, now
	t.StartedAt = orElse(given.StartedAt, t.StartedAt)
	if given.Failure != nil {
		t.LastError = cloneFailure(given.Failure)
	}
	if given.Unstarted {
		t.Attempt--
	}
	switch outcome {
	case task.OutcomeDead:
		t.State, t.DeadReason, t.FallbackTask = task.Dead, given.DeadReason, given.Task.FallbackTask
		d.bury(t, given.OrderOnDead)
	case task.OutcomeCanceled:
		t.State = task.Canceled
		d.archive(t)
	default:
		t.State, t.Result = task.Succeeded, slices.Clone(given.Result)
		d.archive(t)
	}
	return store.Settled{Status: store.StatusOK, State: t.State}
}

// archive puts a task that succeeded or was canceled among the done ones.
func (d *data) archive(t *task.Task) {
	d.done[t.ID] = t
	d.doneByEnd.add(byEnd(t))
}

// bury puts a task among the dead letters: its last attempts, the hold of
// its key and the counters with it.
func (d *data) bury(t *task.Task, orderOnDead string) {
	d.dead[t.ID] = t
	d.failed(t, t.FinishedAt)
	d.deadByEnd.add(byEnd(t))
	if history := d.attempts[t.ID]; len(history) > deadAttempts {
		d.attempts[t.ID] = slices.Clone(history[len(history)-deadAttempts:])
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

// repeated answers a settlement whose claim is not the running one: ok if
// the same outcome is recorded for the same claim.
func (d *data) repeated(given store.Settlement) store.Settled {
	t := d.find(given.Task.ID)
	if t == nil {
		return store.Settled{Status: store.StatusNotFound}
	}
	if !d.recorded(t, given) {
		return store.Settled{Status: store.StatusStale}
	}
	settled := store.Settled{Status: store.StatusOK, State: t.State}
	if r := d.live[t.ID]; r != nil && r.State == task.Pending {
		settled.Entry = r.entry()
	}
	return settled
}

func (d *data) recorded(t *task.Task, given store.Settlement) bool {
	for _, attempt := range d.attempts[t.ID] {
		if attempt.Claim == given.Task.Claim {
			return attempt.Outcome == given.Outcome || attempt.Outcome == task.OutcomeCanceled && again(given.Outcome)
		}
	}
	if !given.Unstarted || t.Claim != given.Task.Claim { // without a history row, the row itself is the record
		return false
	}
	switch t.State {
	case task.Pending:
		return given.Outcome == task.OutcomeFailed || given.Outcome == task.OutcomeSnoozed
	case task.Dead:
		return given.Outcome == task.OutcomeDead
	case task.Canceled:
		return given.Outcome == task.OutcomeCanceled || again(given.Outcome)
	}
	return false
}

func byEnd(t *task.Task) place { return place{first: t.FinishedAt.UnixMicro(), id: t.ID} }

// orElse is t with microseconds, or the other time if t is absent.
func orElse(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return micros(t)
}
