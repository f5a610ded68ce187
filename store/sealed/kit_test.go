package sealed_test

import (
	"context"
	"reflect"
	"runtime"

	"github.com/outlast-dev/outlast/store"
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
