package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// getTask reads a task whatever its table. One snapshot sees it in one.
	getTask = newQuery(`SELECT ` + liveColumns + ` FROM outlast_live WHERE id = $1::uuid /*lane of $1::uuid*/
UNION ALL SELECT ` + doneColumns + ` FROM outlast_done WHERE id = $1::uuid /*lane of $1::uuid*/
UNION ALL SELECT ` + deadColumns + ` FROM outlast_dead WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// selectAttempts reads history rows, oldest first: claims only grow.
	selectAttempts = newQuery(`SELECT number, claim, node, started_at, ended_at, outcome, failure, next_delay, label
FROM outlast_attempt WHERE id = $1::uuid /*lane of $1::uuid*/ ORDER BY claim`)

	// lastAttempt reads the attempt that an ended row records.
	lastAttempt = newQuery(`SELECT attempt, claim, node, started_at, ended_at, outcome, NULL::text, 0::bigint, label
FROM outlast_done WHERE id = $1::uuid /*lane of $1::uuid*/ AND outcome <> ''`)

	deadHistory = newQuery(`SELECT attempts FROM outlast_dead WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// keyState reads what is ahead in a key: the hold, the running task, the
	// pending one that is next.
	keyState = newQuery(`SELECT h.id, h.mode, h.since, (SELECT r.id FROM outlast_run r WHERE r.lane = $1::integer AND r.key = $2::text AND r.key IS NOT NULL),
 (SELECT t.id FROM outlast_task t WHERE t.lane = $1::integer AND t.key = $2::text AND t.key IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.id = t.id /*r.lane is $1::integer*/) ORDER BY (t.attempt + t.crashes = 0), t.seq LIMIT 1)
FROM (SELECT 1) one LEFT JOIN outlast_key_hold h ON h.lane = $1::integer AND h.key = $2::text`)
)

// get reads a task whatever its table; CodeNotFound.
func get(ctx context.Context, s session, id task.ID) (found *task.Task, err error) {
	err = each(ctx, s, getTask, func(r row) error {
		found = scanTask(r)
		return nil
	}, id)
	if err == nil && found == nil {
		err = task.NotFound("task", id.String())
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.lookUp(ctx, func(c session, _ int64) (err error) {
		found, err = get(ctx, c, id)
		return err
	})
	return found, err
}

// Attempts implements [store.Query].
func (s *Store) Attempts(ctx context.Context, id task.ID) (attempts []task.Attempt, err error) {
	err = s.lookUp(ctx, func(c session, _ int64) error {
		attempts = nil
		t, err := get(ctx, c, id)
		if err != nil {
			return err
		}
		history, err := readHistory(ctx, c, id)
		if t.State == task.Dead && err == nil {
			history, err = readDeadHistory(ctx, c, id)
		}
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

// readHistory reads the attempts of a task that is not dead.
func readHistory(ctx context.Context, s session, id task.ID) (history []stored.Attempt, err error) {
	scan := func(r row) error {
		history = append(history, stored.Attempt{
			Number: int(r.Int(0)), Claim: r.Int(1), Node: r.Text(2), StartedAt: r.Int(3), EndedAt: r.Int(4),
			Outcome: task.Outcome(r.Text(5)), Failure: r.Blob(6), NextDelay: r.Int(7), Label: r.Text(8),
		})
		return nil
	}
	err = s.run(ctx, &call{query: selectAttempts, args: []any{id}, scan: scan}, &call{query: lastAttempt, args: []any{id}, scan: scan})
	return history, err
}

func readDeadHistory(ctx context.Context, s session, id task.ID) (history []stored.Attempt, err error) {
	err = each(ctx, s, deadHistory, func(r row) (err error) {
		history, err = stored.ParseAttempts(r[0])
		return err
	}, id)
	return history, err
}

// Key implements [store.Query].
func (s *Store) Key(ctx context.Context, lane uint16, key string) (*store.KeyState, error) {
	var state store.KeyState
	err := s.lookUp(ctx, func(c session, _ int64) error {
		_, err := one(ctx, c, keyState, func(r row) {
			state = store.KeyState{Held: r[0] != nil, Holder: r.ID(0), Mode: r.Text(1), Since: r.Time(2), Running: r.ID(3), First: r.ID(4)}
		}, lane, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &state, nil
}
