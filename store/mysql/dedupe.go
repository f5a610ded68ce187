package mysql

import (
	"cmp"
	"database/sql"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockDedupe locks the entry of a dedupe key and reads it with the state
	// of its task, null if that is gone.
	lockDedupe = `SELECT d.id, d.content, d.expires, (SELECT t.state FROM outlast_task t WHERE t.id = d.id)
FROM outlast_dedupe d WHERE d.lane = ? AND d.queue = ? AND d.dedupe_key = ? FOR UPDATE`

	lookDedupe = `SELECT 1 FROM outlast_dedupe d WHERE d.lane = ? AND d.queue = ? AND d.dedupe_key = ?`

	// addDedupe makes an entry that was absent; another one may be quicker.
	addDedupe = `INSERT INTO outlast_dedupe (lane, queue, dedupe_key, id, content, expires) VALUES (?, ?, ?, ?, ?, ?)`

	// setDedupe replaces an entry that is locked and over.
	setDedupe = `UPDATE outlast_dedupe SET id = ?, content = ?, expires = ? WHERE lane = ? AND queue = ? AND dedupe_key = ?`
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
	for _, key := range keys {
		var one int
		there, err := tx.first(lookDedupe, []any{&one}, key.lane, key.queue, key.key)
		if err == nil && there {
			err = tx.lockEntry(key, entries[key])
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func (tx *tx) lockEntry(key entryKey, entry *dedupeEntry) error {
	return busyKey(tx.each(lockDedupe, func(rows *sql.Rows) error {
		var content []byte
		var expires int64
		var state sql.NullInt64
		err := rows.Scan((*identity)(&entry.id), &content, &expires, &state)
		entry.there = true
		copy(entry.content[:], content)
		entry.alive = expires > tx.now || state.Valid && state.Int64 == live
		return err
	}, key.lane, key.queue, key.key))
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
// lost says that another caller was quicker with one, whose entry is locked now.
func (tx *tx) putEntries(fresh []*newRow, entries map[entryKey]*dedupeEntry) (lost bool, err error) {
	var rows []*newRow
	for _, row := range fresh {
		if row.item.Dedupe != nil {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b *newRow) int { return entryKeyOf(a.item).compare(entryKeyOf(b.item)) })
	for _, row := range rows {
		key := entryKeyOf(row.item)
		err := tx.putEntry(row, entries[key])
		switch {
		case numbered(err) == duplicateKey && tx.foreign:
			return true, tx.lockEntry(key, entries[key])
		case numbered(err) == duplicateKey:
			return false, errAgain
		case err != nil:
			return false, busyKey(err)
		}
	}
	return false, nil
}

func (tx *tx) putEntry(row *newRow, entry *dedupeEntry) (err error) {
	d, key := row.item.Dedupe, entryKeyOf(row.item)
	expires := tx.now + d.Window.Microseconds()
	if entry.there {
		_, err = tx.exec(setDedupe, row.entry.ID, d.Content[:], expires, key.lane, key.queue, key.key)
	} else {
		_, err = tx.exec(addDedupe, key.lane, key.queue, key.key, row.entry.ID, d.Content[:], expires)
	}
	if err == nil {
		*entry = dedupeEntry{there: true, alive: true, mine: true, id: row.entry.ID, content: d.Content}
	}
	return err
}
