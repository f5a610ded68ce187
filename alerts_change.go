package outlast

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/stats"
)

const (
	changeLook = time.Minute    // how often the comparisons are read
	changeAge  = 24 * time.Hour // how long a change is news
)

// changeWatch tells the rules of alerts how attempts go since the last changes.
type changeWatch struct {
	client *Client

	mu     sync.Mutex
	looked time.Time
	last   []alert.ChangeSample
}

// samples are of the changes of the last day, as of a minute ago at most.
func (w *changeWatch) samples(ctx context.Context) ([]alert.ChangeSample, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if now.Sub(w.looked) < changeLook {
		return w.last, nil
	}
	var found []alert.ChangeSample
	for _, by := range []stats.By{stats.ByRelease, stats.ByPolicyVersion} {
		all, err := stats.Compare(ctx, w.client.backend, stats.Question{By: by})
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			if c.From == nil || now.Sub(c.To.Since) > changeAge {
				continue
			}
			found = append(found, alert.ChangeSample{
				Type: c.Type, Number: c.Number, By: string(by), From: c.From.Name, To: c.To.Name,
				Samples: min(c.From.Count, c.To.Count), P99: c.To.P99, P99Before: c.From.P99,
			})
		}
	}
	w.looked, w.last = now, found
	return found, nil
}
