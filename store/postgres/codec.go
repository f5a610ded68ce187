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
		ID: r.id(0), Queue: r.text(1), Type: r.text(2), Payload: r.blob(3), Priority: int(r.int(4)),
		RunAt: r.time(5), Key: r.text(6), Seq: r.int(7), Target: r.text(8), Policy: r.text(9),
		Attempt: int(r.int(11)), Crashes: int(r.int(12)), Claim: r.int(13), Node: r.text(14),
		StartedAt: r.time(15), CancelRequested: r.bool(16), CreatedAt: r.time(17),
		State: states[r.int(19)], UpdatedAt: r.time(20), Park: r.int(21), FinishedAt: r.time(22),
		DeadReason: task.DeadReason(r.text(23)), Result: json.RawMessage(r.blob(24)), FallbackTask: r.id(25), LastFailedAt: r.time(26),
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
		ID: r.id(0), RunAt: r.int(1), Rank: r.int(2), Seq: r.int(3), Park: r.int(4), Key: r.text(5),
		Type: r.text(6), Target: r.text(7), Attempt: int(r.int(8)), Crashes: int(r.int(9)), Size: int(r.int(10)),
	}
}

// refusedData is data that cannot be stored.
func refusedData(err error) error {
	return task.Invalid("task", "the database refuses it: "+err.Error(), "")
}
