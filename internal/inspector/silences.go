package inspector

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// AlertSilences is [inspect.AlertSilences].
type AlertSilences struct{ node *node }

func (ss *AlertSilences) List(ctx context.Context) ([]alert.Silence, error) {
	return ss.node.Alerts.Desk.Silences(ctx)
}

func (ss *AlertSilences) Add(ctx context.Context, silence alert.Silence) (*alert.Silence, error) {
	now := time.Now()
	if silence.From.Before(now) {
		silence.From = now
	}
	var c accept.Complaints
	c.FieldErrs(alerts.CheckSilence(&silence, now))
	if err := c.Err("the silence is invalid"); err != nil {
		return nil, err
	}
	made, err := ss.node.Alerts.Desk.AddSilence(ctx, silence, actor.Audit(ctx, "silence.add", ""))
	if err == nil {
		ss.node.refresh(ctx)
	}
	return made, err
}

func (ss *AlertSilences) End(ctx context.Context, id string) (*alert.Silence, error) {
	ended, err := ss.node.Alerts.Desk.EndSilence(ctx, id, actor.Audit(ctx, "silence.end", ""))
	if err == nil {
		ss.node.refresh(ctx)
	}
	return ended, err
}

const (
	previewAge   = 24 * time.Hour // which messages a preview looks at
	previewPages = 20             // and how many pages of them, of 500 steps each
)

func (ss *AlertSilences) Preview(ctx context.Context, silence alert.Silence) (*alert.SilencePreview, error) {
	var c accept.Complaints
	c.FieldErrs(alerts.CheckPatterns(&silence))
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
			countSilenced(preview, &silence, &events[n])
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
	nameSilenced(preview, &silence, names)
	return preview, nil
}

// mostSubjects bounds the subjects of a preview.
const mostSubjects = 100

// countSilenced adds a message to a preview, if the silence covers it.
func countSilenced(p *alert.SilencePreview, s *alert.Silence, event *alert.EventView) {
	if !alerts.Matches(s, event.Message, event.Channel) {
		return
	}
	p.Messages++
	at := slices.IndexFunc(p.Subjects, func(one alert.SilencedSubject) bool { return one.Rule == event.Rule && one.Subject == event.Subject })
	if at < 0 {
		if len(p.Subjects) >= mostSubjects {
			return
		}
		at, p.Subjects = len(p.Subjects), append(p.Subjects, alert.SilencedSubject{Rule: event.Rule, Subject: event.Subject})
	}
	p.Subjects[at].Messages++
	if last := &p.Subjects[at].Last; last.Before(event.At) {
		*last = event.At
	}
}

// nameSilenced notes the rules that the silence's pattern names, and puts the subjects with the
// most messages first.
func nameSilenced(p *alert.SilencePreview, s *alert.Silence, rules []string) {
	slices.SortFunc(p.Subjects, func(a, b alert.SilencedSubject) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject))
	})
	if s.Rule == "" {
		return
	}
	for _, name := range append(slices.Clone(rules), alerts.TaskRule) {
		if alerts.Glob(s.Rule, name) && !slices.Contains(p.Rules, name) {
			p.Rules = append(p.Rules, name)
		}
	}
}
