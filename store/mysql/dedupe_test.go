package mysql_test

import (
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/storetest"
	"github.com/outlast-dev/outlast/task"
)

// deduped is a batch of one new task with a dedupe key.
func (f *fixture) deduped(key string, content byte) store.Batch {
	one := f.task(0)
	return store.Batch{Items: []store.Insert{{Task: one, Dedupe: &store.Dedupe{
		Lane: one.ID.Lane(), Key: key, Window: time.Hour, Content: [16]byte{content},
	}}}}
}

// TestSinglesWithDedupeKeysShareACommit has new keys, repeated ones and ones of
// other content in one call: each gets its own answer.
func TestSinglesWithDedupeKeysShareACommit(t *testing.T) {
	var commits atomic.Int64
	f := newFixtureOn(t, newDatabase(t, options), 2, mysql.WithHook(func(point string) {
		if point == "enqueue.after_commit" {
			commits.Add(1)
		}
	}))
	var batches []store.Batch
	for i := range 30 {
		key := fmt.Sprint("k", i)
		batches = append(batches, f.deduped(key, 1), f.deduped(key, 1), f.deduped(key, 2))
	}
	for round := range 2 {
		results, err := f.s.Enqueue(t.Context(), batches)
		f.ok(err)
		for i := range results {
			first := batches[i/3*3].Items[0].Task.ID
			switch conflict := new(task.Error); {
			case i%3 == 2:
				if !errors.As(results[i].Err, &conflict) || conflict.Code != task.CodeDedupeConflict || conflict.Existing != first {
					t.Errorf("other content: %+v", results[i])
				}
			case results[i].Err != nil:
				t.Error(results[i].Err)
			case i%3 == 0 && round == 0:
				if results[i].Items[0].Entry.ID != first {
					t.Errorf("a new key: %+v", results[i].Items[0])
				}
			default:
				if existing := results[i].Items[0].Existing; existing == nil || existing.ID != first {
					t.Errorf("a repeated key: %+v", results[i].Items[0])
				}
			}
		}
	}
	if n := commits.Load(); n != 2 {
		t.Errorf("two calls took %d commits", n)
	}
	storetest.CheckInvariants(t, f.s)
}

// TestALockedDedupeKeyCostsItsCallerOnly: the others of its call get in.
func TestALockedDedupeKeyCostsItsCallerOnly(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 1)
	tx, err := d.Begin()
	f.ok(err)
	_, err = f.s.EnqueueTx(t.Context(), tx, f.deduped("locked", 1).Items)
	f.ok(err)
	batches := []store.Batch{f.deduped("a", 1), f.deduped("locked", 1), f.deduped("z", 1)}
	results, err := f.s.Enqueue(t.Context(), batches)
	f.ok(err)
	f.ok(errors.Join(results[0].Err, results[2].Err))
	if !errors.Is(results[1].Err, &task.Error{Code: task.CodeDedupeBusy}) {
		t.Errorf("the locked key: %+v", results[1])
	}
	f.ok(tx.Rollback())
	results, err = f.s.Enqueue(t.Context(), batches[1:2])
	f.ok(err)
	if results[0].Err != nil || results[0].Items[0].Existing != nil {
		t.Errorf("after the rollback: %+v", results[0])
	}
	storetest.CheckInvariants(t, f.s)
}

// A key belongs to the task that lives, also for a transaction whose snapshot is
// older than the task, after the window.
func TestDedupeKeyOfALiveTaskUnderAnOldSnapshot(t *testing.T) {
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable} {
		d := newDatabase(t, options)
		f := newFixtureOn(t, d, 1)
		tx, err := d.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
		f.ok(err)
		var n int
		f.ok(tx.QueryRow("select count(*) from outlast_counter").Scan(&n))
		one := f.task(0)
		one.RunAt = time.Now().Add(time.Hour) // live for long
		dedupe := &store.Dedupe{Lane: one.ID.Lane(), Key: "k", Window: time.Millisecond}
		results, err := f.s.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{{Task: one, Dedupe: dedupe}}}})
		f.ok(err)
		f.ok(results[0].Err)
		time.Sleep(20 * time.Millisecond) // sleep: the window is that of the server's clock
		two := f.task(0)
		inserted, err := f.s.EnqueueTx(t.Context(), tx, []store.Insert{{Task: two, Dedupe: dedupe}})
		f.ok(err)
		f.ok(tx.Commit())
		if inserted[0].Existing == nil {
			t.Errorf("%s: the dedupe key of a live task was given to another one", level)
		}
	}
}
