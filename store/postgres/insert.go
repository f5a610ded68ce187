package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// takeDedupe makes the entry of a dedupe key for a task that was just
	// inserted, unless there is one. Inputs: lane, queue, key, id, content, end
	// of the window.
	takeDedupe = wire.NewQuery(`INSERT INTO outlast_dedupe (lane, queue, key, id, content, expires)
VALUES ($1::integer, $2::text, $3::text, $4::uuid, $5::bytea, $6::bigint) ON CONFLICT (lane, queue, key) DO NOTHING`)

	// selectDedupe reads the entry of a dedupe key.
	selectDedupe = wire.NewQuery(`SELECT id, content FROM outlast_dedupe WHERE lane = $1::integer AND queue = $2::text AND key = $3::text`)

	// lockWait reads and sets how long the transaction waits for a lock.
	readLockWait = wire.NewQuery(`SELECT current_setting('lock_timeout')`)
	setLockWait  = wire.NewQuery(`SELECT set_config('lock_timeout', $1::text, true)`)
)

var (
	// expiredKey locks the entry of a dedupe key if its window has passed.
	// Inputs: lane, queue, key, now.
	expiredKey = wire.NewQuery(`SELECT id FROM outlast_dedupe WHERE lane = $1::integer AND queue = $2::text AND key = $3::text AND expires <= $4::bigint FOR UPDATE`)

	isLive = wire.NewQuery(`SELECT 1 FROM outlast_task WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// putKey gives an entry that is locked to another task. Inputs: those of
	// takeDedupe.
	putKey = wire.NewQuery(`UPDATE outlast_dedupe SET id = $4::uuid, content = $5::bytea, expires = $6::bigint WHERE lane = $1::integer AND queue = $2::text AND key = $3::text`)
)

// replaceKey takes a dedupe key from an entry whose window has passed, unless
// its task is live: by statements of their own, so that each sees what has been
// committed while the one before waited. The task may be of another lane.
func replaceKey(ctx context.Context, s wire.Session, now int64, item *store.Insert) (int64, error) {
	d := item.Dedupe
	var old task.ID
	expired, err := wire.One(ctx, s, expiredKey, func(r wire.Row) { old = r.ID(0) }, d.Lane, item.Task.Queue, d.Key, now)
	if err != nil || !expired {
		return 0, err
	}
	if live, err := wire.One(ctx, s, isLive, func(wire.Row) {}, old); err != nil || live {
		return 0, err
	}
	if t, ok := s.(*tx); ok && t.dated {
		if err := t.store.deadSince(ctx, old); err != nil {
			return 0, err
		}
	}
	return wire.Exec(ctx, s, putKey, d.Lane, item.Task.Queue, d.Key, item.Task.ID, d.Content[:], now+d.Window.Microseconds())
}

// dedupeWait is how long an enqueue waits for a dedupe key that another
// transaction holds.
const dedupeWait = "1s"

// busyRetry is when it makes sense to try again.
const busyRetry = time.Second

// insertAll is insertEach for tasks that may be members of groups, which are counted.
func insertAll(ctx context.Context, t *tx, items []store.Insert) (answers []store.Inserted, err error) {
	groups := grouped.Of(items)
	if len(groups) == 0 {
		return insertEach(ctx, t, t.store, t.now, items)
	}
	standings, err := sqlstore.Standings(t.reader(ctx), groups, !t.callers)
	if err != nil {
		return nil, err
	}
	if answers, err = insertEach(ctx, t, t.store, t.now, items); err != nil {
		return nil, err
	}
	isNew := func(i int) bool { return answers[i].Existing == nil }
	return answers, t.counts.Inserted(items, isNew, standings)
}

// insertEach inserts items in order, new or not, in a transaction. A
// *task.Error says which was refused; what was inserted before it must be
// undone. Items up to one whose id came before go together.
func insertEach(ctx context.Context, s wire.Session, own *Store, now int64, items []store.Insert) (answers []store.Inserted, err error) {
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

func insertDistinct(ctx context.Context, s wire.Session, own *Store, now int64, items []store.Insert) ([]store.Inserted, error) {
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
func dropEnded(ctx context.Context, s wire.Session, own *Store, made map[task.ID]store.Inserted, ended []task.ID) error {
	again := slices.DeleteFunc(ended, func(id task.ID) bool {
		_, ok := made[id]
		return !ok
	})
	if len(again) == 0 {
		return nil
	}
	var calls []*wire.Call
	for _, id := range again {
		delete(made, id)
	}
	for _, ids := range own.byLane(again) {
		calls = append(calls, &wire.Call{Query: deleteTasks, Args: []any{ids}})
	}
	return s.Run(ctx, calls...)
}

// answer finds the fate of each item: made here, there already, or a repeat
// of a dedupe key. Dedupe keys are taken in their order, so that nobody waits
// for each other.
func answer(ctx context.Context, s wire.Session, own *Store, now int64, items []store.Insert, made map[task.ID]store.Inserted) ([]store.Inserted, error) {
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

func takeKeys(ctx context.Context, s wire.Session, own *Store, now int64, items []store.Insert, keyed []int, answers []store.Inserted) error {
	if len(keyed) == 0 {
		return nil
	}
	before := ""
	err := s.Run(ctx, &wire.Call{Query: readLockWait, Scan: func(r wire.Row) error {
		before = r.Text(0)
		return nil
	}}, own.lockWait(dedupeWait))
	if err != nil {
		return err
	}
	for _, i := range keyed {
		existing, err := takeKey(ctx, s, own, now, &items[i])
		if wire.CodeOf(err) == wire.CodeLockTimeout {
			return &task.Error{Code: task.CodeDedupeBusy, Message: "another transaction holds the dedupe key", RetryAfter: busyRetry}
		}
		if err != nil {
			return err
		}
		if existing != nil {
			answers[i] = *existing
		}
	}
	return s.Run(ctx, own.lockWait(before))
}

// lockWait sets how long the transaction waits for a lock: with Citus on other
// machines too, which hear of it by a SET.
func (s *Store) lockWait(wait string) *wire.Call {
	if s.spread {
		return &wire.Call{Text: `SET LOCAL lock_timeout = '` + wait + `'`} // ours, or as the server says it
	}
	return &wire.Call{Query: setLockWait, Args: []any{wait}}
}

// takeKey takes the dedupe key of a task that was just inserted. If the key
// belongs to another one, the insert is undone and that one is the answer.
func takeKey(ctx context.Context, s wire.Session, own *Store, now int64, item *store.Insert) (*store.Inserted, error) {
	d := item.Dedupe
	n, err := wire.Exec(ctx, s, takeDedupe, d.Lane, item.Task.Queue, d.Key, item.Task.ID, d.Content[:], now+d.Window.Microseconds())
	if err == nil && n == 0 {
		n, err = replaceKey(ctx, s, now, item)
	}
	if err != nil || n == 1 {
		return nil, err
	}
	var id task.ID
	var content [16]byte
	found, err := wire.One(ctx, s, selectDedupe, func(r wire.Row) { id = r.ID(0); copy(content[:], r.Blob(1)) }, d.Lane, item.Task.Queue, d.Key)
	switch {
	case err != nil:
		return nil, err
	case !found: // it was cleaned up meanwhile
		return takeKey(ctx, s, own, now, item)
	}
	if err := check.SameKey(d, id, content); err != nil {
		return nil, err
	}
	if _, err := wire.Exec(ctx, s, deleteTasks, []task.ID{item.Task.ID}); err != nil {
		return nil, err
	}
	existing, err := get(ctx, s, id)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		existing, err = check.Forgotten(id, item.Task.Queue), nil
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
	return s.reserved(ctx, func(c *wire.Conn) error {
		for _, ids := range s.byLane(made) {
			if n, err := wire.Exec(ctx, c, endedOf, ids); err != nil || n > 0 {
				return cmp.Or(err, outdated("a task of the enqueue has ended since the transaction's snapshot"))
			}
		}
		return nil
	})
}

// deadSince fails if a task that is not live in the snapshot of a caller's
// transaction has come to life since, by a redrive.
func (s *Store) deadSince(ctx context.Context, id task.ID) error {
	return s.reserved(ctx, func(c *wire.Conn) error {
		live, err := wire.One(ctx, c, isLive, func(wire.Row) {}, id)
		if err == nil && live {
			err = outdated("the task of a dedupe key has come to life since the transaction's snapshot")
		}
		return err
	})
}

// outdated is the error by which callers know that a transaction has to begin
// again.
func outdated(message string) error {
	return &pgconn.PgError{Severity: "ERROR", Code: wire.CodeSerialization, Message: message}
}

// sameTask answers for an id that is there already.
func sameTask(ctx context.Context, s wire.Session, t *task.Task) (store.Inserted, error) {
	existing, err := get(ctx, s, t.ID)
	if err != nil {
		return store.Inserted{}, err
	}
	return store.Inserted{Existing: existing, Created: existing.CreatedAt}, check.Same(existing, t)
}

var liveOf = wire.NewQuery(`SELECT id FROM outlast_task WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

// entryOf reads whose a dedupe key is, and whether its window lasts. Inputs:
// what to add to the clock, lane, queue, key.
var entryOf = wire.NewQuery(`SELECT id, expires > ` + wire.NowMicro + ` FROM outlast_dedupe WHERE lane = $2::integer AND queue = $3::text AND key = $4::text`)

// knownAtOnce is how many items are looked up in one round trip.
const knownAtOnce = 500

// Known implements [store.Query].
func (s *Store) Known(ctx context.Context, items []store.Insert) (known []bool, err error) {
	err = s.lookUp(ctx, func(c wire.Session, _ int64) error {
		known = make([]bool, 0, len(items))
		for some := range slices.Chunk(items, knownAtOnce) {
			l := &lookUp{store: s, there: map[task.ID]bool{}, live: map[task.ID]bool{}, holders: map[int]task.ID{}}
			if err := l.run(ctx, c, some); err != nil {
				return err
			}
			known = append(known, l.known(some)...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return known, nil
}

// lookUp is what is known of items to insert.
type lookUp struct {
	store   *Store
	there   map[task.ID]bool
	live    map[task.ID]bool
	holders map[int]task.ID // by item: whose its dedupe key is; zero if its window lasts
}

func (l *lookUp) run(ctx context.Context, c wire.Session, items []store.Insert) error {
	wanted := make([]task.ID, len(items))
	var calls []*wire.Call
	for i := range items {
		wanted[i] = items[i].Task.ID
		if items[i].Dedupe != nil {
			calls = append(calls, l.entry(i, &items[i]))
		}
	}
	for _, ids := range l.store.byLane(wanted) {
		calls = append(calls, l.ids(liveOf, ids, l.there), l.ids(endedOf, ids, l.there))
	}
	if err := c.Run(ctx, calls...); err != nil {
		return err
	}
	return l.holdersLive(ctx, c)
}

func (l *lookUp) entry(at int, item *store.Insert) *wire.Call {
	return &wire.Call{Query: entryOf, Args: []any{l.store.offset(), item.Dedupe.Lane, item.Task.Queue, item.Dedupe.Key}, Scan: func(r wire.Row) error {
		if l.holders[at] = r.ID(0); r.Bool(1) {
			l.holders[at] = task.ID{}
		}
		return nil
	}}
}

func (l *lookUp) ids(query *wire.Query, ids []task.ID, found map[task.ID]bool) *wire.Call {
	return &wire.Call{Query: query, Args: []any{ids}, Scan: func(r wire.Row) error {
		found[r.ID(0)] = true
		return nil
	}}
}

// holdersLive finds out of entries whose window is over whether their tasks
// live, which may be of another lane.
func (l *lookUp) holdersLive(ctx context.Context, c wire.Session) error {
	var late []task.ID
	for _, id := range l.holders {
		if !id.IsZero() {
			late = append(late, id)
		}
	}
	if len(late) == 0 {
		return nil
	}
	var calls []*wire.Call
	for _, ids := range l.store.byLane(late) {
		calls = append(calls, l.ids(liveOf, ids, l.live))
	}
	return c.Run(ctx, calls...)
}

func (l *lookUp) known(items []store.Insert) []bool {
	known := make([]bool, len(items))
	for i := range items {
		holder, held := l.holders[i]
		known[i] = l.there[items[i].Task.ID] || held && (holder.IsZero() || l.live[holder])
	}
	return known
}
