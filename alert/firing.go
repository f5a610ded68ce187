package alert

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
)

// Critical are the states of the aggregates that fire and whose rules are critical, by
// rule and subject.
func (k *Keeper) Critical(ctx context.Context) ([]State, error) {
	objects, err := k.Backend.Objects(ctx, kindFires)
	if err != nil {
		return nil, err
	}
	grave := map[string]bool{}
	for _, rule := range k.book.Load().all {
		grave[rule.Name] = rule.Severity == Critical
	}
	var firing []State
	for i := range objects {
		var state State
		if json.Unmarshal(objects[i].Body, &state) == nil && state.Firing && grave[state.Rule] {
			firing = append(firing, state)
		}
	}
	slices.SortFunc(firing, func(a, b State) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject))
	})
	return firing, nil
}
