package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// selectOrders reads the orders that hold, and those given after a time.
	selectOrders = query(`SELECT target, action, at FROM outlast_target_order WHERE action = 'open' OR at > $1::bigint ORDER BY target`)

	selectOrder = query(`SELECT target, action, at FROM outlast_target_order WHERE target = $1::text`)
	countOpen   = query(`SELECT count(*) FROM outlast_target_order WHERE action = 'open' AND target <> $1::text`)
	addOrder    = query(`INSERT INTO outlast_target_order (target, action, at) VALUES ($1::text, $2::text, $3::bigint)`)
	setOrder    = query(`UPDATE outlast_target_order SET action = $2::text, at = $3::bigint WHERE target = $1::text`)

	// forgetOrders deletes those that happened once, at a time or before.
	forgetOrders = query(`DELETE FROM outlast_target_order WHERE action <> 'open' AND at <= $1::bigint`)
)

func scanOrder(r Row) store.TargetOrder {
	return store.TargetOrder{Target: r.Text(0), Action: store.TargetAction(r.Text(1)), At: r.Time(2)}
}

// PutTargetOrder implements [store.Config].
func (c Cold) PutTargetOrder(ctx context.Context, order store.TargetOrder, audit ...store.Audit) (*store.TargetOrder, error) {
	if order.Target == "" {
		return nil, task.Invalid("target", "the target has no name", "")
	}
	if !order.Action.Valid() {
		return nil, task.Invalid("action", task.Quote(string(order.Action))+" is not an action", "open, close or reset")
	}
	if err := check.Text("target", order.Target, 4*task.MaxName); err != nil {
		return nil, err
	}
	return writing(ctx, c, "put_target_order", func(tx Tx) (*store.TargetOrder, error) {
		if err := putOrder(tx, &order); err != nil {
			return nil, err
		}
		return &order, Log(tx, audit)
	})
}

// putOrder stores an order. Its time is later than that of what it replaces.
func putOrder(tx Tx, order *store.TargetOrder) error {
	if _, err := lockConfig(tx); err != nil { // their number holds
		return err
	}
	var open []int64
	var old []store.TargetOrder
	if err := tx.Run(into(&open, countOpen, intOf, order.Target), into(&old, selectOrder, scanOrder, order.Target)); err != nil {
		return err
	}
	if order.Action == store.TargetOpen && open[0] >= store.MostOrders {
		return &task.Error{Code: task.CodeConflict, Message: "too many targets are ordered open"}
	}
	put, at := addOrder, tx.Now
	if len(old) > 0 {
		put, at = setOrder, max(at, old[0].At.UnixMicro()+1)
	}
	order.At = stored.Time(at)
	return tx.Run(&Call{Query: put, Args: []any{order.Target, string(order.Action), at}},
		&Call{Query: forgetOrders, Args: []any{tx.Now - store.OrderMemory.Microseconds()}})
}
