package dead

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// pageSize is how many letters are read at once; they are read whole, so it
// is small.
const pageSize = 100

// Letters is a filter that matches dead letters only.
func Letters(filter store.Filter) store.Filter {
	filter.State = task.Dead
	return filter
}

// Each calls do for every letter that matches, the newest first, until do
// returns an error. Letters that die meanwhile may be left out.
func Each(ctx context.Context, query store.Query, filter store.Filter, do func(*task.Task) error) error {
	for cursor := ""; ; {
		page, next, err := query.Find(ctx, Letters(filter), store.Page{Limit: pageSize, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, letter := range page {
			if err := do(letter); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

// Export calls do for every letter that matches, whole. A letter that goes away meanwhile is
// left out.
func Export(ctx context.Context, backend store.Backend, filter store.Filter, do func(inspect.Letter) error) error {
	return Each(ctx, backend, filter, func(letter *task.Task) error {
		whole, there, err := whole(ctx, backend, letter)
		if err != nil || !there {
			return err
		}
		return do(whole)
	})
}

// whole reads what belongs to a letter; false if it went away meanwhile.
func whole(ctx context.Context, backend store.Backend, letter *task.Task) (out inspect.Letter, there bool, err error) {
	attempts, err := backend.Attempts(ctx, letter.ID)
	if isCode(err, task.CodeNotFound) {
		return out, false, nil
	}
	if err != nil {
		return out, false, err
	}
	steps, err := backend.StepsOf(ctx, []task.ID{letter.ID})
	return inspect.Letter{Task: letter, Attempts: attempts, Steps: steps}, true, err
}

// bounded is a filter that matches letters only which are dead by now.
func bounded(filter store.Filter, now time.Time) store.Filter {
	if filter.DiedBefore.IsZero() || filter.DiedBefore.After(now) {
		filter.DiedBefore = now
	}
	return Letters(filter)
}

func isCode(err error, code task.Code) bool { return errors.Is(err, &task.Error{Code: code}) }
