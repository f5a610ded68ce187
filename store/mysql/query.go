package mysql

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	getTask = `SELECT ` + taskColumns + ` FROM outlast_task t` + knownJoins + ` WHERE t.id = ?`

	// lastAttempt reads the attempt that an ended row records.
	lastAttempt = `SELECT id, attempt, claim, node, started_at, finished_at, outcome, NULL, 0, label FROM outlast_done WHERE id = ? AND outcome <> ''`

	deadHistory = `SELECT attempts FROM outlast_dead WHERE id = ?`

	selectHold = `SELECT id, hold_mode, since FROM outlast_key_hold WHERE lane = ? AND line = ?`
	lineBusy   = `SELECT id FROM outlast_line WHERE lane = ? AND line = ?`

	// lineNext reads the pending row of a key that runs next.
	lineNext = `SELECT t.id FROM outlast_task t FORCE INDEX (outlast_task_line) LEFT JOIN outlast_run r ON r.id = t.id
WHERE t.lane = ? AND t.line = ? AND r.id IS NULL ORDER BY t.turn LIMIT 1`
)

// task reads one task by a statement.
func (s *session) task(query string, id task.ID) (*task.Task, error) {
	found, err := s.tasks(query, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, task.NotFound("task", id.String())
	}
	return found[0], nil
}

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.read(ctx, func(c *session) (err error) {
		found, err = c.task(getTask, id)
		return err
	})
	return found, err
}

// Attempts implements [store.Query].
func (s *Store) Attempts(ctx context.Context, id task.ID) (attempts []task.Attempt, err error) {
	err = s.snapshot(ctx, func(c *session) error {
		attempts = nil
		t, err := c.task(getTask, id)
		if err != nil {
			return err
		}
		history, err := c.history(t)
		for i := range history {
			attempts = append(attempts, history[i].Task())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return attempts, nil
}

func (s *session) history(t *task.Task) (history []stored.Attempt, err error) {
	if t.State == task.Dead {
		var text []byte
		if _, err := s.first(deadHistory, []any{&text}, t.ID); err != nil {
			return nil, err
		}
		return stored.ParseAttempts(text)
	}
	histories, err := s.histories([]task.ID{t.ID})
	if err != nil {
		return nil, err
	}
	history = histories[t.ID]
	err = s.each(lastAttempt, func(rows *sql.Rows) error {
		_, a, err := scanAttempt(rows)
		history = append(history, a)
		return err
	}, t.ID)
	return history, err
}

// Key implements [store.Query].
func (s *Store) Key(ctx context.Context, lane uint16, key string) (*store.KeyState, error) {
	var state store.KeyState
	err := s.snapshot(ctx, func(c *session) (err error) {
		state = store.KeyState{}
		var since number
		var mode text
		state.Held, err = c.first(selectHold, []any{(*identity)(&state.Holder), &mode, &since}, lane, key)
		state.Mode, state.Since = string(mode), since.time()
		if err != nil {
			return err
		}
		if _, err := c.first(lineBusy, []any{(*identity)(&state.Running)}, lane, key); err != nil {
			return err
		}
		_, err = c.first(lineNext, []any{(*identity)(&state.First)}, lane, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &state, nil
}
