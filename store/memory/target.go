package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

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
		return nil, task.Invalid("action", task.Quote(string(order.Action))+" is no action", "open, close or reset")
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
