package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// States by their numbers in the database.
var States = [...]task.State{task.Pending, task.Running, task.Succeeded, task.Dead, task.Canceled}

// TaskWidth is how many columns ScanTask reads.
const TaskWidth = 27

// ScanTask reads id, queue, type, payload, priority, run_at, key, seq, target, policy, spec,
// attempt, crashes, claim, node, started_at, cancel, created_at, last_error, state,
// updated_at, park, finished_at, reason, result, fallback and failed_at.
func ScanTask(r Row) *task.Task {
	t := &task.Task{
		ID: r.ID(0), Queue: r.Text(1), Type: r.Text(2), Payload: r.Blob(3), Priority: int(r.Int(4)),
		RunAt: r.Time(5), Key: r.Text(6), Seq: r.Int(7), Target: r.Text(8), Policy: r.Text(9),
		Attempt: int(r.Int(11)), Crashes: int(r.Int(12)), Claim: r.Int(13), Node: r.Text(14),
		StartedAt: r.Time(15), CancelRequested: r.Bool(16), CreatedAt: r.Time(17),
		State: States[r.Int(19)], UpdatedAt: r.Time(20), Park: r.Int(21), FinishedAt: r.Time(22),
		DeadReason: task.DeadReason(r.Text(23)), Result: r.Blob(24), FallbackTask: r.ID(25), LastFailedAt: r.Time(26),
	}
	if t.State != task.Running {
		t.Node = ""
	}
	t.Spec, t.LastError = stored.SpecOf(r.Blob(10)), stored.FailureOf(r.Blob(18))
	return t
}

// Tasks reads the tasks of a statement.
func Tasks(s Session, q *Query, args ...any) ([]*task.Task, error) {
	return all(s, q, ScanTask, args...)
}

// Get reads a task whatever its state, by the statement for that; CodeNotFound.
func Get(s Session, q *Query, id task.ID) (*task.Task, error) {
	t, found, err := first(s, q, ScanTask, id)
	if err == nil && !found {
		err = task.NotFound("task", id.String())
	}
	return t, err
}

// ScanAttempt reads an attempt: its number, claim, node, start and end, outcome, failure,
// next delay and label.
func ScanAttempt(r Row) stored.Attempt {
	return stored.Attempt{
		Number: int(r.Int(0)), Claim: r.Int(1), Node: r.Text(2), StartedAt: r.Int(3), EndedAt: r.Int(4),
		Outcome: task.Outcome(r.Text(5)), Failure: r.Blob(6), NextDelay: r.Int(7), Label: r.Text(8),
	}
}

// History reads the attempts of a task that is not dead: those of the history, the oldest
// first, and the one that an ended row records.
func History(s Session, own *Own, id task.ID) (history []stored.Attempt, err error) {
	err = s.Run(into(&history, own.Attempts, ScanAttempt, id), into(&history, own.LastAttempt, ScanAttempt, id))
	return history, err
}

// DeadHistory reads the attempts of a dead letter.
func DeadHistory(s Session, id task.ID) (history []stored.Attempt, err error) {
	text, _, err := first(s, deadHistory, func(r Row) []byte { return r.Blob(0) }, id)
	if err != nil {
		return nil, err
	}
	return stored.ParseAttempts(text)
}

var deadHistory = query(`SELECT attempts FROM outlast_dead WHERE id = $1::uuid /*lane of $1::uuid*/`)

// Attempts implements [store.Query].
func (c Cold) Attempts(ctx context.Context, id task.ID) (attempts []task.Attempt, err error) {
	err = c.db.Snapshot(ctx, func(s Session) error {
		attempts = nil
		t, err := Get(s, c.own.Get, id)
		if err != nil {
			return err
		}
		var history []stored.Attempt
		if t.State == task.Dead {
			history, err = DeadHistory(s, id)
		} else {
			history, err = History(s, c.own, id)
		}
		for i := range history {
			attempts = append(attempts, history[i].Task())
		}
		return err
	})
	return resultOf(attempts, err)
}

// Key implements [store.Query].
func (c Cold) Key(ctx context.Context, lane uint16, key string) (*store.KeyState, error) {
	state := &store.KeyState{}
	err := c.db.Snapshot(ctx, func(s Session) (err error) {
		*state, _, err = first(s, c.own.Key, func(r Row) store.KeyState {
			holder := r.ID(0)
			return store.KeyState{Held: !holder.IsZero(), Holder: holder, Mode: r.Text(1), Since: r.Time(2), Running: r.ID(3), First: r.ID(4)}
		}, lane, key)
		return err
	})
	return resultOf(state, err)
}
