package ending

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Suspicion is how the crash of a node counts. It is decided once for a node, and kept,
// since other calls may recover the node's other lanes later.
type Suspicion = int64

// The suspicions as they are stored.
const (
	SuspectUnknown Suspicion = 0 // not decided
	SuspectSome    Suspicion = 1 // it counts for tasks with SuspectCrashes or more alone
	SuspectAll     Suspicion = 2 // for every task
)

// SuspectCrashes is from how many crashes on a task is held to be the cause of the next.
const SuspectCrashes = 2

// LeaseExpired is why rows of a remote worker are handed back.
const LeaseExpired = "lease expired"

// Lost is a node, or a remote worker, that is not alive but has running rows.
type Lost struct {
	ID, Cause string
	Left      bool
	Suspect   Suspicion
}

// NewLost is a lost holder by the state of its node, "" for one without a row. A worker
// whose lease has ended did so by itself: there is no one else to suspect.
func NewLost(holder string, state store.NodeState) Lost {
	n := Lost{ID: holder, Cause: "node unknown", Left: state == store.NodeLeft}
	switch {
	case task.Leased(holder):
		n.Cause, n.Left, n.Suspect = LeaseExpired, false, SuspectAll
	case state != "":
		n.Cause = "node " + string(state)
	}
	return n
}

// Judged reports whether it is decided how its crash counts.
func (n *Lost) Judged() bool { return n.Left || n.Suspect != SuspectUnknown }

// Judge decides how its crash counts: while a task that crashed often before was running,
// that is the suspect.
func (n *Lost) Judge(suspicious bool) {
	if n.Suspect = SuspectAll; suspicious {
		n.Suspect = SuspectSome
	}
}

// Outcome is how the attempts that it had have ended.
func (n *Lost) Outcome() task.Outcome {
	if n.Left {
		return task.OutcomeReleased
	}
	return task.OutcomeCrashed
}

// HandBack is what becomes of a row that it had, and what there is to tell of it; now is
// the store's clock in µs.
func (n *Lost) HandBack(row *Row, trace string, now int64) (entry store.Entry, out store.Recovered) {
	entry = row.Entry
	entry.Attempt, entry.Park = max(0, entry.Attempt-1), 0
	if !n.Left && (n.Suspect == SuspectAll || entry.Crashes >= SuspectCrashes) {
		entry.Crashes++
	}
	out = store.Recovered{
		ID: entry.ID, Type: entry.Type, Node: row.Node, OldClaim: row.Claim, Claim: max(row.Claim+1, now), Crashes: entry.Crashes, Canceled: row.Cancel,
		Cause: n.Cause, Attempt: row.Entry.Attempt, Queue: row.Queue, TraceParent: trace,
	}
	if !out.Canceled {
		out.Entry = entry
	}
	return entry, out
}
