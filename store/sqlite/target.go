package sqlite

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

var (
	// selectOrders reads the orders that hold, and those given after ?1.
	selectOrders = &query{sql: `SELECT target, action, at FROM outlast_target_order WHERE action = 'open' OR at > ?1 ORDER BY target`}

	selectOrder = &query{sql: `SELECT target, action, at FROM outlast_target_order WHERE target = ?`}
	countOpen   = &query{sql: `SELECT count(*) FROM outlast_target_order WHERE action = 'open' AND target <> ?`}

	// putOrder stores an order; its time is later than that of what it replaces.
	putOrder = &query{sql: `INSERT INTO outlast_target_order (target, action, at) VALUES (?1, ?2, ?3)
ON CONFLICT (target) DO UPDATE SET action = ?2, at = max(?3, at + 1)`}

	// forgetOrders deletes those that happened once, at ?1 or before.
	forgetOrders = &query{sql: `DELETE FROM outlast_target_order WHERE action <> 'open' AND at <= ?1`}
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
			if _, err := one(tx, countOpen, func(r row) { open = r.int(0) }, order.Target); err != nil {
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
		if _, err := one(tx, selectOrder, func(r row) { stored = scanOrder(r) }, order.Target); err != nil {
			return err
		}
		return objects.Log(tables{tx}, audit, tx.time())
	})
	if err != nil {
		return nil, err
	}
	return &stored, nil
}

func scanOrder(r row) store.TargetOrder {
	return store.TargetOrder{Target: r.text(0), Action: store.TargetAction(r.text(1)), At: r.time(2)}
}

func readOrders(s session, since int64) (orders []store.TargetOrder, err error) {
	err = s.each(selectOrders, func(r row) error {
		orders = append(orders, scanOrder(r))
		return nil
	}, since)
	return orders, err
}

// targetsText is what a node says of targets as it is stored; nil for nothing.
func targetsText(targets []store.Target) (any, error) {
	if len(targets) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(targets)
	return string(text), err
}
