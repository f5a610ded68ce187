package mysql

import (
	"errors"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// mostRaces is how often a transaction looks again for ids that others
// inserted meanwhile before it starts again.
const mostRaces = 10

// insertAll inserts rows in a transaction that may do other things, and notes
// on each row whether it was there already. A *task.Error says which was
// refused; nothing was inserted then.
func (tx *tx) insertAll(rows []*newRow) error {
	entries, err := tx.lockEntries(rows)
	if err != nil {
		return err
	}
	for range mostRaces {
		fresh, err := tx.unknown(rows, entries)
		if err != nil {
			return err
		}
		lost, err := tx.putEntries(fresh, entries)
		if err != nil {
			return err
		}
		if lost {
			continue
		}
		if tx.foreign {
			return tx.insertHere(fresh)
		}
		note(tx.store.spotter, fresh)
		if err := tx.insertRows(fresh); tx.blind || numbered(err) != duplicateKey {
			return err
		}
	}
	return errAgain
}

// insertHere inserts rows in a caller's transaction. All are taken for new at
// first. Only such as are there, as a duplicate key has shown, are read, and
// locked to see them whatever the isolation: a locking read that finds none may
// shut out others, and at SERIALIZABLE every read locks.
func (tx *tx) insertHere(rows []*newRow) error {
	insert := func() error { return tx.insertRows(rows) }
	if size := sizeOfRows(rows); len(rows) > chunk || size > maxStatement {
		err := tx.apart(insert)
		if !errors.Is(err, errAgain) && numbered(err) != duplicateKey {
			return err
		}
	} else if err := insert(); numbered(err) != duplicateKey {
		return err
	}
	for _, row := range rows {
		err := tx.insertRows([]*newRow{row})
		if numbered(err) == duplicateKey {
			err = tx.readThere(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readThere answers a row whose id is there.
func (tx *tx) readThere(row *newRow) error {
	known, err := tx.knownTasks([]task.ID{row.entry.ID}, ` LOCK IN SHARE MODE`)
	if err != nil {
		return err
	}
	existing := known[row.entry.ID]
	if existing == nil {
		return errAgain // it was deleted meanwhile
	}
	row.existing, err = sameTask(existing, row.item.Task)
	return err
}

// unknown decides which rows are new.
func (tx *tx) unknown(rows []*newRow, entries map[entryKey]*dedupeEntry) (fresh []*newRow, err error) {
	p, err := tx.placing(rows, entries)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		isNew, err := p.place(row)
		if err != nil {
			return nil, err
		}
		if isNew {
			fresh = append(fresh, row)
		}
	}
	return fresh, nil
}

// placing reads what is known of the ids of rows and of the tasks of dedupe
// entries. In a caller's transaction it does not look for the ids, see
// insertHere, nor in one that is blind.
func (tx *tx) placing(rows []*newRow, entries map[entryKey]*dedupeEntry) (*placing, error) {
	var wanted []task.ID
	lock := ""
	switch {
	case tx.foreign:
		lock = ` LOCK IN SHARE MODE`
	case !tx.blind:
		for _, row := range rows {
			wanted = append(wanted, row.entry.ID)
		}
	}
	for _, entry := range entries {
		if entry.there {
			wanted = append(wanted, entry.id)
		}
	}
	known, err := tx.knownTasks(wanted, lock)
	return &placing{known: known, entries: entries, taken: map[entryKey]*newRow{}, first: map[task.ID]*newRow{}}, err
}

// placing goes through the rows of one call in order.
type placing struct {
	known   map[task.ID]*task.Task
	entries map[entryKey]*dedupeEntry
	taken   map[entryKey]*newRow // dedupe keys taken by a row before
	first   map[task.ID]*newRow  // ids taken by a row before
}

// place finds the task that is there in place of a row, if any.
func (p *placing) place(row *newRow) (isNew bool, err error) {
	t := row.item.Task
	row.existing = nil
	if existing := p.existing(t.ID); existing != nil {
		row.existing, err = sameTask(existing, t)
		return false, err
	}
	if row.item.Dedupe != nil {
		if id, content, found := p.entry(entryKeyOf(row.item)); found {
			row.existing, err = p.duplicate(row, id, content)
			return false, err
		}
		p.taken[entryKeyOf(row.item)] = row
	}
	p.first[t.ID] = row
	return true, nil
}

func (p *placing) existing(id task.ID) *task.Task {
	if t := p.known[id]; t != nil {
		return t
	}
	if row := p.first[id]; row != nil {
		return row.task()
	}
	return nil
}

func (p *placing) entry(key entryKey) (id task.ID, content [16]byte, found bool) {
	if row := p.taken[key]; row != nil {
		return row.entry.ID, row.item.Dedupe.Content, true
	}
	entry := p.entries[key]
	return entry.id, entry.content, entry.alive && !entry.mine
}

// duplicate answers a row whose dedupe key belongs to a task.
func (p *placing) duplicate(row *newRow, id task.ID, content [16]byte) (*task.Task, error) {
	if content != row.item.Dedupe.Content {
		return nil, &task.Error{Code: task.CodeDedupeConflict, Message: "the dedupe key belongs to a task of other content", Existing: id}
	}
	if t := p.existing(id); t != nil {
		return t, nil
	}
	// It ended and its retention has passed, but not the dedupe window.
	return &task.Task{ID: id, Queue: row.item.Task.Queue, State: task.Succeeded, CreatedAt: id.Time()}, nil
}

// task is the task of a row that the same call has inserted.
func (r *newRow) task() *task.Task {
	t := *r.item.Task
	t.State, t.Seq, t.RunAt = task.Pending, r.entry.Seq, stored.Time(r.entry.RunAt)
	t.CreatedAt = stored.Time(r.created)
	t.UpdatedAt = t.CreatedAt
	return &t
}

// insertFollow inserts the tasks that follow an ended one. A repeat finds
// them there. seq is the number before that of the first keyed one.
func (tx *tx) insertFollow(items []*store.Insert, seq *int64) error {
	if len(items) == 0 {
		return nil
	}
	rows, err := rowsOf(items, tx.now, *seq)
	if err != nil {
		return err
	}
	*seq += keyed(items)
	return tx.insertAll(rows)
}
