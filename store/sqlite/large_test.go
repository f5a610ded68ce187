package sqlite_test

import (
	"bytes"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Large payloads are not held in memory while a list looks for its page: the driver's
// memory ended there, and the store's readers with it.
func TestListOfLargePayloads(t *testing.T) {
	f := newFixture(t, 1)
	payload := append(append([]byte{'"'}, bytes.Repeat([]byte("x"), 1<<20-2)...), '"')
	for range 40 {
		large := f.task(0)
		large.Payload = payload
		f.insert(large)
	}
	for _, filter := range []store.Filter{{State: task.Pending}, {Live: true}, {}} {
		found, next, err := f.Find(f.ctx, filter, store.Page{Limit: 20})
		if err != nil || len(found) != 8 || next == "" { // 8 MiB
			t.Fatalf("%+v: %d tasks, %q, %v", filter, len(found), next, err)
		}
		bare, next, err := f.Find(f.ctx, filter, store.Page{Limit: 500, Bare: true})
		if err != nil || len(bare) != 40 || next != "" {
			t.Fatalf("%+v: %d bare tasks, %q, %v", filter, len(bare), next, err)
		}
		for i, one := range found[1:] {
			if one.ID.Compare(found[i].ID) >= 0 || !bytes.Equal(one.Payload, payload) {
				t.Fatalf("%+v: task %d is not the next", filter, i)
			}
		}
	}
}
