package outlast

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Failed stands for a state in the filter of [Inspector.Find]: tasks that have failed and
// not succeeded since, whatever their state now. Without FailedSince and FailedUntil that
// is a view of the last hour and the newest 1000; with one of them it is all in between.
const Failed task.State = "failed"

// What the view of failures shows where nobody says otherwise.
const (
	failedWindow = time.Hour
	failedMost   = 1000
)

type finder = func(context.Context, store.Filter, store.Page) ([]*Task, string, error)

// recentFailures bounds a list of failures without times; other lists are walked as they
// are.
func (i *Inspector) recentFailures(ctx context.Context, find finder, filter store.Filter, page store.Page) ([]*Task, string, error) {
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
