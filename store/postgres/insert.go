package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var (
	// takeDedupe makes the entry of a dedupe key for a task that was just
	// inserted, unless there is one. Inputs: lane, queue, key, id, content, end
	// of the window.
	takeDedupe = newQuery(`INSERT INTO outlast_dedupe (lane, queue, key, id, content, expires)
VALUES ($1::integer, $2::text, $3::text, $4::uuid, $5::bytea, $6::bigint) ON CONFLICT (lane, queue, key) DO NOTHING`)

	// selectDedupe reads the entry of a dedupe key.
	selectDedupe = newQuery(`SELECT id, content FROM outlast_dedupe WHERE lane = $1::integer AND queue = $2::text AND key = $3::text`)

	// lockWait reads and sets how long the transaction waits for a lock.
	readLockWait = newQuery(`SELECT current_setting('lock_timeout')`)
	setLockWait  = newQuery(`SELECT set_config('lock_timeout', $1::text, true)`)
)

var (
	// expiredKey locks the entry of a dedupe key if its window has passed.
	// Inputs: lane, queue, key, now.
	expiredKey = newQuery(`SELECT id FROM outlast_dedupe WHERE lane = $1::integer AND queue = $2::text AND key = $3::text AND expires <= $4::bigint FOR UPDATE`)

	isLive = newQuery(`SELECT 1 FROM outlast_task WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// putKey gives an entry that is locked to another task. Inputs: those of
	// takeDedupe.
	putKey = newQuery(`UPDATE outlast_dedupe SET id = $4::uuid, content = $5::bytea, expires = $6::bigint WHERE lane = $1::integer AND queue = $2::text AND key = $3::text`)
)

// replaceKey takes a dedupe key from an entry whose window has passed, unless
// its task is live: by statements of their own, so that each sees what has been
// committed while the one before waited. The task may be of another lane.
func replaceKey(ctx context.Context, s session, now int64, item *store.Insert) (int64, error) {
	d := item.Dedupe
	var old task.ID
	expired, err := one(ctx, s, expiredKey, func(r row) { old = r.ID(0) }, d.Lane, item.Task.Queue, d.Key, now)
	if err != nil || !expired {
		return 0, err
	}
	if live, err := one(ctx, s, isLive, func(row) {}, old); err != nil || live {
		return 0, err
	}
	if t, ok := s.(*tx); ok && t.dated {
		if err := t.store.deadSince(ctx, old); err != nil {
			return 0, err
		}
	}
	return exec(ctx, s, putKey, d.Lane, item.Task.Queue, d.Key, item.Task.ID, d.Content[:], now+d.Window.Microseconds())
}

// dedupeWait is how long an enqueue waits for a dedupe key that another
// transaction holds.
const dedupeWait = "1s"

// busyRetry is when it makes sense to try again.
const busyRetry = time.Second

// insertAll inserts items in order, new or not, in a transaction. A
// *task.Error says which was refused; what was inserted before it must be
// undone. Items up to one whose id came before go together.
func insertAll(ctx context.Context, s session, own *Store, now int64, items []store.Insert) (answers []store.Inserted, err error) {
	for len(items) > 0 {
		seen, n := make(map[task.ID]bool, len(items)), 0
		for n < len(items) && !seen[items[n].Task.ID] {
			seen[items[n].Task.ID] = true
			n++
		}
		some, err := insertDistinct(ctx, s, own, now, items[:n])
		if err != nil {
			return nil, err
		}
		answers, items = append(answers, some...), items[n:]
	}
	return answers, nil
}

func insertDistinct(ctx context.Context, s session, own *Store, now int64, items []store.Insert) ([]store.Inserted, error) {
	in, err := newInserts(items)
	if err != nil {
		return nil, err
	}
	made, ended, err := in.insertUnless(ctx, s, own, now)
	if err != nil {
		return nil, err
	}
	if err := dropEnded(ctx, s, own, made, ended); err != nil {
		return nil, err
	}
	return answer(ctx, s, own, now, items, made)
}

// dropEnded undoes the insert of tasks that have ended before.
func dropEnded(ctx context.Context, s session, own *Store, made map[task.ID]store.Inserted, ended []task.ID) error {
	again := slices.DeleteFunc(ended, func(id task.ID) bool {
		_, ok := made[id]
		return !ok
	})
	if len(again) == 0 {
		return nil
	}
	var calls []*call
	for _, id := range again {
		delete(made, id)
	}
	for _, ids := range own.byLane(again) {
		calls = append(calls, &call{query: deleteTasks, args: []any{ids}})
	}
	return s.run(ctx, calls...)
}

// answer finds the fate of each item: made here, there already, or a repeat
// of a dedupe key. Dedupe keys are taken in their order, so that nobody waits
// for each other.
func answer(ctx context.Context, s session, own *Store, now int64, items []store.Insert, made map[task.ID]store.Inserted) ([]store.Inserted, error) {
	answers := make([]store.Inserted, len(items))
	var keyed []int
	var refused error
	for i := range items {
		t := items[i].Task
		fresh, ok := made[t.ID]
		if !ok {
			if answers[i], refused = sameTask(ctx, s, t); refused != nil {
				break // unless a dedupe key before it is refused
			}
			continue
		}
		answers[i] = fresh
		if items[i].Dedupe != nil {
			keyed = append(keyed, i)
		}
	}
	slices.SortStableFunc(keyed, func(a, b int) int { return compareDedupe(&items[a], &items[b]) })
	return answers, cmp.Or(takeKeys(ctx, s, own, now, items, keyed, answers), refused)
}

func compareDedupe(a, b *store.Insert) int {
	return cmp.Or(cmp.Compare(a.Dedupe.Lane, b.Dedupe.Lane), cmp.Compare(a.Task.Queue, b.Task.Queue), cmp.Compare(a.Dedupe.Key, b.Dedupe.Key))
}

func takeKeys(ctx context.Context, s session, own *Store, now int64, items []store.Insert, keyed []int, answers []store.Inserted) error {
	if len(keyed) == 0 {
		return nil
	}
	before := ""
	err := s.run(ctx, &call{query: readLockWait, scan: func(r row) error {
		before = r.Text(0)
		return nil
	}}, own.lockWait(dedupeWait))
	if err != nil {
		return err
	}
	for _, i := range keyed {
		existing, err := takeKey(ctx, s, own, now, &items[i])
		if codeOf(err) == codeLockTimeout {
			return &task.Error{Code: task.CodeDedupeBusy, Message: "another transaction holds the dedupe key", RetryAfter: busyRetry}
		}
		if err != nil {
			return err
		}
		if existing != nil {
			answers[i] = *existing
		}
	}
	return s.run(ctx, own.lockWait(before))
}

// lockWait sets how long the transaction waits for a lock: with Citus on other
// machines too, which hear of it by a SET.
func (s *Store) lockWait(wait string) *call {
	if s.spread {
		return &call{text: `SET LOCAL lock_timeout = '` + wait + `'`} // ours, or as the server says it
	}
	return &call{query: setLockWait, args: []any{wait}}
}

// takeKey takes the dedupe key of a task that was just inserted. If the key
// belongs to another one, the insert is undone and that one is the answer.
func takeKey(ctx context.Context, s session, own *Store, now int64, item *store.Insert) (*store.Inserted, error) {
	d := item.Dedupe
	n, err := exec(ctx, s, takeDedupe, d.Lane, item.Task.Queue, d.Key, item.Task.ID, d.Content[:], now+d.Window.Microseconds())
	if err == nil && n == 0 {
		n, err = replaceKey(ctx, s, now, item)
	}
	if err != nil || n == 1 {
		return nil, err
	}
	var id task.ID
	var content []byte
	found, err := one(ctx, s, selectDedupe, func(r row) { id, content = r.ID(0), r.Blob(1) }, d.Lane, item.Task.Queue, d.Key)
	switch {
	case err != nil:
		return nil, err
	case !found: // it was cleaned up meanwhile
		return takeKey(ctx, s, own, now, item)
	case !bytes.Equal(content, d.Content[:]):
		return nil, &task.Error{Code: task.CodeDedupeConflict, Message: "the dedupe key belongs to a task of other content", Existing: id}
	}
	if _, err := exec(ctx, s, deleteTasks, []task.ID{item.Task.ID}); err != nil {
		return nil, err
	}
	existing, err := get(ctx, s, id)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		// It ended and its retention has passed, but not the dedupe window.
		existing, err = &task.Task{ID: id, Queue: item.Task.Queue, State: task.Succeeded, CreatedAt: id.Time()}, nil
	}
	if err != nil {
		return nil, err
	}
	return &store.Inserted{Existing: existing, Created: existing.CreatedAt}, nil
}

// noneEndedSince fails if a task that was inserted in a caller's transaction has
// ended since the snapshot of that: it looks on a connection of the store's own.
// The caller's transaction must begin again, as after any conflict.
func (s *Store) noneEndedSince(ctx context.Context, items []store.Insert, answers []store.Inserted) error {
	var made []task.ID
	for i := range answers {
		if answers[i].Existing == nil {
			made = append(made, items[i].Task.ID)
		}
	}
	return s.reserved(ctx, func(c *conn) error {
		for _, ids := range s.byLane(made) {
			if n, err := exec(ctx, c, endedOf, ids); err != nil || n > 0 {
				return cmp.Or(err, outdated("a task of the enqueue has ended since the transaction's snapshot"))
			}
		}
		return nil
	})
}

// deadSince fails if a task that is not live in the snapshot of a caller's
// transaction has come to life since, by a redrive.
func (s *Store) deadSince(ctx context.Context, id task.ID) error {
	return s.reserved(ctx, func(c *conn) error {
		live, err := one(ctx, c, isLive, func(row) {}, id)
		if err == nil && live {
			err = outdated("the task of a dedupe key has come to life since the transaction's snapshot")
		}
		return err
	})
}

// outdated is the error by which callers know that a transaction has to begin
// again.
func outdated(message string) error {
	return &pgconn.PgError{Severity: "ERROR", Code: codeSerialization, Message: message}
}

// sameTask answers for an id that is there already.
func sameTask(ctx context.Context, s session, t *task.Task) (store.Inserted, error) {
	existing, err := get(ctx, s, t.ID)
	if err != nil {
		return store.Inserted{}, err
	}
	if !store.SameContent(existing, t) {
		return store.Inserted{}, &task.Error{Code: task.CodeIDConflict, Message: "the id belongs to a task of other content", Existing: t.ID}
	}
	return store.Inserted{Existing: existing, Created: existing.CreatedAt}, nil
}
