package faulty

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// wrapper forwards every method through the faults. Close has none.
type wrapper struct {
	backend store.Backend
	faults  *Faults
}

// txStore is a store that works in transactions of the caller.
type txStore interface {
	store.TxEnqueuer
	store.TxSettler
}

type txWrapper struct {
	backend txStore
	faults  *Faults
}

func (w txWrapper) EnqueueTx(ctx context.Context, tx any, items []store.Insert) ([]store.Inserted, error) {
	return call(ctx, w.faults, "EnqueueTx", func() ([]store.Inserted, error) { return w.backend.EnqueueTx(ctx, tx, items) })
}

func (w txWrapper) SettleTx(ctx context.Context, tx any, settlement store.Settlement) (store.Settled, error) {
	return call(ctx, w.faults, "SettleTx", func() (store.Settled, error) { return w.backend.SettleTx(ctx, tx, settlement) })
}

// notifyWrapper loses some news, which are advice.
type notifyWrapper struct {
	backend store.Notifier
	faults  *Faults
}

func (w notifyWrapper) Notify(ctx context.Context, lanes []store.ChangedLane) error {
	return run(ctx, w.faults, "Notify", func() error { return w.backend.Notify(ctx, lanes) })
}

func (w *wrapper) Close() error { return w.backend.Close() }

func (w *wrapper) Join(ctx context.Context, node store.Node) error {
	return run(ctx, w.faults, "Join", func() error { return w.backend.Join(ctx, node) })
}

func (w *wrapper) Beat(ctx context.Context, node string, report store.Report) ([]task.ID, error) {
	return call(ctx, w.faults, "Beat", func() ([]task.ID, error) { return w.backend.Beat(ctx, node, report) })
}

func (w *wrapper) Leave(ctx context.Context, node string) error {
	return run(ctx, w.faults, "Leave", func() error { return w.backend.Leave(ctx, node) })
}

func (w *wrapper) Bury(ctx context.Context, node string, counter int64) (bool, error) {
	return call(ctx, w.faults, "Bury", func() (bool, error) { return w.backend.Bury(ctx, node, counter) })
}

func (w *wrapper) Topology(ctx context.Context) (*store.Topology, error) {
	return call(ctx, w.faults, "Topology", func() (*store.Topology, error) { return w.backend.Topology(ctx) })
}

func (w *wrapper) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return call(ctx, w.faults, "TakeLanes", func() ([]store.LaneEpoch, error) { return w.backend.TakeLanes(ctx, node, lanes) })
}

func (w *wrapper) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return call(ctx, w.faults, "FreeLanes", func() ([]store.LaneEpoch, error) { return w.backend.FreeLanes(ctx, node, lanes) })
}

func (w *wrapper) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	return call(ctx, w.faults, "Enqueue", func() ([]store.BatchResult, error) { return w.backend.Enqueue(ctx, batches) })
}

func (w *wrapper) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	return call(ctx, w.faults, "Scan", func() ([][]store.Entry, error) { return w.backend.Scan(ctx, ranges) })
}

func (w *wrapper) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	return call(ctx, w.faults, "Claim", func() (store.Claimed, error) { return w.backend.Claim(ctx, claim) })
}

func (w *wrapper) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	return call(ctx, w.faults, "Running", func() ([]*task.Task, error) { return w.backend.Running(ctx, node, ids) })
}

func (w *wrapper) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	return call(ctx, w.faults, "Settle", func() ([]store.Settled, error) { return w.backend.Settle(ctx, settlements) })
}

func (w *wrapper) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	return call(ctx, w.faults, "Recover", func() ([]store.Recovered, error) { return w.backend.Recover(ctx, lanes, limit) })
}

func (w *wrapper) Mark(ctx context.Context, marks []store.Marking) error {
	return run(ctx, w.faults, "Mark", func() error { return w.backend.Mark(ctx, marks) })
}

func (w *wrapper) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	return call(ctx, w.faults, "Marks", func() ([]store.Entry, error) { return w.backend.Marks(ctx, lanes, most) })
}

func (w *wrapper) Get(ctx context.Context, id task.ID) (*task.Task, error) {
	return call(ctx, w.faults, "Get", func() (*task.Task, error) { return w.backend.Get(ctx, id) })
}

func (w *wrapper) Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error) {
	return call(ctx, w.faults, "Attempts", func() ([]task.Attempt, error) { return w.backend.Attempts(ctx, id) })
}

func (w *wrapper) Known(ctx context.Context, items []store.Insert) ([]bool, error) {
	return call(ctx, w.faults, "Known", func() ([]bool, error) { return w.backend.Known(ctx, items) })
}

func (w *wrapper) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	var next string
	tasks, err := call(ctx, w.faults, "Find", func() (tasks []*task.Task, err error) {
		tasks, next, err = w.backend.Find(ctx, filter, page)
		return tasks, err
	})
	if err != nil {
		return nil, "", err
	}
	return tasks, next, nil
}

func (w *wrapper) Count(ctx context.Context, filter store.Filter, limit int) (int, error) {
	return call(ctx, w.faults, "Count", func() (int, error) { return w.backend.Count(ctx, filter, limit) })
}

func (w *wrapper) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) ([]store.Letter, error) {
	return call(ctx, w.faults, "Letters", func() ([]store.Letter, error) { return w.backend.Letters(ctx, filter, after, limit) })
}

func (w *wrapper) DeadStats(ctx context.Context) (*store.DeadStats, error) {
	return call(ctx, w.faults, "DeadStats", func() (*store.DeadStats, error) { return w.backend.DeadStats(ctx) })
}

func (w *wrapper) DeadGroups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error) {
	return call(ctx, w.faults, "DeadGroups", func() ([]store.DeadGroup, error) { return w.backend.DeadGroups(ctx, filter, limit) })
}

func (w *wrapper) DeadTrend(ctx context.Context, filter store.Filter, since store.Time) ([]store.DeadPart, error) {
	return call(ctx, w.faults, "DeadTrend", func() ([]store.DeadPart, error) { return w.backend.DeadTrend(ctx, filter, since) })
}

func (w *wrapper) Key(ctx context.Context, lane uint16, key string) (*store.KeyState, error) {
	return call(ctx, w.faults, "Key", func() (*store.KeyState, error) { return w.backend.Key(ctx, lane, key) })
}

func (w *wrapper) Holds(ctx context.Context, filter store.HoldFilter) ([]store.Hold, error) {
	return call(ctx, w.faults, "Holds", func() ([]store.Hold, error) { return w.backend.Holds(ctx, filter) })
}

func (w *wrapper) Backlog(ctx context.Context, lanes []uint16, most int) (store.Backlog, error) {
	return call(ctx, w.faults, "Backlog", func() (store.Backlog, error) { return w.backend.Backlog(ctx, lanes, most) })
}

func (w *wrapper) Check(ctx context.Context) ([]string, error) {
	return call(ctx, w.faults, "Check", func() ([]string, error) { return w.backend.Check(ctx) })
}

func (w *wrapper) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	return call(ctx, w.faults, "Cancel", func() (*task.Task, error) { return w.backend.Cancel(ctx, id, audit...) })
}

func (w *wrapper) Reschedule(ctx context.Context, id task.ID, at store.Time, audit ...store.Audit) (*task.Task, error) {
	return call(ctx, w.faults, "Reschedule", func() (*task.Task, error) { return w.backend.Reschedule(ctx, id, at, audit...) })
}

func (w *wrapper) Steer(ctx context.Context, steering store.Steering) ([]store.Steered, *store.Operation, error) {
	var put *store.Operation
	steered, err := call(ctx, w.faults, "Steer", func() (steered []store.Steered, err error) {
		steered, put, err = w.backend.Steer(ctx, steering)
		return steered, err
	})
	if err != nil {
		return nil, nil, err
	}
	return steered, put, nil
}

func (w *wrapper) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) ([]store.Redriven, []task.ID, error) {
	var missing []task.ID
	done, err := call(ctx, w.faults, "Redrive", func() (done []store.Redriven, err error) {
		done, missing, err = w.backend.Redrive(ctx, ids, options)
		return done, err
	})
	if err != nil {
		return nil, nil, err
	}
	return done, missing, nil
}

func (w *wrapper) Purge(ctx context.Context, filter store.Filter, limit int, audit ...store.Audit) ([]*task.Task, error) {
	return call(ctx, w.faults, "Purge", func() ([]*task.Task, error) { return w.backend.Purge(ctx, filter, limit, audit...) })
}

func (w *wrapper) ReleaseKey(ctx context.Context, queue, key string, audit ...store.Audit) (bool, error) {
	return call(ctx, w.faults, "ReleaseKey", func() (bool, error) { return w.backend.ReleaseKey(ctx, queue, key, audit...) })
}

func (w *wrapper) Cleanup(ctx context.Context, ended store.Time, limit int) (int, error) {
	return call(ctx, w.faults, "Cleanup", func() (int, error) { return w.backend.Cleanup(ctx, ended, limit) })
}

func (w *wrapper) PutQueue(ctx context.Context, queue store.Queue, audit ...store.Audit) (*store.Queue, error) {
	return call(ctx, w.faults, "PutQueue", func() (*store.Queue, error) { return w.backend.PutQueue(ctx, queue, audit...) })
}

func (w *wrapper) Queues(ctx context.Context) ([]store.Queue, error) {
	return call(ctx, w.faults, "Queues", func() ([]store.Queue, error) { return w.backend.Queues(ctx) })
}

func (w *wrapper) PauseQueue(ctx context.Context, name string, paused bool, audit ...store.Audit) (*store.Queue, error) {
	return call(ctx, w.faults, "PauseQueue", func() (*store.Queue, error) { return w.backend.PauseQueue(ctx, name, paused, audit...) })
}

func (w *wrapper) PutOperation(ctx context.Context, operation store.Operation, audit ...store.Audit) (*store.Operation, error) {
	return call(ctx, w.faults, "PutOperation", func() (*store.Operation, error) { return w.backend.PutOperation(ctx, operation, audit...) })
}

func (w *wrapper) Operation(ctx context.Context, id string) (*store.Operation, error) {
	return call(ctx, w.faults, "Operation", func() (*store.Operation, error) { return w.backend.Operation(ctx, id) })
}

func (w *wrapper) Operations(ctx context.Context, state store.OperationState, limit int) ([]store.Operation, error) {
	return call(ctx, w.faults, "Operations", func() ([]store.Operation, error) { return w.backend.Operations(ctx, state, limit) })
}

func (w *wrapper) PutTargetOrder(ctx context.Context, order store.TargetOrder, audit ...store.Audit) (*store.TargetOrder, error) {
	return call(ctx, w.faults, "PutTargetOrder", func() (*store.TargetOrder, error) { return w.backend.PutTargetOrder(ctx, order, audit...) })
}

func (w *wrapper) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	return call(ctx, w.faults, "Change", func() (*store.Changed, error) { return w.backend.Change(ctx, change) })
}

func (w *wrapper) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	return call(ctx, w.faults, "Objects", func() ([]store.Object, error) { return w.backend.Objects(ctx, kind) })
}

func (w *wrapper) Object(ctx context.Context, kind, name string) (*store.Object, error) {
	return call(ctx, w.faults, "Object", func() (*store.Object, error) { return w.backend.Object(ctx, kind, name) })
}

func (w *wrapper) ObjectVersions(ctx context.Context, kind, name string, limit int) ([]store.Object, error) {
	return call(ctx, w.faults, "ObjectVersions", func() ([]store.Object, error) { return w.backend.ObjectVersions(ctx, kind, name, limit) })
}

func (w *wrapper) Audit(ctx context.Context, filter store.AuditFilter, page store.Page) ([]store.Audit, string, error) {
	var next string
	rows, err := call(ctx, w.faults, "Audit", func() (rows []store.Audit, err error) {
		rows, next, err = w.backend.Audit(ctx, filter, page)
		return rows, err
	})
	if err != nil {
		return nil, "", err
	}
	return rows, next, nil
}

func (w *wrapper) TrimAudit(ctx context.Context, before store.Time, limit int) (int, error) {
	return call(ctx, w.faults, "TrimAudit", func() (int, error) { return w.backend.TrimAudit(ctx, before, limit) })
}

func (w *wrapper) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	return call(ctx, w.faults, "AddSteps", func() ([]store.Status, error) { return w.backend.AddSteps(ctx, steps) })
}

func (w *wrapper) Signal(ctx context.Context, step task.Step, audit ...store.Audit) (store.Signaled, error) {
	return call(ctx, w.faults, "Signal", func() (store.Signaled, error) { return w.backend.Signal(ctx, step, audit...) })
}

func (w *wrapper) StepsOf(ctx context.Context, ids []task.ID) ([]task.Step, error) {
	return call(ctx, w.faults, "StepsOf", func() ([]task.Step, error) { return w.backend.StepsOf(ctx, ids) })
}

func (w *wrapper) PutGroup(ctx context.Context, group task.Group, audit ...store.Audit) (*task.Group, error) {
	return call(ctx, w.faults, "PutGroup", func() (*task.Group, error) { return w.backend.PutGroup(ctx, group, audit...) })
}

func (w *wrapper) CloseGroup(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Group, error) {
	return call(ctx, w.faults, "CloseGroup", func() (*task.Group, error) { return w.backend.CloseGroup(ctx, id, audit...) })
}

func (w *wrapper) FinishGroup(ctx context.Context, id task.ID, counted task.GroupCounts, callback store.Insert) (*task.Group, error) {
	return call(ctx, w.faults, "FinishGroup", func() (*task.Group, error) { return w.backend.FinishGroup(ctx, id, counted, callback) })
}

func (w *wrapper) Group(ctx context.Context, id task.ID) (*task.Group, error) {
	return call(ctx, w.faults, "Group", func() (*task.Group, error) { return w.backend.Group(ctx, id) })
}

func (w *wrapper) Groups(ctx context.Context, state task.GroupState, before task.ID, limit int) ([]task.Group, error) {
	return call(ctx, w.faults, "Groups", func() ([]task.Group, error) { return w.backend.Groups(ctx, state, before, limit) })
}

func (w *wrapper) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	return call(ctx, w.faults, "Extend", func() ([]store.Extended, error) { return w.backend.Extend(ctx, items, lease) })
}
