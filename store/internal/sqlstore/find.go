package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// Find implements [store.Query]: a merge of the sources by id, in one snapshot.
func (c Cold) Find(ctx context.Context, filter store.Filter, page store.Page) (found []*task.Task, next string, err error) {
	asked, err := pages.Asked(filter, page)
	if err != nil {
		return nil, "", err
	}
	err = c.db.Survey(ctx, func(s Session) (err error) {
		if filter.IDs != nil {
			found, next, err = asked.ReadByID(filter.IDs, c.lookUp(s, filter, asked.Bare))
			return err
		}
		sources, err := c.db.Walks(s, filter, true)
		if err != nil {
			return err
		}
		found, next, err = asked.Read(func(before cursor.Place, limit int) ([]*task.Task, cursor.Place, error) {
			return asked.Merge(c.windows(s, sources, &asked, before), limit)
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return found, next, nil
}

func (c Cold) windows(s Session, sources []*Source, asked *pages.Request, before cursor.Place) (windows []pages.Window) {
	for _, source := range sources {
		source.Bare(asked.Bare)
		windows = append(windows, func(limit int) ([]*task.Task, cursor.Place, error) {
			return c.db.Window(s, source, asked, before, limit)
		})
	}
	return windows
}

// lookUp gets a task by its id, unless another part of the filter is against it.
func (c Cold) lookUp(s Session, filter store.Filter, bare bool) func(task.ID) (*task.Task, error) {
	var calls []*Call
	for _, source := range c.db.Tables(filter) {
		w := &where.Where{}
		w.And(source.ID+` = ?`, nil)
		if c.own.Lanes {
			w.And(`lane = CAST(? AS integer)`, nil)
		}
		w.Created(filter, source.ID)
		w = w.With(&source.Rest)
		calls = append(calls, &Call{Query: Made(`SELECT ` + source.Bare(bare).Columns + ` FROM ` + source.Table + source.Joins + ` WHERE ` + w.String()), Args: w.Args})
	}
	return func(id task.ID) (*task.Task, error) {
		for _, one := range calls {
			if one.Args[0] = id; c.own.Lanes {
				one.Args[1] = int32(id.Lane())
			}
			if t, found, err := first(s, one.Query, ScanTask, one.Args...); err != nil || found {
				return t, err
			}
		}
		return nil, nil
	}
}

// Count implements [store.Query].
func (c Cold) Count(ctx context.Context, filter store.Filter, limit int) (n int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	filter = where.Exact(filter)
	err = c.db.Survey(ctx, func(s Session) (err error) {
		n, err = c.count(s, filter, limit)
		return err
	})
	return n, err
}

func (c Cold) count(s Session, filter store.Filter, limit int) (int, error) {
	counted, args := (*Query)(nil), []any{filter.Queue, limit}
	switch {
	case where.PendingOf(filter):
		counted = c.own.PendingOf
	case where.DeadOf(filter):
		counted = c.own.DeadOf
	case filter.IDs != nil:
		all := pages.Request{Limit: limit}
		found, _, err := all.ByID(filter.IDs, c.lookUp(s, filter, true))
		return len(found), err
	}
	if counted != nil {
		n, _, err := first(s, counted, intOf, args...)
		return int(n), err
	}
	if kind, name, ok := where.Counter(filter); ok {
		all, err := keptCount(s, kind, name)
		return min(all, limit), err
	}
	sources, err := c.db.Walks(s, filter, false)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, source := range sources {
		q, args := source.count(limit - sum)
		n, _, err := first(s, q, intOf, args...)
		if err != nil {
			return 0, err
		}
		sum += int(n)
	}
	return sum, nil
}

// Letters implements [store.Query].
func (c Cold) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) ([]store.Letter, error) {
	dead := c.dead(filter)
	dead.Index.And(dead.ID+` > ?`, after)
	text, args := dead.Oldest(dead.ID+`, `+c.own.Words.Column("key")+`, `+c.own.Words.Column("seq"), limit)
	return reading(ctx, c, func(s Session) ([]store.Letter, error) {
		return all(s, Made(text), func(r Row) store.Letter { return store.Letter{ID: r.ID(0), Key: r.Text(1), Seq: r.Int(2)} }, args...)
	})
}
