package keeper

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostPublished is how many series of each kind a node tells others of.
const mostPublished = 40

// Attempted counts the end of an attempt. It is called for every attempt.
func (m *Measures) Attempted(s *store.Settlement) {
	if s.Unstarted || s.Task.Queue == alerts.Queue || !m.book.edition.Load().measures {
		return
	}
	category := ""
	if s.Failure != nil && (s.Outcome == task.OutcomeFailed || s.Outcome == task.OutcomeDead) {
		category = s.Failure.Category
	}
	m.windows.Add(s.Task.Type, s.Task.Target, category, s.Task.Attempt > 1, s.EndedAt.Sub(s.StartedAt))
}

// published is what a node tells of its rates.
type published struct {
	At    time.Time      `json:"at"`
	Rates *alerts.Rates  `json:"rates"`
	Keys  map[string]int `json:"keys,omitempty"` // tasks that do not open there, by key
}

// publishRates lets the node that measures know the rates of this one, and what does
// not open here.
func (m *Measures) publishRates(ctx context.Context) {
	if m.First() || m.alone() {
		return
	}
	rates, keys := &alerts.Rates{}, m.keys()
	if m.book.edition.Load().measures {
		rates = m.windows.Rates()
	}
	if len(rates.Types)+len(keys) == 0 {
		return
	}
	for most := mostPublished; most > 0; most /= 2 {
		rates.Targets, rates.Types, rates.Categories = busiest(rates.Targets, most), busiest(rates.Types, most), busiest(rates.Categories, most)
		told := published{time.Now().UTC(), rates, keys}
		if body, err := json.Marshal(told); err != nil || len(body) > store.MaxObject {
			continue
		}
		m.failed(ctx, m.swap(ctx, "", kindRates, m.Node.Node(), func([]byte) (any, []store.Insert, error) { return told, nil, nil }))
		return
	}
}

func (m *Measures) keys() map[string]int {
	if m.config.Keys == nil {
		return nil
	}
	return m.config.Keys()
}

// busiest are the series with the most attempts.
func busiest(all map[string]alerts.Counts, most int) map[string]alerts.Counts {
	if len(all) <= most {
		return all
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].Now.Attempts, all[a].Now.Attempts), cmp.Compare(a, b))
	})
	out := make(map[string]alerts.Counts, most)
	for _, name := range names[:most] {
		out[name] = all[name]
	}
	return out
}

// told adds to a sample what all nodes have told of lately.
func (m *Measures) told(ctx context.Context, sample *alerts.Sample, now time.Time) error {
	nodes, err := m.published(ctx, now)
	if err != nil {
		return err
	}
	rates, waiting := make([]*alerts.Rates, len(nodes)), map[string]int{}
	for i := range nodes {
		rates[i] = nodes[i].Rates
		for key, count := range nodes[i].Keys {
			waiting[key] += count
		}
	}
	sample.Targets, sample.Types, sample.Categories = alerts.Merge(rates)
	for _, key := range slices.Sorted(maps.Keys(waiting)) {
		sample.Keys = append(sample.Keys, alerts.KeySample{Name: key, Waiting: waiting[key]})
	}
	return nil
}

// published is what this node and the others have told of lately.
func (m *Measures) published(ctx context.Context, now time.Time) ([]published, error) {
	nodes := []published{{now, m.windows.Rates(), m.keys()}}
	if m.alone() {
		return nodes, nil
	}
	objects, err := m.Backend.Objects(ctx, kindRates)
	if err != nil {
		return nil, err
	}
	for i := range objects {
		var told published
		if objects[i].Name != m.Node.Node() && json.Unmarshal(objects[i].Body, &told) == nil && told.Rates != nil && now.Sub(told.At).Abs() < 3*alerts.Step {
			nodes = append(nodes, told)
		}
	}
	return nodes, nil
}
