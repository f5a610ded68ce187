package postgres

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// States as they are stored.
const (
	pending   = 0
	running   = 1
	succeeded = 2
	dead      = 3
	canceled  = 4
)

var states = [...]task.State{task.Pending, task.Running, task.Succeeded, task.Dead, task.Canceled}

// Column lists that scanTask understands, one per kind of table.
const (
	headColumns = `id, queue, type, payload, priority, run_at, key, seq, target, policy, spec,
 attempt, crashes, claim, node, started_at, cancel, created_at, last_error`
	liveColumns = headColumns + `, state::bigint, updated_at, park, finished_at, reason, result, fallback, failed_at`
	doneColumns = headColumns + `, state::bigint, finished_at, 0::bigint, finished_at, NULL::text, result, NULL::uuid, failed_at`
	deadColumns = headColumns + `, 3::bigint, finished_at, 0::bigint, finished_at, reason, NULL::bytea, fallback, finished_at`
	taskWidth   = 27
)

// scanTask reads a row of one of the lists above.
func scanTask(r row) *task.Task {
	t := &task.Task{
		ID: r.ID(0), Queue: r.Text(1), Type: r.Text(2), Payload: r.Blob(3), Priority: int(r.Int(4)),
		RunAt: r.Time(5), Key: r.Text(6), Seq: r.Int(7), Target: r.Text(8), Policy: r.Text(9),
		Attempt: int(r.Int(11)), Crashes: int(r.Int(12)), Claim: r.Int(13), Node: r.Text(14),
		StartedAt: r.Time(15), CancelRequested: r.Bool(16), CreatedAt: r.Time(17),
		State: states[r.Int(19)], UpdatedAt: r.Time(20), Park: r.Int(21), FinishedAt: r.Time(22),
		DeadReason: task.DeadReason(r.Text(23)), Result: json.RawMessage(r.Blob(24)), FallbackTask: r.ID(25), LastFailedAt: r.Time(26),
	}
	if t.State != task.Running {
		t.Node = ""
	}
	t.Spec, t.LastError = stored.SpecOf(r[10]), stored.FailureOf(r[18])
	return t
}

// collect is a scan that appends tasks to list.
func collect(list *[]*task.Task) func(row) error {
	return func(r row) error {
		*list = append(*list, scanTask(r))
		return nil
	}
}

// entryColumns are what scanEntry reads.
const (
	entryColumns = `id, run_at, rank, seq, park, key, type, target, attempt, crashes, octet_length(payload)`
	entryWidth   = 11
)

func scanEntry(r row) store.Entry {
	return store.Entry{
		ID: r.ID(0), RunAt: r.Int(1), Rank: r.Int(2), Seq: r.Int(3), Park: r.Int(4), Key: r.Text(5),
		Type: r.Text(6), Target: r.Text(7), Attempt: int(r.Int(8)), Crashes: int(r.Int(9)), Size: int(r.Int(10)),
	}
}

// refusedData is data that cannot be stored.
func refusedData(err error) error {
	return task.Invalid("task", "the database refuses it: "+err.Error(), "")
}
