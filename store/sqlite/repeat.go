package sqlite

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// attemptOutcome reads how the attempt of a claim was recorded.
	attemptOutcome = &query{sql: `SELECT outcome FROM outlast_attempt WHERE id = ? AND claim = ?`}

	// endedBy reads the state and claim of an ended task.
	endedBy = &query{sql: `SELECT state, claim FROM outlast_task WHERE id = ?1 AND state <> 5 UNION ALL SELECT 3, claim FROM outlast_dead WHERE id = ?1`}
)

// repeated answers a settlement whose row does not run under its claim.
func (b *settling) repeated(s *store.Settlement, live liveRow, found bool) (store.Settled, error) {
	if !found {
		_, err := one(b.tx, endedBy, func(r row) {
			live.State, live.Claim, found = states[r.Int(0)], r.Int(1), true
		}, s.Task.ID)
		if err != nil {
			return store.Settled{}, err
		}
	}
	if !found {
		return ending.Repeated(s, nil, ""), nil
	}
	var recorded task.Outcome
	_, err := one(b.tx, attemptOutcome, func(r row) { recorded = task.Outcome(r.Text(0)) }, s.Task.ID, s.Task.Claim)
	if err == nil && live.State == task.Dead { // its attempts went with it
		var history []stored.Attempt
		history, err = deadAttempts(b.tx, s.Task.ID)
		for _, attempt := range history {
			if attempt.Claim == s.Task.Claim {
				recorded = attempt.Outcome
			}
		}
	}
	return ending.Repeated(s, &live.Row, recorded), err
}
