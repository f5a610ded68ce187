package inspector

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Beginnings of ids that a search recognises: hexadecimal digits.
const (
	leastDigits = 8
	idDigits    = 32
)

// byPrefix begins the cursors of pages that were found by the beginning of their ids.
const byPrefix = "id."

// search is Find with a text: the task whose id it is comes alone; else those whose
// ids begin with it, if there are any; else what the store finds.
func (ts *Tasks) search(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	digits := strings.ToLower(strings.ReplaceAll(filter.Search, "-", ""))
	_, err := hex.DecodeString(digits + strings.Repeat("0", len(digits)%2))
	begins := err == nil && filter.IDs == nil && len(digits) >= leastDigits && len(digits) <= idDigits
	if cursor, ok := strings.CutPrefix(page.Cursor, byPrefix); ok && begins {
		page.Cursor = cursor
		return ts.beginning(ctx, filter, page, digits)
	}
	if begins && page.Cursor == "" {
		if found, next, err := ts.beginning(ctx, filter, page, digits); err != nil || len(found) > 0 {
			return found, next, err
		}
	}
	return ts.node.Backend.Find(ctx, filter, page)
}

// beginning finds tasks by the beginning of their ids, which is a time.
func (ts *Tasks) beginning(ctx context.Context, filter store.Filter, page store.Page, digits string) ([]*task.Task, string, error) {
	filter.Search = ""
	first, last := idOf(digits, "0"), idOf(digits, "f")
	if first == last {
		filter.IDs = []task.ID{first}
		return ts.node.Backend.Find(ctx, filter, page)
	}
	if filter.Since.Before(first.Time()) {
		filter.Since = first.Time()
	}
	if until := last.Time().Add(time.Millisecond / 2); filter.Until.IsZero() || until.Before(filter.Until) {
		filter.Until = until
	}
	tasks, next, err := ts.node.Backend.Find(ctx, filter, page)
	found := tasks[:0]
	for _, t := range tasks {
		if t.ID.Compare(first) >= 0 && t.ID.Compare(last) <= 0 {
			found = append(found, t)
		}
	}
	if next != "" {
		next = byPrefix + next
	}
	return found, next, err
}

// idOf is the id with the first digits, and the others all alike.
func idOf(digits, rest string) (id task.ID) {
	raw, _ := hex.DecodeString(digits + strings.Repeat(rest, idDigits-len(digits))) // they are hexadecimal
	copy(id[:], raw)
	return id
}

// What the view of failures shows where nobody says otherwise.
const (
	failedWindow = time.Hour
	failedMost   = 1000
)

type finder = func(context.Context, store.Filter, store.Page) ([]*task.Task, string, error)

// recentFailures bounds a list of failures without times; other lists are walked as they
// are.
func (ts *Tasks) recentFailures(ctx context.Context, find finder, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	if !filter.Failed || !filter.FailedSince.IsZero() || !filter.FailedUntil.IsZero() {
		return walk(ctx, find, filter, page)
	}
	left, since, err := failedView(&page, time.Now())
	if err != nil {
		return nil, "", err
	}
	filter.FailedSince = since
	page.Limit = min(cmp.Or(page.Limit, usualPage), left)
	tasks, next, err := walk(ctx, find, filter, page)
	if left -= len(tasks); left == 0 || next == "" {
		return tasks, "", err
	}
	return tasks, fmt.Sprintf("f%d.%d_%s", left, since.UnixMicro(), next), err
}

// failedView reads how many failures are left of the view, and since when, from the cursor
// of the page, and leaves there the store's own.
func failedView(page *store.Page, now time.Time) (left int, since time.Time, err error) {
	if page.Cursor == "" {
		return failedMost, now.Add(-failedWindow), nil
	}
	var at int64
	head, cursor, ok := strings.Cut(page.Cursor, "_")
	if n, scanErr := fmt.Sscanf(head, "f%d.%d", &left, &at); !ok || n != 2 || scanErr != nil || left < 1 || left > failedMost {
		return 0, since, task.Invalid("cursor", "it is not a cursor of this list", "pass the next of the page before, with the same filter")
	}
	page.Cursor = cursor
	return left, time.UnixMicro(at).UTC(), nil
}
