// Package ending decides what a settlement makes of the row that it ends.
package ending

import (
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Row is what a settlement needs to know of a row as it stands.
type Row struct {
	Entry     store.Entry // with the attempt that runs counted
	State     task.State
	Claim     int64
	Unstarted int64 // the claim given back last without a history row, 0 for none
	Cancel    bool
	Priority  int
	Node      string
	Queue     string // of stores whose rows of dead letters are not made of this one
	StartedAt time.Time
}

// Attempt is the attempt that a settlement ends.
type Attempt struct {
	*store.Settlement
	ID      task.ID
	Claim   int64
	Number  int          // as it is recorded
	After   int          // attempts spent once it has ended
	Outcome task.Outcome // canceled where a cancel request met a failure
	Node    string
	Started time.Time
	Ended   int64 // µs
}

// Of is the attempt that a settlement ends on a row that runs under its
// claim; now is the store's clock in µs.
func Of(s *store.Settlement, row *Row, now int64) *Attempt {
	a := &Attempt{
		Settlement: s, ID: s.Task.ID, Claim: row.Claim, Number: row.Entry.Attempt, After: row.Entry.Attempt,
		Outcome: s.Outcome, Node: row.Node, Started: s.StartedAt, Ended: now,
	}
	if a.Started.IsZero() {
		a.Started = row.StartedAt
	}
	if !s.EndedAt.IsZero() {
		a.Ended = s.EndedAt.UnixMicro()
	}
	if s.Unstarted || s.Outcome == task.OutcomeSnoozed || s.Outcome == task.OutcomeReleased {
		a.After = max(0, a.After-1)
	}
	if row.Cancel && GivesBack(s.Outcome) {
		a.Outcome = task.OutcomeCanceled
		if !s.Unstarted { // the attempt that was canceled is spent
			a.After = a.Number
		}
	}
	return a
}

// Due lets the task run again now, since what it would have waited for is there.
func (a *Attempt) Due() {
	due := *a.Settlement
	due.RunAt = time.Time{}
	a.Settlement = &due
}

// FailedAt is when the attempt failed, in µs; 0 for one that did not, or never started.
func (a *Attempt) FailedAt() int64 {
	if a.Outcome != task.OutcomeFailed || a.Unstarted {
		return 0
	}
	return a.Ended
}

// Retry is the row as it will wait for its next run.
func (a *Attempt) Retry(row *Row, now int64) store.Entry {
	entry := row.Entry
	entry.RunAt, entry.Park, entry.Attempt = now, 0, a.After
	if !a.RunAt.IsZero() {
		entry.RunAt = a.RunAt.UnixMicro()
	}
	entry.Rank = task.Rank(time.UnixMicro(entry.RunAt), row.Priority)
	return entry
}

// ClaimAfter is the claim number of a row that a settlement made pending
// again.
func (a *Attempt) ClaimAfter(now int64) int64 {
	if a.Settlement.Outcome == task.OutcomeReleased {
		return max(a.Claim+1, now)
	}
	return a.Claim
}

// Delay is the wait in µs from the attempt's end to the next run.
func (a *Attempt) Delay(runAt int64) int64 { return max(0, runAt-a.Ended) }

// GivesBack reports whether the outcome makes the task pending again, unless
// its cancel was requested.
func GivesBack(outcome task.Outcome) bool {
	return outcome == task.OutcomeFailed || outcome == task.OutcomeSnoozed || outcome == task.OutcomeReleased
}

// Repeated answers a settlement whose row does not run under its claim: ok if
// the same outcome is recorded for the same claim, else stale. row is the
// task as it stands, nil for none; of an ended one only State and Claim are
// looked at. recorded is the outcome in the history of the claim, "" for
// none.
func Repeated(s *store.Settlement, row *Row, recorded task.Outcome) store.Settled {
	if row == nil {
		return store.Settled{Status: store.StatusNotFound}
	}
	if recorded == "" {
		recorded = rowRecords(s, row)
	}
	if recorded != s.Outcome && (recorded != task.OutcomeCanceled || !GivesBack(s.Outcome)) {
		return store.Settled{Status: store.StatusStale}
	}
	settled := store.Settled{Status: store.StatusOK, State: row.State}
	if row.State == task.Pending {
		settled.Entry = row.Entry
	}
	return settled
}

// rowRecords is the outcome that the row itself is the record of.
func rowRecords(s *store.Settlement, row *Row) task.Outcome {
	switch {
	case row.State == task.Pending && row.Unstarted == s.Task.Claim && s.Unstarted && GivesBack(s.Outcome):
		return s.Outcome
	case row.Claim != s.Task.Claim:
	case row.State == task.Succeeded:
		return task.OutcomeSucceeded
	case row.State == task.Canceled:
		return task.OutcomeCanceled
	case row.State == task.Dead:
		return task.OutcomeDead
	}
	return ""
}
