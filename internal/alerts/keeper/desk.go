package keeper

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
)

// Desk is what people ask of alerts and do about them. It is safe for concurrent use.
type Desk struct {
	*ledger
	book *Book
}

// Critical are the aggregates that fire and whose rules are critical, by
// rule and subject.
func (d *Desk) Critical(ctx context.Context) ([]alert.Firing, error) {
	objects, err := d.Backend.Objects(ctx, kindFires)
	if err != nil {
		return nil, err
	}
	grave := map[string]bool{}
	for _, rule := range d.book.edition.Load().all {
		grave[rule.Name] = rule.Severity == alert.Critical
	}
	var firing []alert.Firing
	for i := range objects {
		var state alerts.State
		if json.Unmarshal(objects[i].Body, &state) == nil && state.Firing && grave[state.Rule] {
			firing = append(firing, alert.Firing{Rule: state.Rule, Subject: state.Subject, Since: state.Since, Size: state.Size, Acked: state.Acked})
		}
	}
	slices.SortFunc(firing, func(a, b alert.Firing) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject))
	})
	return firing, nil
}
