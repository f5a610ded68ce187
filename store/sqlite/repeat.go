package sqlite

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var (
	// attemptOutcome reads how the attempt of a claim was recorded.
	attemptOutcome = &query{sql: `SELECT outcome FROM outlast_attempt WHERE id = ? AND claim = ?`}

	// endedBy reads the state and claim of an ended task.
	endedBy = &query{sql: `SELECT state, claim FROM outlast_task WHERE id = ?1 AND state <> 5 UNION ALL SELECT 3, claim FROM outlast_dead WHERE id = ?1`}
)

// repeated answers a settlement whose row does not run under its claim: ok
// if the same outcome is recorded for the same claim, else stale.
func (b *settling) repeated(s *store.Settlement, live liveRow, found bool) (store.Settled, error) {
	state, claim := int64(-1), int64(0)
	if found {
		state, claim = live.state, live.claim
	} else if _, err := one(b.tx, endedBy, func(r row) { state, claim = r.int(0), r.int(1) }, s.Task.ID); err != nil {
		return store.Settled{}, err
	}
	if state < 0 {
		return store.Settled{Status: store.StatusNotFound}, nil
	}
	var recorded task.Outcome
	if _, err := one(b.tx, attemptOutcome, func(r row) { recorded = task.Outcome(r.text(0)) }, s.Task.ID, s.Task.Claim); err != nil {
		return store.Settled{}, err
	}
	switch {
	case recorded != "":
	case state == succeeded && claim == s.Task.Claim:
		recorded = task.OutcomeSucceeded
	case state == canceled && claim == s.Task.Claim:
		recorded = task.OutcomeCanceled
	case state == dead && claim == s.Task.Claim:
		recorded = task.OutcomeDead
	case state == pending && live.unstarted == s.Task.Claim && s.Unstarted && givesBack(s.Outcome):
		recorded = s.Outcome
	}
	if recorded != s.Outcome && (recorded != task.OutcomeCanceled || !givesBack(s.Outcome)) {
		return store.Settled{Status: store.StatusStale}, nil
	}
	result := store.Settled{Status: store.StatusOK, State: states[state]}
	if state == pending {
		result.Entry = live.entry
	}
	return result, nil
}

// givesBack reports whether the outcome makes the task pending again, unless
// its cancel was requested.
func givesBack(outcome task.Outcome) bool {
	return outcome == task.OutcomeFailed || outcome == task.OutcomeSnoozed || outcome == task.OutcomeReleased
}
