package keeper

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Measures measures what aggregates look at, and lets their rules tell. It is safe for
// concurrent use.
type Measures struct {
	*ledger
	config  *Config
	book    *Book
	sender  *Sender
	queues  *Queues
	windows *alerts.Windows
}

// measure turns the windows of this node and, on the node that does it for
// all, looks at what the aggregates say.
func (m *Measures) measure(ctx context.Context) {
	tidied := time.Now()
	for m.book.edition.Load().pause(ctx) {
		m.windows.Turn()
		m.publishRates(ctx)
		if !m.First() {
			continue
		}
		m.Measure(ctx)
		if time.Since(tidied) >= tidyEvery {
			m.tidy(ctx)
			tidied = time.Now()
		}
	}
}

// pause waits for a step. Rules that somebody has written are looked at as often as they say,
// whatever the pace of ctx.
func (b *edition) pause(ctx context.Context) bool {
	if b.asksForMore() {
		return background.Sleep(ctx, alerts.Step)
	}
	return background.Idle(ctx, alerts.Step)
}

// Measure looks at all aggregates now.
func (m *Measures) Measure(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, alerts.Step)
	defer cancel()
	b := m.book.edition.Load()
	states, err := m.Backend.Objects(ctx, kindFires)
	if err != nil {
		m.failed(ctx, err)
		return
	}
	known := map[string]bool{}
	for i := range states {
		known[states[i].Name] = true
	}
	now := time.Now()
	sample, err := m.sample(ctx, b, now)
	if err != nil {
		m.failed(ctx, err)
		return
	}
	seen := map[string]bool{}
	for _, o := range sample.Occurrences(now) {
		for _, rule := range b.rules[o.On] {
			name, holds := stateName(rule.Name, o.Subject), rule.holds(o)
			seen[name] = true
			if holds || known[name] {
				m.failed(ctx, m.measured(ctx, rule, o, holds))
			}
		}
	}
	m.ended(ctx, b, states, seen)
}

func (m *Measures) failed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		m.Logger.Warn("alert.measure_failed", "error", err)
	}
}

// measured takes what one rule says of one subject.
func (m *Measures) measured(ctx context.Context, rule *compiled, o *alerts.Occurrence, holds bool) error {
	return m.update(ctx, "", kindFires, rule.Name, o.Subject, func(now time.Time, s *alerts.State) ([]store.Insert, error) {
		since, size, acked := s.Since, s.Size, s.Acked
		reading := alerts.Reading{Holds: holds, Size: o.Size, Total: o.On == alert.OnLetters || o.On == alert.OnBlocked}
		fires, recovers := s.Measure(now, reading, alerts.Length(rule.Hold, 0), alerts.Cooldown(&rule.Rule))
		id := task.NewID(now, random{})
		switch {
		case fires:
			return m.sender.deliveries(rule.message(id, o), m.book.audience(rule.Channels))
		case recovers && alerts.TellsRecovery(&rule.Rule):
			over := rule.message(id, o)
			over.Kind, over.Fields = alert.Recovered, alerts.Fields("lasted", plaintext.Span(now.Sub(since).Round(time.Second)))
			return m.sender.deliveries(over, m.book.audience(rule.Channels))
		case recovers || since != s.Since || size != s.Size || acked != s.Acked:
			return nil, nil
		}
		return nil, errUnchanged
	})
}

// ended tells that it is over for subjects that are not there any more, such as
// a target that nobody calls, and for rules that are gone.
func (m *Measures) ended(ctx context.Context, b *edition, states []store.Object, seen map[string]bool) {
	for i := range states {
		var s alerts.State
		if seen[states[i].Name] || json.Unmarshal(states[i].Body, &s) != nil || s.Since.IsZero() {
			continue
		}
		rule := &compiled{Rule: alert.Rule{Name: s.Rule, On: alert.OnLetters, Recovery: new(bool)}}
		for _, rules := range b.rules {
			for _, one := range rules {
				if one.Name == s.Rule {
					rule = one
				}
			}
		}
		m.failed(ctx, m.measured(ctx, rule, &alerts.Occurrence{On: rule.On, Subject: s.Subject, At: time.Now(), Text: s.Subject + " is not seen any more"}, false))
	}
}

// sample measures what the rules look at.
func (m *Measures) sample(ctx context.Context, b *edition, now time.Time) (*alerts.Sample, error) {
	sample := &alerts.Sample{}
	var err error
	if len(b.rules[alert.OnLetters]) > 0 {
		if sample.Letters, err = m.letters(ctx); err != nil {
			return nil, err
		}
	}
	if len(b.rules[alert.OnQueue]) > 0 {
		if sample.Queues, err = m.look(ctx, b, now); err != nil {
			return nil, err
		}
	}
	if b.measures || len(b.rules[alert.OnKey]) > 0 {
		if err := m.told(ctx, sample, now); err != nil {
			return nil, err
		}
	}
	if m.config.Groups != nil && len(b.rules[alert.OnGroup]) > 0 {
		sample.Groups = m.config.Groups()
	}
	if len(b.rules[alert.OnBlocked]) > 0 {
		if sample.Blocked, err = m.queues.blocked(ctx); err != nil {
			return nil, err
		}
	}
	if m.config.Changes != nil && len(b.rules[alert.OnChange]) > 0 {
		if sample.Changes, err = m.config.Changes(ctx); err != nil {
			return nil, err
		}
	}
	return sample, nil
}

// letters are the dead letters without those of alerts that could not be sent:
// an alert about them would go the same way.
func (m *Measures) letters(ctx context.Context) (*store.DeadStats, error) {
	stats, err := m.Backend.DeadStats(ctx)
	if err != nil {
		return nil, err
	}
	own := 0
	copied := *stats
	copied.ByType = maps.Clone(stats.ByType)
	for name, count := range stats.ByType {
		if alerts.IsType(name) {
			own += count
			delete(copied.ByType, name)
		}
	}
	copied.Total -= own
	return &copied, nil
}

// look measures the queues. The built-in rule only asks whether there is anything to
// do; counting further is for those who ask for more.
func (m *Measures) look(ctx context.Context, b *edition, now time.Time) ([]alerts.QueueSample, error) {
	for _, rule := range b.rules[alert.OnQueue] {
		if !b.builtin[rule.Name] {
			return m.queues.Look(ctx, now)
		}
	}
	return m.queues.glance(ctx, now)
}
