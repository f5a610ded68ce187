package inspector

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// Audit is [inspect.Audit].
type Audit struct{ node *node }

func (a *Audit) List(ctx context.Context, filter store.AuditFilter, page store.Page) ([]store.Audit, string, error) {
	bounds := store.Filter{Since: filter.Since, Until: filter.Until}
	if err := checkFilter(&bounds, &page); err != nil {
		return nil, "", err
	}
	return a.node.Backend.Audit(ctx, filter, page)
}
