package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/store"
)

// AlertSilences shows what keeps messages from their channels, and adds and ends it.
type AlertSilences struct{ node *node }

// List returns all silences, those that end last first; ended ones for 30
// days.
func (ss *AlertSilences) List(ctx context.Context) ([]alert.Silence, error) {
	return ss.node.Alerts.Silences(ctx)
}

// Add keeps messages that match the patterns from their channels, from From
// on (now when zero) until Until, at most 30 days. They stay in [Alerts.Events].
// It holds everywhere within about a second. ID, By and EndedBy are not the caller's.
// Codes "invalid" with fields, "conflict" beyond 100 that have not ended.
func (ss *AlertSilences) Add(ctx context.Context, silence alert.Silence) (*alert.Silence, error) {
	now := time.Now()
	if silence.From.Before(now) {
		silence.From = now
	}
	var c accept.Complaints
	c.FieldErrs(silence.Check(now))
	if err := c.Err("the silence is invalid"); err != nil {
		return nil, err
	}
	made, err := ss.node.Alerts.AddSilence(ctx, silence, actor.Audit(ctx, "silence.add", ""))
	if err == nil {
		ss.node.refresh(ctx)
	}
	return made, err
}

// End ends a silence now; one that has ended stays as it is. Code
// "not_found".
func (ss *AlertSilences) End(ctx context.Context, id string) (*alert.Silence, error) {
	ended, err := ss.node.Alerts.EndSilence(ctx, id, actor.Audit(ctx, "silence.end", ""))
	if err == nil {
		ss.node.refresh(ctx)
	}
	return ended, err
}

const (
	previewAge   = 24 * time.Hour // which messages a preview looks at
	previewPages = 20             // and how many pages of them, of 500 steps each
)

// Preview says what a silence of these patterns would have kept back of the
// messages of the last day. Nothing is changed. Code "invalid" with fields.
func (ss *AlertSilences) Preview(ctx context.Context, silence alert.Silence) (*alert.SilencePreview, error) {
	var c accept.Complaints
	c.FieldErrs(silence.CheckPatterns())
	if err := c.Err("the silence is invalid"); err != nil {
		return nil, err
	}
	preview := &alert.SilencePreview{Since: time.Now().Add(-previewAge).UTC()}
	filter, page := alert.EventFilter{Since: preview.Since}, store.Page{Limit: 500}
	for range previewPages {
		events, next, err := (&Alerts{node: ss.node}).page(ctx, &filter, page)
		if err != nil {
			return nil, err
		}
		for n := range events {
			preview.Count(&silence, &events[n])
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	preview.More = page.Cursor != ""
	rules, err := (&AlertRules{ss.node}).List(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rules))
	for n := range rules {
		names[n] = rules[n].Name
	}
	preview.Name(&silence, names)
	return preview, nil
}
