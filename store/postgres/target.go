package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

var (
	// selectOrders reads the orders that hold, and those given not long ago.
	selectOrders = newQuery(`SELECT target, action, at FROM outlast_target_order WHERE action = 'open' OR at > ` + nowMicro + ` - $2::bigint ORDER BY target`)

	countOpen = newQuery(`SELECT count(*) FROM outlast_target_order WHERE action = 'open' AND target <> $1::text`)

	// putOrder stores an order; its time is later than that of what it replaces.
	putOrder = newQuery(`INSERT INTO outlast_target_order AS o (target, action, at) VALUES ($1::text, $2::text, $3::bigint)
ON CONFLICT (target) DO UPDATE SET action = excluded.action, at = greatest(excluded.at, o.at + 1) RETURNING target, action, at`)

	// forgetOrders deletes those that happened once, long ago.
	forgetOrders = newQuery(`DELETE FROM outlast_target_order WHERE action <> 'open' AND at <= $1::bigint`)

	// lockOrders lets one at a time give an order, so that their number holds.
	lockOrders = newQuery(`LOCK TABLE outlast_target_order IN SHARE ROW EXCLUSIVE MODE`)
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
	err := s.write(ctx, func(t *tx) error {
		open := int64(0)
		if err := t.run(ctx, &call{query: lockOrders}, &call{query: countOpen, args: []any{order.Target}, scan: func(r row) error {
			open = r.int(0)
			return nil
		}}); err != nil {
			return err
		}
		if order.Action == store.TargetOpen && open >= store.MostOrders {
			return &task.Error{Code: task.CodeConflict, Message: "too many targets are ordered open"}
		}
		if err := t.run(ctx, &call{query: putOrder, args: []any{order.Target, string(order.Action), t.now}, scan: func(r row) error {
			stored = scanOrder(r)
			return nil
		}}, &call{query: forgetOrders, args: []any{t.now - store.OrderMemory.Microseconds()}}); err != nil {
			return err
		}
		return objects.Log(&tables{ctx, t}, audit, t.time())
	})
	if err != nil {
		return nil, err
	}
	return &stored, nil
}

func scanOrder(r row) store.TargetOrder {
	return store.TargetOrder{Target: r.text(0), Action: store.TargetAction(r.text(1)), At: r.time(2)}
}
