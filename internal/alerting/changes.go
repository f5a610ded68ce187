package alerting

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/store"
)

const (
	changeLook = time.Minute    // how often the comparisons are read
	changeAge  = 24 * time.Hour // how long a change is news
)

// Changes tells the rules of alerts how attempts go since the last changes.
type Changes struct {
	backend store.Backend

	mu     sync.Mutex
	looked time.Time
	last   []alerts.ChangeSample
}

// NewChanges makes what compares the attempts in a store.
func NewChanges(backend store.Backend) *Changes { return &Changes{backend: backend} }

// Samples are of the changes of the last day, as of a minute ago at most.
func (w *Changes) Samples(ctx context.Context) ([]alerts.ChangeSample, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if now.Sub(w.looked) < changeLook {
		return w.last, nil
	}
	var found []alerts.ChangeSample
	for _, by := range []inspect.ComparisonBy{inspect.ByRelease, inspect.ByPolicyVersion} {
		all, err := stats.Compare(ctx, w.backend, inspect.ComparisonQuestion{By: by})
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			if c.From == nil || now.Sub(c.To.Since) > changeAge {
				continue
			}
			found = append(found, alerts.ChangeSample{
				Type: c.Type, Number: c.Number, By: string(by), From: c.From.Name, To: c.To.Name,
				Samples: min(c.From.Count, c.To.Count), P99: c.To.P99, P99Before: c.From.P99,
			})
		}
	}
	w.looked, w.last = now, found
	return found, nil
}
