package postgres

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// requestCancel leaves the claim alone: a success that still arrives
	// is kept. What runs by the claim log is set apart before.
	requestCancel = wire.NewQuery(`UPDATE outlast_run SET cancel = true WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// moveRun moves a pending row, under the lock of its lane. Inputs: id,
	// run_at, rank, now.
	moveRun = wire.NewQuery(`UPDATE outlast_task SET run_at = $2::bigint, rank = $3::bigint, park = 0, updated_at = $4::bigint WHERE id = $1::uuid /*lane of $1::uuid*/`)
)

// Steer implements [sqlstore.Changer]: under the lock of its lane, so that the task cannot
// be claimed meanwhile.
func (t coldTx) Steer(steering *store.Steering, id task.ID) (*task.Task, error) {
	if _, err := wire.Exec(t.ctx, t, lockToChange, int32(id.Lane())); err != nil {
		return nil, err
	}
	live, err := t.steerRow(steering, id)
	if err != nil {
		return nil, err
	}
	return liveTask(live, ""), nil
}

// SteerAll implements [sqlstore.Changer]. It reads all rows in one round trip, under the
// locks of their lanes, and changes those that are live in another; what has moved
// meanwhile goes one by one.
func (t coldTx) SteerAll(steering *store.Steering) ([]store.Steered, error) {
	rows, queues, err := t.steerRows(steering.IDs)
	if err != nil {
		return nil, err
	}
	var calls []*wire.Call
	running := map[int]*wire.Call{} // tells whether the task still ran
	steered := make([]store.Steered, len(rows))
	for i, id := range steering.IDs {
		if rows[i] == nil {
			continue
		}
		if _, err := rows[i].State.Next(steering.Event); err != nil {
			steered[i] = store.Steered{ID: id, Err: err}
			continue
		}
		changes := t.steerCalls(steering, id, rows[i])
		if rows[i].State == task.Running {
			running[i] = changes[len(changes)-1]
		}
		calls = append(calls, changes...)
		steered[i] = steer.Done(liveTask(rows[i], queues[id.Lane()]), steering, t.time())
	}
	if len(calls) > 0 {
		if err := t.Run(t.ctx, calls...); err != nil {
			return nil, err
		}
	}
	for i, id := range steering.IDs {
		if asked := running[i]; rows[i] != nil && (asked == nil || asked.Changed == 1) {
			continue
		}
		if steered[i], err = t.steerOne(steering, id, queues[id.Lane()]); err != nil {
			return nil, err
		}
	}
	return steered, nil
}

func (t coldTx) steerRows(ids []task.ID) (rows []*ending.Row, queues map[uint16]string, err error) {
	queues = map[uint16]string{}
	for _, id := range ids {
		queues[id.Lane()] = ""
	}
	var calls []*wire.Call
	lanes := make([]uint16, 0, len(queues))
	for lane := range queues {
		lanes = append(lanes, lane)
	}
	slices.Sort(lanes)
	for _, lane := range lanes {
		calls = append(calls, &wire.Call{Query: lockToChange, Args: []any{int32(lane)}, Scan: func(r wire.Row) error {
			queues[uint16(r.Int(0))] = r.Text(1)
			return nil
		}})
	}
	rows = make([]*ending.Row, len(ids))
	for i, id := range ids {
		calls = append(calls, rowCall(id, &rows[i]))
	}
	if len(calls) == 0 {
		return nil, nil, nil
	}
	return rows, queues, t.Run(t.ctx, calls...)
}

// steerCalls are the changes of a live row. The last of a cancel says whether the row
// still runs.
func (t coldTx) steerCalls(steering *store.Steering, id task.ID, live *ending.Row) []*wire.Call {
	switch {
	case steering.Event == task.Reschedule:
		runAt := steer.RunAt(steering, t.time())
		return []*wire.Call{{Query: moveRun, Args: []any{id, runAt.UnixMicro(), task.Rank(runAt, live.Priority), t.now}}}
	case live.State != task.Running:
		return []*wire.Call{t.cancel(id, live.Claim, int64(0), t.now, t.now, live.Entry.Attempt, nil, nil, "", nil, false, nil)}
	}
	calls := []*wire.Call{{Query: setOneApart, Args: []any{id, live.Claim}}}
	if t.store.spread {
		calls = append(calls, &wire.Call{Query: noteCancel, Args: []any{live.Node, id}})
	}
	return append(calls, &wire.Call{Query: requestCancel, Args: []any{id}})
}

// steerOne steers a task of which no live row was seen, or whose row has gone.
func (t coldTx) steerOne(steering *store.Steering, id task.ID, queue string) (store.Steered, error) {
	live, err := t.steerRow(steering, id)
	if err == nil {
		return steer.Done(liveTask(live, queue), steering, t.time()), nil
	}
	if refused, ok := steer.Refused(id, err); ok {
		return refused, nil
	}
	return store.Steered{}, err
}

// steerRow changes a live row of a lane that is locked, and returns it as it was.
func (t coldTx) steerRow(steering *store.Steering, id task.ID) (*ending.Row, error) {
	for {
		live, err := t.readRow(t.ctx, id)
		if err != nil {
			return nil, err
		}
		if err := t.allowed(id, live, steering.Event); err != nil {
			return nil, err
		}
		if live == nil {
			continue // it has just been inserted, or sent back
		}
		calls := t.steerCalls(steering, id, live)
		if err := t.Run(t.ctx, calls...); err != nil {
			return nil, err
		}
		if live.State != task.Running || calls[len(calls)-1].Changed == 1 { // else it has ended just now
			return live, nil
		}
	}
}

// allowed refuses an event that the state of the task does not allow. A task
// of which no live row was seen may be live by now.
func (t coldTx) allowed(id task.ID, live *ending.Row, event task.Event) error {
	if live != nil {
		_, err := live.State.Next(event)
		return err
	}
	now, err := get(t.ctx, t, id)
	if err != nil {
		return err
	}
	_, err = now.State.Next(event)
	return err
}

// liveTask is what is known of a task by its row.
func liveTask(r *ending.Row, queue string) *task.Task {
	e := &r.Entry
	return &task.Task{
		ID: e.ID, Queue: queue, Type: e.Type, State: r.State, Priority: r.Priority, RunAt: time.UnixMicro(e.RunAt).UTC(), Key: e.Key, Seq: e.Seq,
		Target: e.Target, Attempt: e.Attempt, Crashes: e.Crashes, Claim: r.Claim, Node: r.Node, StartedAt: r.StartedAt, CancelRequested: r.Cancel, Park: e.Park,
	}
}
