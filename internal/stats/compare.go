package stats

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
)

// Growth is how many times as long the later side takes; 0 where a side has none.
func Growth(from, to time.Duration) float64 {
	if from <= 0 || to <= 0 {
		return 0
	}
	return float64(to) / float64(from)
}

// Compare reads what the nodes have counted, this one until now and others until half
// a minute ago, by type and number. A type without the sides asked for is left out.
func (k *Keeper) Compare(ctx context.Context, q inspect.ComparisonQuestion) ([]inspect.Comparison, error) {
	k.flush(ctx, k.ledger.write)
	return Compare(ctx, k.Backend, q)
}

// Compare is [Keeper.Compare] without a node.
func Compare(ctx context.Context, backend store.Config, q inspect.ComparisonQuestion) (all []inspect.Comparison, err error) {
	q.By = cmp.Or(q.By, inspect.ByRelease)
	objects, err := backend.Objects(ctx, Kind)
	if err != nil {
		return nil, err
	}
	for i := range objects {
		if q.Type == "" || q.Type == objects[i].Name {
			all = append(all, compare(&q, objects[i].Name, readRecord(objects[i].Body).periods(q.By))...)
		}
	}
	return all, nil
}

// compare compares the versions of each policy among themselves: that a type has got
// another policy, or has several, is no change of one. Two that are named both may be
// of different ones.
func compare(q *inspect.ComparisonQuestion, taskType string, periods map[string]*period) (all []inspect.Comparison) {
	names := slices.SortedFunc(maps.Keys(periods), func(a, b string) int {
		return cmp.Or(periods[b].Since.Compare(periods[a].Since), cmp.Compare(b, a))
	})
	if q.By != inspect.ByPolicyVersion || q.From != "" && q.To != "" {
		return among(q, names, taskType, periods)
	}
	var policies []string
	of := map[string][]string{}
	for _, name := range names {
		policy := name[:max(strings.LastIndexByte(name, '@'), 0)]
		if of[policy] == nil {
			policies = append(policies, policy)
		}
		of[policy] = append(of[policy], name)
	}
	for _, policy := range policies {
		all = append(all, among(q, of[policy], taskType, periods)...)
	}
	return all
}

// among compares two of the names, the newest first.
func among(q *inspect.ComparisonQuestion, names []string, taskType string, periods map[string]*period) (all []inspect.Comparison) {
	to := q.To
	if to == "" {
		to = firstOf(names, func(name string) bool { return name != q.From })
	}
	at := slices.Index(names, to)
	if at < 0 {
		return nil
	}
	from := q.From
	if from == "" {
		from = firstOf(names[at+1:], func(string) bool { return true })
	} else if !slices.Contains(names, from) {
		return nil
	}
	for _, number := range slices.Sorted(maps.Keys(periods[to].Attempts)) {
		one := inspect.Comparison{Type: taskType, Number: number, To: periods[to].side(to, number)}
		if from != "" {
			one.From = periods[from].side(from, number)
		}
		all = append(all, one)
	}
	return all
}

func firstOf(names []string, fits func(string) bool) string {
	if i := slices.IndexFunc(names, fits); i >= 0 {
		return names[i]
	}
	return ""
}

// side is nil where there was no attempt of the number.
func (p *period) side(name string, number int) *inspect.ComparisonSide {
	c := p.Attempts[number]
	if c == nil {
		return nil
	}
	return &inspect.ComparisonSide{
		Name: name, Since: p.Since, Count: c.Count, Failed: c.Failed, P50: c.Run.quantile(0.5), P99: c.Run.quantile(0.99),
		DelayP50: c.Delay.quantile(0.5), DelayP99: c.Delay.quantile(0.99),
	}
}
