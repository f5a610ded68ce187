// Package query is what callers ask for in lists: pages, and filters of tasks.
package query

import (
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Bounds of a page, and how many rows it has where nobody says.
const (
	mostRows  = 500
	usualRows = 100
)

// Page is the page that is asked for. A limit of 0 means the usual one.
func Page(limit *int, cursor string) (store.Page, error) {
	page := store.Page{Cursor: cursor}
	if limit != nil {
		if page.Limit = *limit; page.Limit < 1 || page.Limit > mostRows {
			return page, task.Invalid("limit", fmt.Sprintf("must be 1 to %d, not %d", mostRows, page.Limit), "follow next_cursor for more")
		}
	}
	return page, nil
}

// Most is how many rows are asked for of a list without pages.
func Most(limit *int) (int, error) {
	page, err := Page(limit, "")
	if page.Limit == 0 {
		page.Limit = usualRows
	}
	return page.Limit, err
}
