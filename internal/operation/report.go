package operation

import (
	"strconv"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	mostItems    = 500
	defaultItems = 100
)

// Subject is an operation in the audit log.
func Subject(id string) string { return "operation/" + id }

// StateText is a state in the audit log.
func StateText(state store.OperationState) []byte { return []byte(`{"state":"` + string(state) + `"}`) }

// Place is where a page of a report begins, counted from 0, and how many items it has at
// most: 100 when the limit is 0. It refuses limits outside 0 to 500 and cursors that are
// not of a report.
func Place(page store.Page) (from, limit int, err error) {
	if page.Limit < 0 || page.Limit > mostItems {
		return 0, 0, task.Invalid("limit", "is outside 1 to 500", "0 means 100")
	}
	if limit = page.Limit; limit == 0 {
		limit = defaultItems
	}
	if page.Cursor == "" {
		return 0, limit, nil
	}
	place, err := strconv.ParseUint(page.Cursor, 10, 31)
	if err != nil || strconv.FormatUint(place, 10) != page.Cursor {
		return 0, 0, task.Invalid("cursor", "the cursor is not one of this report", "use the next cursor of the page before, unchanged")
	}
	return int(place), limit, nil
}

// NoReport is the error of an operation whose report is not there, or not any more.
func NoReport(id string) error {
	return &task.Error{Code: task.CodeNotFound, Message: "the operation " + task.Quote(id) + " has no report",
		Hint: "reports are deleted with the letters' retention after the operation has ended"}
}
