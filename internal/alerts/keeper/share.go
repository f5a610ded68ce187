package keeper

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// part is one of the rules that hold for an event, beside the others.
type part struct {
	asker
	state *alerts.State
	all   audience
	mute  []string // the channels that a silence keeps this rule's message from
	to    []string // the channels that this rule tells, now or later
}

// divide gives each channel to the rule that can tell it first, and to the first of
// several: so an event is one message to each channel, whoever asks for it, and none
// waits for the cool-down of another rule. A rule that is silenced there speaks for no
// other.
func divide(now time.Time, parts []*part) {
	next, teller := map[string]time.Time{}, map[string]*part{}
	for _, p := range parts {
		at := p.state.Next(now, p.Digest)
		for _, channel := range p.all.channels {
			if other := teller[channel]; other == nil || p.before(other, channel, at.Compare(next[channel])) {
				teller[channel], next[channel] = p, at
			}
		}
	}
	for _, p := range parts {
		for _, channel := range p.all.channels {
			if teller[channel] == p {
				p.to = append(p.to, channel)
			}
		}
	}
}

// before reports whether the rule is to tell a channel and not another one that comes
// first, by which of them can tell sooner.
func (p *part) before(other *part, channel string, sooner int) bool {
	mute, otherMute := slices.Contains(p.mute, channel), slices.Contains(other.mute, channel)
	return mute == otherMute && sooner < 0 || !mute && otherMute
}

// partly reports whether other rules tell some of the channels.
func (p *part) partly() bool { return len(p.to) < len(p.all.channels) }

// besides names the other rules that hold for a channel, beside the worst of the
// alerts.Severities.
func (p *part) besides(parts []*part, channels ...string) (names []string, worst string) {
	worst = p.Severity
	for _, other := range parts {
		if other == p || !slices.ContainsFunc(channels, func(channel string) bool { return slices.Contains(other.all.channels, channel) }) {
			continue
		}
		names = append(names, other.called())
		if slices.Index(alerts.Severities, other.Severity) > slices.Index(alerts.Severities, worst) {
			worst = other.Severity
		}
	}
	return names, worst
}

// message is what the rule tells channels, with the names of all rules that it stands
// for there.
func (p *part) message(of *alert.Message, parts []*part, channels ...string) *alert.Message {
	m := *of
	names, worst := p.besides(parts, channels...)
	m.Rule, m.Severity = p.Rule, worst
	if len(names) > 0 {
		m.Fields = append(slices.Clip(m.Fields), alert.Field{Name: "also told by", Value: strings.Join(names, ", ")})
	}
	return &m
}

// tell lets the rule tell its channels of an event, or hold it back.
func (t *Teller) tell(now time.Time, p *part, parts []*part, m *alert.Message, on alert.On, held alert.Tallies) ([]store.Insert, error) {
	free := p.Digest == 0 && !now.Before(p.state.Until)
	switch {
	case len(p.to) == 0: // others tell all for it
		if free && p.state.HeldBack == 0 {
			p.state.Tell(now, p.Cooldown)
		}
		return nil, nil
	case free && p.partly() && p.state.HeldBack > 0: // its collection is due, and goes to all
		return t.hold(p, parts, m, on, func(s *alerts.State) alerts.Verdict { return s.Hold(now, held...) })
	}
	before := *p.state
	raise := func(s *alerts.State) alerts.Verdict { return s.Raise(now, held, p.Cooldown, p.Digest) }
	if !free {
		return t.hold(p, parts, m, on, raise)
	}
	raise(p.state)
	var inserts []store.Insert
	for _, channel := range p.to {
		told := p.message(m, parts, channel)
		told.HeldBack, told.Names, told.Kinds, told.Since = before.HeldBack, before.Names, before.Kinds, before.HeldSince
		more, err := t.sender.deliveries(told, p.all.only(channel))
		if err != nil {
			return nil, err
		}
		inserts = append(inserts, more...)
	}
	return inserts, nil
}

// hold counts what the rule tells of later.
func (t *Teller) hold(p *part, parts []*part, m *alert.Message, on alert.On, count func(*alerts.State) alerts.Verdict) ([]store.Insert, error) {
	told, first := p.message(m, parts, p.to...), p.state.HeldBack == 0
	verdict := count(p.state)
	p.state.Spare(p.all.without(p.to), first)
	if p.state.Last = nil; p.state.HeldBack == 1 && m.ID != "" {
		p.state.Last = told
	}
	return t.digest(p.state, verdict, &digest{
		Account: p.Account, Rule: p.Rule, Subject: m.Subject, Severity: told.Severity, Queue: m.Queue, Type: m.TaskType, Target: m.Target,
		Cooldown: p.Cooldown, Channels: p.Channels, On: on,
	})
}

// share changes the states of all rules that hold for an event about a subject, at once.
func (t *Teller) share(ctx context.Context, once string, m *alert.Message, askers []asker, change func(now time.Time, p *part, parts []*part) ([]store.Insert, error)) error {
	names := make([]string, len(askers))
	for i := range askers {
		names[i] = stateName(askers[i].Account, m.Subject)
	}
	return t.swapAll(ctx, once, kindState, names, func(bodies [][]byte) (states []any, inserts []store.Insert, err error) {
		parts := make([]*part, len(askers))
		for i, a := range askers {
			parts[i] = &part{asker: a, state: &alerts.State{}, all: t.book.audience(a.Channels)}
			parts[i].mute = t.book.mute(m, a.Rule, parts[i].all.channels)
			if bodies[i] != nil {
				if err := json.Unmarshal(bodies[i], parts[i].state); err != nil {
					return nil, nil, unreadable(err)
				}
			}
		}
		now := time.Now()
		divide(now, parts)
		for _, p := range parts {
			p.state.Rule, p.state.Subject = p.Account, m.Subject
			more, err := change(now, p, parts)
			if err != nil {
				return nil, nil, err
			}
			states, inserts = append(states, p.state), append(inserts, more...)
		}
		return states, inserts, nil
	})
}
