package sealed_test

import (
	"context"
	"reflect"
	"runtime"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// fileOf is the file in which a method was written.
func fileOf(method reflect.Method) string {
	file, _ := runtime.FuncForPC(method.Func.Pointer()).FileLine(method.Func.Pointer())
	return file
}

// quietStore answers at once, without allocating.
type quietStore struct {
	store.Backend
	claimed store.Claimed
}

func (q *quietStore) Claim(context.Context, store.Claim) (store.Claimed, error) {
	return q.claimed, nil
}

func (q *quietStore) Enqueue(context.Context, []store.Batch) ([]store.BatchResult, error) {
	return nil, nil
}

func (q *quietStore) Settle(context.Context, []store.Settlement) ([]store.Settled, error) {
	return nil, nil
}

// changedStore hands out a task as somebody has changed it in the database.
type changedStore struct {
	store.Backend
	change func(*task.Task)
}

func (c *changedStore) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	claimed, err := c.Backend.Claim(ctx, claim)
	for _, t := range claimed.Tasks {
		c.change(t)
	}
	return claimed, err
}

func (c *changedStore) Get(ctx context.Context, id task.ID) (*task.Task, error) {
	t, err := c.Backend.Get(ctx, id)
	if t != nil {
		c.change(t)
	}
	return t, err
}
