package mysql

import (
	"errors"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/literal"
	"github.com/outlast-dev/outlast/store/internal/newest"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// insertTasks inserts pending tasks. An id that is known in any state
	// makes it fail as a whole, by the primary key.
	insertTasks = `INSERT INTO outlast_task (id, lane, run_rank, run_at, priority, size, created_at, updated_at, seq, turn, line, order_key,
 queue, type, target, policy, trace, spec, payload, share_key) VALUES `

	// reserveSeq takes numbers for keyed tasks; the last of them is its insert
	// id. It commits by itself, before the rows are inserted, so that nobody
	// waits for another's transaction: an enqueue that returned before another
	// was called still has the smaller number. None is smaller than the time, in µs: the
	// procedure outlast_enqueue, which cannot commit by itself, numbers tasks by that.
	reserveSeq = `UPDATE outlast_counter SET value = LAST_INSERT_ID(GREATEST(value, ` + clock + `) + ?) WHERE name = 'seq'`
)

// notStarted is added to the seq of a task that has not started to make its
// turn: those that have go first.
const notStarted = int64(1) << 62

// maxTrace is how much of a trace parent can be searched for.
const maxTrace = 255

// newRow is one task to insert and what became of it.
type newRow struct {
	item  *store.Insert
	entry store.Entry
	text  []byte // as a row of insertTasks
	// existing is the task that was there already, not inserted.
	existing *task.Task
	created  int64
}

// rowsOf makes rows of items that were checked. seq is the number before that
// of the first keyed one.
func rowsOf(items []*store.Insert, now, seq int64) ([]*newRow, error) {
	rows := make([]*newRow, len(items))
	for i, item := range items {
		if item.Task.Key != "" {
			seq++
		}
		row, err := rowOf(item, now, seq)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

func rowOf(item *store.Insert, now, seq int64) (*newRow, error) {
	t := item.Task
	spec, err := encoded(stored.Spec(&t.Spec))
	if err != nil {
		return nil, err
	}
	entry := stored.NewEntry(item, now)
	var turn any
	if t.Key != "" {
		entry.Seq, turn = seq, seq+notStarted
	}
	trace := t.Spec.TraceParent[:min(len(t.Spec.TraceParent), maxTrace)]
	text, err := literal.AppendRow(make([]byte, 0, 256+len(spec)+len(t.Payload)), []any{
		t.ID, t.ID.Lane(), entry.Rank, entry.RunAt, t.Priority, entry.Size, now, now, stored.OrNull(entry.Seq), turn, optional(t.Key), optional(t.Key),
		t.Queue, t.Type, t.Target, t.Policy, optional(trace), spec, t.Payload, optional(t.Spec.ShareKey),
	})
	return &newRow{item: item, entry: entry, created: now, text: text}, err
}

func (r *newRow) inserted() store.Inserted {
	if r.existing != nil {
		return store.Inserted{Existing: r.existing, Created: r.existing.CreatedAt}
	}
	return store.Inserted{Entry: r.entry, Created: stored.Time(r.created)}
}

func sizeOfRows(rows []*newRow) (bytes int) {
	for _, row := range rows {
		bytes += len(row.text)
	}
	return bytes
}

// insertRows inserts rows whose ids must be new, in the order of ids. If one
// is not, the error has the number of a duplicate key, and nothing was
// inserted, or it is errAgain.
func (s *session) insertRows(rows []*newRow) error {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *newRow) int { return a.entry.ID.Compare(b.entry.ID) })
	into := insertion{on: s, head: insertTasks, most: len(rows)}
	for _, row := range rows {
		if err := into.addText(row.text); err != nil {
			return into.duplicate(err)
		}
	}
	return into.duplicate(into.flush())
}

// note has a spotter know rows that its own store is about to insert.
func note(s *spotter, rows []*newRow) {
	for _, row := range rows {
		newest.Note(s, row.entry.ID)
	}
}

// keyed counts the items that need a number.
func keyed(items []*store.Insert) (n int64) {
	for _, item := range items {
		if item.Task.Key != "" {
			n++
		}
	}
	return n
}

// seqs reserves n numbers for keyed tasks, outside of a transaction, and
// returns the one before the first.
func (s *session) seqs(n int64) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	result, err := s.exec(reserveSeq, n)
	if err != nil {
		return 0, err
	}
	last, err := result.LastInsertId()
	return last - n, err
}

// knownTasks reads tasks of any state by their ids, with a lock to see them as
// they are committed whatever the isolation.
func (s *session) knownTasks(all []task.ID, lock string) (map[task.ID]*task.Task, error) {
	known := make(map[task.ID]*task.Task, len(all))
	err := ids(all, `SELECT `+taskColumns+` FROM outlast_task t`+knownJoins+` WHERE t.id IN (@ids)`+lock, func(query string) error {
		found, err := s.tasks(query)
		for _, t := range found {
			known[t.ID] = t
		}
		return err
	})
	return known, err
}

// sameTask answers an insert whose id is there already.
func sameTask(existing, t *task.Task) (*task.Task, error) {
	if err := check.Same(existing, t); err != nil {
		return nil, err
	}
	return existing, nil
}

// mostRaces is how often a transaction looks again for ids that others
// inserted meanwhile before it starts again.
const mostRaces = 10

// insertAll is insertEach for tasks that may be members of groups, which are counted.
func (tx *tx) insertAll(rows []*newRow) error {
	items := make([]store.Insert, len(rows))
	for i, row := range rows {
		items[i] = *row.item
	}
	groups := grouped.Of(items)
	if len(groups) == 0 {
		return tx.insertEach(rows)
	}
	insert := func() error {
		standings, err := sqlstore.Standings(coldSession{tx.session}, groups, !tx.foreign)
		if err != nil {
			return err
		}
		if err := tx.insertEach(rows); err != nil {
			return err
		}
		var counts grouped.Tally
		isNew := func(i int) bool { return rows[i].existing == nil }
		if err := counts.Inserted(items, isNew, standings); err != nil {
			return err
		}
		return sqlstore.AddCounts(coldSession{tx.session}, counts, tx.foreign)
	}
	if tx.foreign {
		return tx.apart(insert)
	}
	return insert()
}

// insertEach inserts rows in a transaction that may do other things, and notes
// on each row whether it was there already. A *task.Error says which was
// refused; nothing was inserted then.
func (tx *tx) insertEach(rows []*newRow) error {
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
	if err := check.SameKey(row.item.Dedupe, id, content); err != nil {
		return nil, err
	}
	if t := p.existing(id); t != nil {
		return t, nil
	}
	return check.Forgotten(id, row.item.Task.Queue), nil
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
