package ending

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

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
