package mysql

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockDedupe locks the entries of some keys that are there, and reads them
	// with the states of their tasks, null if gone. At READ COMMITTED it locks
	// nothing of those that are not there. Each is looked up by its whole key:
	// of a condition, a server might walk over all entries of a queue, and wait
	// for those of others. The state is the present one, whatever older snapshot
	// the transaction of a caller has.
	lockDedupe = `SELECT d.lane, d.queue, d.dedupe_key, d.id, d.content, d.expires, (SELECT t.state FROM outlast_task t WHERE t.id = d.id LOCK IN SHARE MODE)
FROM (@keys) w STRAIGHT_JOIN outlast_dedupe d FORCE INDEX (PRIMARY) ON d.lane = w.lane AND d.queue = w.queue AND d.dedupe_key = w.dedupe_key FOR UPDATE`

	dedupeKey = `SELECT ? AS lane, ? AS queue, ? AS dedupe_key`

	// keysAtOnce is how many keys lockDedupe takes.
	keysAtOnce = 100

	// addDedupe makes entries that were absent; another caller may be quicker.
	addDedupe = `INSERT INTO outlast_dedupe (lane, queue, dedupe_key, id, content, expires) VALUES `

	// setDedupe replaces entries that are locked and over.
	setDedupe = ` ON DUPLICATE KEY UPDATE id = VALUES(id), content = VALUES(content), expires = VALUES(expires)`
)

// entryKey names an entry for a dedupe key.
type entryKey struct {
	lane       uint16
	queue, key string
}

func (k entryKey) compare(other entryKey) int {
	return cmp.Or(cmp.Compare(k.lane, other.lane), cmp.Compare(k.queue, other.queue), cmp.Compare(k.key, other.key))
}

func entryKeyOf(item *store.Insert) entryKey {
	return entryKey{item.Dedupe.Lane, item.Task.Queue, item.Dedupe.Key}
}

// dedupeEntry is an entry as it is locked.
type dedupeEntry struct {
	there, alive bool
	mine         bool // made by this call
	id           task.ID
	content      [16]byte
}

// lockEntries locks the entries of all dedupe keys, in order. In a caller's
// transaction it looks at none: see insertHere.
func (tx *tx) lockEntries(rows []*newRow) (map[entryKey]*dedupeEntry, error) {
	entries := map[entryKey]*dedupeEntry{}
	var keys []entryKey
	for _, row := range rows {
		if row.item.Dedupe == nil {
			continue
		}
		if key := entryKeyOf(row.item); entries[key] == nil {
			entries[key], keys = &dedupeEntry{}, append(keys, key)
		}
	}
	if tx.foreign {
		return entries, nil
	}
	slices.SortFunc(keys, entryKey.compare)
	for portion := range slices.Chunk(keys, keysAtOnce) {
		if err := tx.lockSome(portion, entries); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func (tx *tx) lockSome(keys []entryKey, entries map[entryKey]*dedupeEntry) error {
	args := make([]any, 0, 3*len(keys))
	for _, key := range keys {
		args = append(args, key.lane, key.queue, key.key)
	}
	return busyKey(tx.each(strings.Replace(lockDedupe, "@keys", keyList(len(keys)), 1), func(rows *sql.Rows) error {
		var key entryKey
		entry := &dedupeEntry{there: true}
		var content []byte
		var expires int64
		var state sql.NullInt64
		err := rows.Scan(&key.lane, &key.queue, &key.key, (*identity)(&entry.id), &content, &expires, &state)
		copy(entry.content[:], content)
		entry.alive = expires > tx.now || state.Valid && state.Int64 == live
		entries[key] = entry
		return err
	}, args...))
}

// keyList is a table of so many keys, to be looked up one by one.
func keyList(n int) string {
	return strings.TrimSuffix(strings.Repeat(dedupeKey+" UNION ALL ", n), " UNION ALL ")
}

// busyKey is the answer where another caller holds a dedupe key for longer
// than a second.
func busyKey(err error) error {
	if numbered(err) != lockTimeout {
		return err
	}
	return &task.Error{Code: task.CodeDedupeBusy, Message: "another caller holds the dedupe key", Hint: "try again", Err: err}
}

// putEntries gives the dedupe keys of new tasks to them, in the order of keys.
// lost says that another caller was quicker with one, whose entry is locked
// now.
func (tx *tx) putEntries(fresh []*newRow, entries map[entryKey]*dedupeEntry) (lost bool, err error) {
	var rows []*newRow
	for _, row := range fresh {
		if row.item.Dedupe != nil {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b *newRow) int { return entryKeyOf(a.item).compare(entryKeyOf(b.item)) })
	absent := insertion{on: tx.session, head: addDedupe}
	over := insertion{on: tx.session, head: addDedupe, tail: setDedupe}
	for _, row := range rows {
		d, key := row.item.Dedupe, entryKeyOf(row.item)
		into := &absent
		if entries[key].there {
			into = &over
		}
		err := into.add(key.lane, key.queue, key.key, row.entry.ID, d.Content[:], tx.now+d.Window.Microseconds())
		if tx.foreign && err == nil { // each by itself, to know which one was lost
			err = into.flush()
		}
		switch {
		case numbered(err) == duplicateKey && tx.foreign:
			return true, tx.lockSome([]entryKey{key}, entries)
		case err != nil:
			return false, busyKey(again(err))
		}
		entries[key] = &dedupeEntry{there: true, alive: true, mine: true, id: row.entry.ID, content: d.Content}
	}
	for _, into := range [...]*insertion{&absent, &over} {
		if err := into.flush(); err != nil {
			return false, busyKey(again(err))
		}
	}
	return false, nil
}

const (
	// knownIDs lists those of the ids that are there: a task is in
	// outlast_task whatever its state.
	knownIDs = `SELECT t.id FROM outlast_task t WHERE t.id IN (@ids)`

	// readDedupe reads the entries of some keys, as lockDedupe does, without a
	// lock. Inputs before the keys: what to add to the clock, in µs.
	readDedupe = `SELECT d.lane, d.queue, d.dedupe_key, d.expires > ` + clock + ` + ? OR COALESCE((SELECT t.state = 0 FROM outlast_task t WHERE t.id = d.id), 0)
FROM (@keys) w STRAIGHT_JOIN outlast_dedupe d FORCE INDEX (PRIMARY) ON d.lane = w.lane AND d.queue = w.queue AND d.dedupe_key = w.dedupe_key`
)

// Known implements [store.Query].
func (s *Store) Known(ctx context.Context, items []store.Insert) ([]bool, error) {
	var found map[task.ID]bool
	var alive map[entryKey]bool
	err := s.snapshot(ctx, func(c *session) (err error) {
		if found, err = c.knownIDs(items); err == nil {
			alive, err = c.aliveKeys(items, s.offset().Microseconds())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	known := make([]bool, len(items))
	for i := range items {
		known[i] = found[items[i].Task.ID] || items[i].Dedupe != nil && alive[entryKeyOf(&items[i])]
	}
	return known, nil
}

func (s *session) knownIDs(items []store.Insert) (map[task.ID]bool, error) {
	wanted, found := make([]task.ID, len(items)), map[task.ID]bool{}
	for i := range items {
		wanted[i] = items[i].Task.ID
	}
	err := ids(wanted, knownIDs, func(query string) error {
		return s.each(query, func(rows *sql.Rows) error {
			var id task.ID
			err := rows.Scan((*identity)(&id))
			found[id] = true
			return err
		})
	})
	return found, err
}

func (s *session) aliveKeys(items []store.Insert, offset int64) (map[entryKey]bool, error) {
	var keys []entryKey
	for i := range items {
		if items[i].Dedupe != nil {
			keys = append(keys, entryKeyOf(&items[i]))
		}
	}
	alive := map[entryKey]bool{}
	for portion := range slices.Chunk(keys, keysAtOnce) {
		if err := s.readEntries(portion, offset, alive); err != nil {
			return nil, err
		}
	}
	return alive, nil
}

func (s *session) readEntries(keys []entryKey, offset int64, alive map[entryKey]bool) error {
	args := []any{offset}
	for _, key := range keys {
		args = append(args, key.lane, key.queue, key.key)
	}
	return s.each(strings.Replace(readDedupe, "@keys", keyList(len(keys)), 1), func(rows *sql.Rows) error {
		var key entryKey
		var lives bool
		err := rows.Scan(&key.lane, &key.queue, &key.key, &lives)
		alive[key] = lives
		return err
	}, args...)
}
