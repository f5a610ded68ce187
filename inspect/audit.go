package inspect

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// Audit shows the audit log.
type Audit interface {
	// List returns a page of the audit log, the newest row first, and the cursor of
	// the next page, "" for none: who did what to what, with what was and what is.
	// Every action of an operator has one row, written in the transaction of the
	// action; what changed nothing has none.
	List(ctx context.Context, filter store.AuditFilter, page store.Page) ([]store.Audit, string, error)
}
