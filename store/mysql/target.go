package mysql

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const (
	// selectOrders reads the orders that hold, and those given after a time.
	selectOrders = `SELECT target, action, at FROM outlast_target_order WHERE action = 'open' OR at > ? ORDER BY target`

	selectOrder = `SELECT target, action, at FROM outlast_target_order WHERE target = ?`
	countOpen   = `SELECT COUNT(*) FROM outlast_target_order WHERE action = 'open' AND target <> ?`

	// putOrder stores an order; its time is later than that of what it replaces.
	putOrder = `INSERT INTO outlast_target_order (target, action, at) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE action = VALUES(action), at = GREATEST(VALUES(at), at + 1)`

	// forgetOrders deletes those that happened once, at a time or before.
	forgetOrders = `DELETE FROM outlast_target_order WHERE action <> 'open' AND at <= ?`
)

// PutTargetOrder implements [store.Config].
func (s *Store) PutTargetOrder(ctx context.Context, order store.TargetOrder, audit ...store.Audit) (*store.TargetOrder, error) {
	if order.Target == "" {
		return nil, task.Invalid("target", "the target has no name", "")
	}
	if !order.Action.Valid() {
		return nil, task.Invalid("action", task.Quote(string(order.Action))+" is no action", "open, close or reset")
	}
	if err := check.Text("target", order.Target, 4*task.MaxName); err != nil {
		return nil, err
	}
	var stored store.TargetOrder
	err := s.write(ctx, "put_target_order", func(tx *tx) error {
		if order.Action == store.TargetOpen {
			var open int64
			if _, err := tx.first(countOpen, []any{&open}, order.Target); err != nil {
				return err
			}
			if open >= store.MostOrders {
				return &task.Error{Code: task.CodeConflict, Message: "too many targets are ordered open"}
			}
		}
		if _, err := tx.exec(putOrder, order.Target, string(order.Action), tx.now); err != nil {
			return err
		}
		if _, err := tx.exec(forgetOrders, tx.now-store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		if err := tx.each(selectOrder, func(rows *sql.Rows) (err error) {
			stored, err = scanOrder(rows)
			return err
		}, order.Target); err != nil {
			return err
		}
		return objects.Log(&tables{tx: tx}, audit, tx.time())
	})
	if err != nil {
		return nil, err
	}
	return &stored, nil
}

func scanOrder(rows *sql.Rows) (order store.TargetOrder, err error) {
	var at number
	err = rows.Scan(&order.Target, &order.Action, &at)
	order.At = at.time()
	return order, err
}

func (s *session) orders(since int64) (orders []store.TargetOrder, err error) {
	err = s.each(selectOrders, func(rows *sql.Rows) error {
		order, err := scanOrder(rows)
		orders = append(orders, order)
		return err
	}, since)
	return orders, err
}
