package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const (
	defaultLanes  = 8
	maxQueueLanes = 256
	maxLanes      = 1 << 16
)

// PutQueue implements [store.Config]. A change with no lanes leaves them.
func (s *Store) PutQueue(ctx context.Context, given store.Queue, audit ...store.Audit) (*store.Queue, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if err := objects.CheckAudit(audit); err != nil {
		return nil, err
	}
	var before *store.Queue
	q := d.queues[given.Name]
	if q != nil {
		was := q.Queue
		before = &was
	}
	if q == nil {
		q = &queue{}
		given.Lanes = cmp.Or(given.Lanes, defaultLanes)
		given.KeyLanes = given.Lanes
	} else {
		given.Lanes, given.KeyLanes = cmp.Or(given.Lanes, q.Lanes), q.KeyLanes
	}
	if err := d.checkQueue(given, len(q.Numbers)); err != nil {
		return nil, err
	}
	given.Numbers = q.Numbers
	for len(given.Numbers) < given.Lanes {
		number := uint16(len(d.lanes))
		d.lanes = append(d.lanes, newLane(number, given.Name))
		given.Numbers = append(given.Numbers, number)
	}
	given.Weight, given.UnknownType = cmp.Or(given.Weight, 1), cmp.Or(given.UnknownType, "park")
	given.Pending, given.UpdatedAt = 0, now
	q.Queue = given
	d.queues[given.Name] = q
	s.commit()
	out := s.data.cloneQueue(q)
	return &out, d.log(store.AuditQueue(audit, before, &out), now)
}

func (d *data) checkQueue(given store.Queue, lanes int) error {
	switch {
	case given.Name == "":
		return task.Invalid("name", "a queue needs a name", "")
	case given.Lanes < 1 || given.Lanes > maxQueueLanes:
		return task.Invalid("lanes", "a queue has 1 to 256 lanes", "")
	case given.Lanes < lanes:
		return task.Invalid("lanes", "the lanes of a queue can only be raised", "")
	case len(d.lanes)+given.Lanes-lanes > maxLanes:
		return task.Invalid("lanes", "all queues together have at most 65536 lanes", "")
	}
	return nil
}

// Queues implements [store.Config].
func (s *Store) Queues(ctx context.Context) ([]store.Queue, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	return s.data.sortedQueues(), nil
}

func (d *data) sortedQueues() []store.Queue {
	var out []store.Queue
	for _, name := range sortedKeys(d.queues) {
		out = append(out, d.cloneQueue(d.queues[name]))
	}
	return out
}

func (d *data) cloneQueue(q *queue) store.Queue {
	out := q.Queue
	out.Numbers = slices.Clone(q.Numbers)
	if q.MaxPending > 0 {
		out.Pending = min(d.backlog(q.Numbers).Pending, q.MaxPending)
	}
	return out
}

// PauseQueue implements [store.Config].
func (s *Store) PauseQueue(ctx context.Context, name string, paused bool, audit ...store.Audit) (*store.Queue, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	q := s.data.queues[name]
	if q == nil {
		return nil, task.NotFound("queue", name)
	}
	if err := objects.CheckAudit(audit); err != nil {
		return nil, err
	}
	before := q.Queue
	q.Paused, q.UpdatedAt = paused, now
	s.commit()
	out := s.data.cloneQueue(q)
	return &out, s.data.log(store.AuditQueue(audit, &before, &out), now)
}

// PutOperation implements [store.Config].
func (s *Store) PutOperation(ctx context.Context, given store.Operation, audit ...store.Audit) (*store.Operation, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	if given.ID == "" {
		return nil, task.Invalid("id", "an operation needs an id", "")
	}
	if err := s.data.isCurrent(&given); err != nil {
		return nil, err
	}
	if err := s.data.log(audit, now); err != nil {
		return nil, err
	}
	out := s.data.putOperation(given, now)
	s.commit()
	return out, nil
}

// isCurrent refuses an operation that another has changed.
func (d *data) isCurrent(given *store.Operation) error {
	if old, ok := d.operations[given.ID]; ok && old.Version != given.Version {
		return &task.Error{Code: task.CodeConflict, Message: "the operation " + task.Quote(given.ID) + " was changed by another"}
	}
	return nil
}

// putOperation stores an operation that is current.
func (d *data) putOperation(given store.Operation, now time.Time) *store.Operation {
	given = cloneOperation(given)
	given.CreatedAt = orElse(given.CreatedAt, now)
	if old, ok := d.operations[given.ID]; ok {
		given.CreatedAt = old.CreatedAt
	}
	given.Version++
	given.UpdatedAt, given.FinishedAt = now, micros(given.FinishedAt)
	d.operations[given.ID] = given
	out := cloneOperation(given)
	return &out
}

// Operation implements [store.Config].
func (s *Store) Operation(ctx context.Context, id string) (*store.Operation, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	operation, ok := s.data.operations[id]
	if !ok {
		return nil, task.NotFound("operation", id)
	}
	out := cloneOperation(operation)
	return &out, nil
}

// Operations implements [store.Config].
func (s *Store) Operations(ctx context.Context, state store.OperationState, limit int) ([]store.Operation, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	var out []store.Operation
	for _, operation := range s.data.operations {
		if state == "" || operation.State == state {
			out = append(out, cloneOperation(operation))
		}
	}
	slices.SortFunc(out, func(a, b store.Operation) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), bytes.Compare([]byte(b.ID), []byte(a.ID)))
	})
	return out[:min(len(out), max(0, limit))], nil
}

// PutTargetOrder implements [store.Config].
func (s *Store) PutTargetOrder(ctx context.Context, order store.TargetOrder, audit ...store.Audit) (*store.TargetOrder, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if order.Target == "" {
		return nil, task.Invalid("target", "the target has no name", "")
	}
	if !order.Action.Valid() {
		return nil, task.Invalid("action", task.Quote(string(order.Action))+" is not an action", "open, close or reset")
	}
	if err := objects.CheckAudit(audit); err != nil {
		return nil, err
	}
	old, replaces := d.orders[order.Target]
	if order.Action == store.TargetOpen && old.Action != store.TargetOpen && d.openOrders() >= store.MostOrders {
		return nil, &task.Error{Code: task.CodeConflict, Message: "too many targets are ordered open"}
	}
	if order.At = now; replaces && !now.After(old.At) {
		order.At = old.At.Add(time.Microsecond)
	}
	d.orders[order.Target] = order
	for target, order := range d.orders {
		if !remembered(order, now.Add(-store.OrderMemory)) {
			delete(d.orders, target)
		}
	}
	s.commit()
	return &order, d.log(audit, now)
}

// remembered reports whether an order still holds, or happened since.
func remembered(order store.TargetOrder, since time.Time) bool {
	return order.Action == store.TargetOpen || order.At.After(since)
}

func (d *data) openOrders() (count int) {
	for _, order := range d.orders {
		if order.Action == store.TargetOpen {
			count++
		}
	}
	return count
}

func (d *data) ordersSince(since time.Time) (orders []store.TargetOrder) {
	for _, target := range sortedKeys(d.orders) {
		if order := d.orders[target]; remembered(order, since) {
			orders = append(orders, order)
		}
	}
	return orders
}
