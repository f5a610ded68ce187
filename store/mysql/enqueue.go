package mysql

import (
	"context"
	"errors"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

// arrival is a batch on its way into the database.
type arrival struct {
	items   []*store.Insert
	rows    []*newRow
	dedupe  bool
	twice   bool // an id occurs more than once
	grouped bool // a task is a member of a group
	size    int  // about, of its statement
	result  *store.BatchResult
}

func (a *arrival) refuse(err error) { *a.result = store.BatchResult{Err: err} }

// way is how a batch gets into the database.
type way int

const (
	plain  way = iota // with others, by one statement
	single            // one task with a dedupe key: with others, in a transaction
	alone             // in a transaction of its own
)

func (a *arrival) way() way {
	switch {
	case a.twice || a.grouped || len(a.rows) > chunk || a.size > maxStatement || a.dedupe && len(a.rows) > 1:
		return alone
	case a.dedupe:
		return single
	}
	return plain
}

// convoy is batches that go together.
type convoy struct {
	batches    []*arrival
	rows, size int
	send       func(ctx context.Context, batches []*arrival) error
}

// add takes a batch along, after sending those before it if it has no room.
func (c *convoy) add(ctx context.Context, a *arrival) error {
	if c.rows+len(a.rows) > chunk || c.size+a.size > maxStatement {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	c.batches, c.rows, c.size = append(c.batches, a), c.rows+len(a.rows), c.size+a.size
	return nil
}

func (c *convoy) flush(ctx context.Context) error {
	batches := c.batches
	c.batches, c.rows, c.size = nil, 0, 0
	if len(batches) == 0 {
		return nil
	}
	return c.send(ctx, batches)
}

// Enqueue implements [store.Store]. Batches that are usual go in statements
// together, each of which commits by itself; single tasks with dedupe keys in
// transactions together; others in transactions of their own.
func (s *Store) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	results := make([]store.BatchResult, len(batches))
	arrivals, err := s.arrivals(ctx, batches, results)
	if err != nil {
		return nil, err
	}
	group, singles := &convoy{send: s.enqueueGroup}, &convoy{send: s.enqueueSingles}
	for _, a := range arrivals {
		switch a.way() {
		case plain:
			err = group.add(ctx, a)
		case single:
			err = singles.add(ctx, a)
		default: // it may repeat an id of those before it
			if err = errors.Join(group.flush(ctx), singles.flush(ctx)); err == nil {
				err = s.enqueueAlone(ctx, a)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := errors.Join(group.flush(ctx), singles.flush(ctx)); err != nil {
		return nil, err
	}
	return results, nil
}

// arrivals checks batches, numbers keyed tasks in the order of the call, and
// returns what is left to insert.
func (s *Store) arrivals(ctx context.Context, batches []store.Batch, results []store.BatchResult) (list []*arrival, err error) {
	var items []*store.Insert
	for i := range batches {
		a := &arrival{result: &results[i]}
		for at := range batches[i].Items {
			item := &batches[i].Items[at]
			if err := check.Insert(item); err != nil {
				a.refuse(err)
				break
			}
			a.items = append(a.items, item)
			a.dedupe = a.dedupe || item.Dedupe != nil
			a.grouped = a.grouped || !item.Task.Spec.Group.IsZero()
		}
		if a.result.Err == nil && len(a.items) > 0 {
			list, items = append(list, a), append(items, a.items...)
		}
	}
	if len(list) == 0 {
		return nil, ctx.Err()
	}
	var now, seq int64
	err = s.read(ctx, func(c *session) (err error) {
		if now, err = s.clockOf(c); err == nil {
			seq, err = c.seqs(keyed(items))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return prepare(list, now, seq), nil
}

// prepare makes the rows of batches. An id that an earlier batch has makes the
// later one wait for its own transaction.
func prepare(list []*arrival, now, seq int64) (ready []*arrival) {
	seen := map[task.ID]bool{}
	for _, a := range list {
		rows, err := rowsOf(a.items, now, seq)
		seq += keyed(a.items)
		if err != nil {
			a.refuse(task.Invalid("task", "it cannot be stored: "+err.Error(), ""))
			continue
		}
		a.rows, a.size = rows, sizeOfRows(rows)
		for _, row := range rows {
			a.twice = a.twice || seen[row.entry.ID]
			seen[row.entry.ID] = true
		}
		ready = append(ready, a)
	}
	return ready
}

// enqueueGroup inserts batches by one statement. Batches that are there
// already are answered and left out; data that the database refuses is
// searched for by halves.
func (s *Store) enqueueGroup(ctx context.Context, group []*arrival) error {
	for len(group) > 0 {
		err := s.insertGroup(ctx, group)
		switch {
		case err == nil:
			for _, a := range group {
				a.answer()
			}
			return nil
		case numbered(err) == duplicateKey:
			if group, err = s.withoutKnown(ctx, group); err != nil {
				return err
			}
		case refusal(err) && len(group) == 1:
			group[0].refuse(task.Invalid("task", "the database refused it: "+err.Error(), ""))
			return nil
		case lacksRight(err): // which no half has either
			return s.refuseUnknown(ctx, group, err)
		case refusal(err):
			half := len(group) / 2
			if err := s.enqueueGroup(ctx, group[:half]); err != nil {
				return err
			}
			group = group[half:]
		default:
			return err
		}
	}
	return nil
}

// refuseUnknown refuses batches that lack a right, but for those that are there: an
// attempt before this one, whose answer was lost, inserted them while the right was
// there.
func (s *Store) refuseUnknown(ctx context.Context, group []*arrival, refusal error) error {
	rest, err := s.withoutKnown(ctx, group)
	if lacksRight(err) { // to read, too
		rest, err = group, nil
	}
	for _, a := range rest {
		a.refuse(refusal)
	}
	return err
}

func (s *Store) insertGroup(ctx context.Context, group []*arrival) error {
	var rows []*newRow
	for _, a := range group {
		rows = append(rows, a.rows...)
	}
	note(s.spotter, rows)
	return s.read(ctx, func(c *session) error {
		s.hook("enqueue.before_commit")
		err := c.insertRows(rows)
		if err == nil {
			s.hook("enqueue.after_commit")
		}
		return err
	})
}

// withoutKnown answers batches of which some id is known, and returns the
// others.
func (s *Store) withoutKnown(ctx context.Context, group []*arrival) (rest []*arrival, err error) {
	known, err := s.knownOf(ctx, group)
	if err != nil {
		return nil, err
	}
	for _, a := range group {
		switch a.known(known) {
		case 0:
			rest = append(rest, a)
		case len(a.rows):
			a.answer()
		default:
			if a.result.Err == nil {
				err = s.enqueueAlone(ctx, a)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// knownOf reads the tasks of batches that are there.
func (s *Store) knownOf(ctx context.Context, group []*arrival) (known map[task.ID]*task.Task, err error) {
	var all []task.ID
	for _, a := range group {
		for _, row := range a.rows {
			all = append(all, row.entry.ID)
		}
	}
	err = s.read(ctx, func(c *session) (err error) {
		known, err = c.knownTasks(all, "")
		return err
	})
	return known, err
}

// known notes which rows are there already and counts them. One of other
// content refuses the batch.
func (a *arrival) known(known map[task.ID]*task.Task) (n int) {
	for _, row := range a.rows {
		existing := known[row.entry.ID]
		if existing == nil {
			continue
		}
		n++
		var err error
		if row.existing, err = sameTask(existing, row.item.Task); err != nil {
			a.refuse(err)
		}
	}
	return n
}

func (a *arrival) answer() {
	if a.result.Err != nil {
		return
	}
	a.result.Items = make([]store.Inserted, len(a.rows))
	for i, row := range a.rows {
		a.result.Items[i] = row.inserted()
	}
}

// enqueueAlone inserts a batch in a transaction of its own, which looks for its ids
// first only if some are likely to be there, or if a dedupe key may answer in place of
// an id.
func (s *Store) enqueueAlone(ctx context.Context, a *arrival) error {
	blind := !a.dedupe && !a.twice
	err := s.write(ctx, "enqueue", func(tx *tx) error {
		tx.blind = blind
		err := tx.insertAll(a.rows)
		if blind && (numbered(err) == duplicateKey || errors.Is(err, errAgain)) {
			blind, err = false, errAgain
		}
		return err
	})
	typed := new(*task.Error)
	switch {
	case err == nil:
		a.answer()
	case lacksRight(err):
		return s.refuseAlone(ctx, a, err)
	case errors.As(err, typed) && *typed != store.ErrClosed:
		a.refuse(err)
	case refusal(err):
		a.refuse(task.Invalid("task", "the database refused it: "+err.Error(), ""))
	default:
		return err
	}
	return nil
}

// refuseAlone is refuseUnknown for a batch in a transaction of its own, of which all
// or nothing is there.
func (s *Store) refuseAlone(ctx context.Context, a *arrival, refusal error) error {
	known, err := s.knownOf(ctx, []*arrival{a})
	switch {
	case err != nil && !lacksRight(err):
		return err
	case err == nil && a.known(known) == len(a.rows):
		a.answer()
	default:
		a.refuse(refusal)
	}
	return nil
}

// enqueueSingles inserts batches of one task with a dedupe key in one
// transaction. If it comes to nothing because of one of them, each goes alone.
func (s *Store) enqueueSingles(ctx context.Context, group []*arrival) error {
	if len(group) > 1 {
		verdicts := make([]error, len(group))
		err := s.write(ctx, "enqueue", func(tx *tx) error { return tx.insertSingles(group, verdicts) })
		switch {
		case err == nil:
			for i, a := range group {
				if verdicts[i] != nil {
					a.refuse(verdicts[i])
				}
				a.answer()
			}
			return nil
		case errors.As(err, new(*task.Error)), refusal(err):
		default:
			return err
		}
	}
	for _, a := range group {
		if err := s.enqueueAlone(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// insertSingles inserts one row of each batch, unless there is a verdict on it.
func (tx *tx) insertSingles(group []*arrival, verdicts []error) error {
	rows := make([]*newRow, len(group))
	for i, a := range group {
		rows[i], verdicts[i] = a.rows[0], nil
	}
	entries, err := tx.lockEntries(rows)
	if err != nil {
		return err
	}
	p, err := tx.placing(rows, entries)
	if err != nil {
		return err
	}
	var fresh []*newRow
	for i, row := range rows {
		isNew, err := p.place(row)
		if verdicts[i] = err; isNew {
			fresh = append(fresh, row)
		}
	}
	if _, err := tx.putEntries(fresh, entries); err != nil {
		return err
	}
	note(tx.store.spotter, fresh)
	return again(tx.insertRows(fresh))
}
