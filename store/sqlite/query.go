package sqlite

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	getTask = &query{sql: `SELECT ` + taskColumns + ` FROM outlast_known WHERE id = ?`}
	getDead = &query{sql: `SELECT ` + deadColumns + ` FROM outlast_dead WHERE id = ?`}

	// selectAttempts reads history rows, oldest first: claims only grow.
	selectAttempts = &query{sql: `SELECT number, claim, node, started_at, ended_at, outcome, failure, next_delay, label
FROM outlast_attempt WHERE id = ? ORDER BY claim`}

	// lastAttempt reads the attempt that an ended row records.
	lastAttempt = &query{sql: `SELECT attempt, claim, node, nullif(started_at, 0), updated_at, ifnull(outcome, 'succeeded'), null, 0, label
FROM outlast_task WHERE id = ? AND state <> 5 AND ifnull(outcome, 'succeeded') <> ''`}

	deadHistory = &query{sql: `SELECT attempts FROM outlast_dead WHERE id = ?`}

	selectHold = &query{sql: `SELECT id, mode, since FROM outlast_key_hold WHERE lane = ? AND key = ?`}

	// keyNext reads the pending row of a key that runs next.
	keyNext = &query{sql: `SELECT id FROM outlast_task WHERE lane = ? AND key = ? AND key IS NOT NULL AND state = 5
AND num NOT IN (SELECT num FROM outlast_run) ORDER BY attempt + crashes = 0, seq LIMIT 1`}
)

// get reads a task whatever its table. A transaction sees it in one of them.
func get(s session, id task.ID) (*task.Task, error) {
	for _, q := range [...]*query{getTask, getDead} {
		found, err := tasks(s, nil, q, id)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	return nil, task.NotFound("task", id.String())
}

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		found, err = get(c, id)
		return err
	})
	return found, err
}

// Attempts implements [store.Query].
func (s *Store) Attempts(ctx context.Context, id task.ID) (attempts []task.Attempt, err error) {
	err = s.read(ctx, func(c *conn) error {
		t, err := get(c, id)
		if err != nil {
			return err
		}
		attempts, err = readAttempts(c, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return attempts, nil
}

func readAttempts(s session, t *task.Task) (attempts []task.Attempt, err error) {
	if t.State == task.Dead {
		history, err := deadAttempts(s, t.ID)
		for i := range history {
			attempts = append(attempts, history[i].Task())
		}
		return attempts, err
	}
	for _, q := range [...]*query{selectAttempts, lastAttempt} {
		err := s.each(q, func(r row) error {
			attempt := task.Attempt{Number: int(r.Int(0)), Claim: r.Int(1), Node: r.Text(2), StartedAt: r.Time(3),
				EndedAt: r.Time(4), Outcome: task.Outcome(r.Text(5)), NextDelay: time.Duration(r.Int(7)) * time.Microsecond, Label: task.ParseLabel(r.Text(8))}
			attempt.Failure = stored.FailureOf(r.Blob(6))
			attempts = append(attempts, attempt)
			return nil
		}, t.ID)
		if err != nil {
			return nil, err
		}
	}
	return attempts, nil
}

func deadAttempts(s session, id task.ID) (history []stored.Attempt, err error) {
	_, scanErr := one(s, deadHistory, func(r row) { history, err = stored.ParseAttempts(r.Blob(0)) }, id)
	if scanErr != nil {
		return nil, scanErr
	}
	return history, err
}

// Key implements [store.Query].
func (s *Store) Key(ctx context.Context, lane uint16, key string) (*store.KeyState, error) {
	var state store.KeyState
	err := s.read(ctx, func(c *conn) error {
		state = store.KeyState{}
		_, err := one(c, selectHold, func(r row) {
			state.Held, state.Holder, state.Mode, state.Since = true, r.ID(0), r.Text(1), r.Time(2)
		}, lane, key)
		if err != nil {
			return err
		}
		_, err = one(c, keyRunning, func(r row) { state.Running = r.ID(0) }, lane, key)
		if err != nil {
			return err
		}
		_, err = one(c, keyNext, func(r row) { state.First = r.ID(0) }, lane, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &state, nil
}
