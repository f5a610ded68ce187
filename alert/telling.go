package alert

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// asker is a rule that holds for an event, as the task that raises it carries it.
type asker struct {
	// Account is what the state of the rule is kept by, beside the subject: its name, or
	// whom the alerts of tasks tell, so that none waits for the cool-down of another.
	Account  string        `json:"account"`
	Rule     string        `json:"rule"`
	Severity string        `json:"severity"`
	Cooldown time.Duration `json:"cooldown,omitempty"` // ns
	Digest   time.Duration `json:"digest,omitempty"`   // ns
	Channels []string      `json:"channels,omitempty"`
}

func (c *compiled) asker() asker {
	return asker{
		Account: c.account, Rule: c.Name, Severity: cmp.Or(c.Severity, Warning),
		Cooldown: c.CooldownTime(), Digest: length(c.Digest, 0), Channels: c.Channels,
	}
}

// called is the rule in a sentence.
func (a *asker) called() string {
	if a.Rule == taskRuleName && a.Account != taskRuleName {
		return "the task's own alert"
	}
	return "the rule " + a.Rule
}

// holding are the rules that hold for an event: the task's own first, then the worst.
func holding(own *compiled, rules []*compiled, o *Occurrence) (all []*compiled) {
	for _, rule := range rules {
		if rule.holds(o) {
			all = append(all, rule)
		}
	}
	slices.SortStableFunc(all, func(a, b *compiled) int { return cmp.Compare(b.weight(), a.weight()) })
	if own != nil && own.holds(o) {
		all = slices.Insert(all, 0, own)
	}
	return all
}

// weight is greater the worse the rule's severity is.
func (c *compiled) weight() int { return slices.Index(severities, cmp.Or(c.Severity, Warning)) }

// part is one of the rules that hold for an event, beside the others.
type part struct {
	asker
	state *State
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
// severities.
func (p *part) besides(parts []*part, channels ...string) (names []string, worst string) {
	worst = p.Severity
	for _, other := range parts {
		if other == p || !slices.ContainsFunc(channels, func(channel string) bool { return slices.Contains(other.all.channels, channel) }) {
			continue
		}
		names = append(names, other.called())
		if slices.Index(severities, other.Severity) > slices.Index(severities, worst) {
			worst = other.Severity
		}
	}
	return names, worst
}

// severities, the worst last.
var severities = []string{Info, Warning, Critical}

// message is what the rule tells channels, with the names of all rules that it stands
// for there.
func (p *part) message(of *Message, parts []*part, channels ...string) *Message {
	m := *of
	names, worst := p.besides(parts, channels...)
	m.Rule, m.Severity = p.Rule, worst
	if len(names) > 0 {
		m.Fields = append(slices.Clip(m.Fields), Field{"also told by", strings.Join(names, ", ")})
	}
	return &m
}

// tell lets the rule tell its channels of an event, or hold it back.
func (k *Keeper) tell(now time.Time, p *part, parts []*part, m *Message, on On, held Tallies) ([]store.Insert, error) {
	free := p.Digest == 0 && !now.Before(p.state.Until)
	switch {
	case len(p.to) == 0: // others tell all for it
		if free && p.state.HeldBack == 0 {
			p.state.tell(now, p.Cooldown)
		}
		return nil, nil
	case free && p.partly() && p.state.HeldBack > 0: // its collection is due, and goes to all
		return k.hold(p, parts, m, on, func(s *State) Verdict { return s.Hold(now, held...) })
	}
	before := *p.state
	raise := func(s *State) Verdict { return s.Raise(now, held, p.Cooldown, p.Digest) }
	if !free {
		return k.hold(p, parts, m, on, raise)
	}
	raise(p.state)
	var inserts []store.Insert
	for _, channel := range p.to {
		told := p.message(m, parts, channel)
		told.HeldBack, told.Names, told.Kinds, told.Since = before.HeldBack, before.Names, before.Kinds, before.HeldSince
		more, err := k.deliveries(told, p.all.only(channel))
		if err != nil {
			return nil, err
		}
		inserts = append(inserts, more...)
	}
	return inserts, nil
}

// hold counts what the rule tells of later.
func (k *Keeper) hold(p *part, parts []*part, m *Message, on On, count func(*State) Verdict) ([]store.Insert, error) {
	told, first := p.message(m, parts, p.to...), p.state.HeldBack == 0
	verdict := count(p.state)
	p.state.spare(p.all.without(p.to), first)
	if p.state.Last = nil; p.state.HeldBack == 1 && m.ID != "" {
		p.state.Last = told
	}
	return k.digest(p.state, verdict, &digest{
		Account: p.Account, Rule: p.Rule, Subject: m.Subject, Severity: told.Severity, Queue: m.Queue, Type: m.TaskType, Target: m.Target,
		Cooldown: p.Cooldown, Channels: p.Channels, On: on,
	})
}

// share changes the states of all rules that hold for an event about a subject, at once.
func (k *Keeper) share(ctx context.Context, once string, m *Message, askers []asker, change func(now time.Time, p *part, parts []*part) ([]store.Insert, error)) error {
	names := make([]string, len(askers))
	for i := range askers {
		names[i] = stateName(askers[i].Account, m.Subject)
	}
	return k.swapAll(ctx, once, kindState, names, func(bodies [][]byte) (states []any, inserts []store.Insert, err error) {
		parts := make([]*part, len(askers))
		for i, a := range askers {
			parts[i] = &part{asker: a, state: &State{}, all: k.audience(a.Channels)}
			parts[i].mute = k.mute(m, a.Rule, parts[i].all.channels)
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

// mute are the channels that a silence now keeps a rule's message from.
func (k *Keeper) mute(of *Message, rule string, channels []string) (mute []string) {
	m := *of
	m.Rule = rule
	for _, channel := range channels {
		if k.silence(&m, channel) != nil {
			mute = append(mute, channel)
		}
	}
	return mute
}

// audience is who is told.
type audience struct {
	channels []string
	unknown  []string // names of no channel; the default channels are told too
	instead  []string // those that are told for that reason only
}

// audience of the channels that a rule names.
func (k *Keeper) audience(named []string) (a audience) {
	b := k.book.Load()
	a.unknown = k.unknown(named)
	for _, channel := range b.to(named) {
		if !slices.Contains(a.channels, channel) {
			a.channels = append(a.channels, channel)
		}
	}
	if len(a.unknown) == 0 {
		return a
	}
	for _, channel := range b.to(nil) { // a task may name any channel, and its alert must not wait unseen
		if !slices.Contains(a.channels, channel) {
			a.channels, a.instead = append(a.channels, channel), append(a.instead, channel)
		}
	}
	return a
}

func (a audience) only(channel string) audience {
	a.channels = []string{channel}
	return a
}

// without are the channels that are not among others.
func (a audience) without(others []string) (rest []string) {
	for _, channel := range a.channels {
		if !slices.Contains(others, channel) {
			rest = append(rest, channel)
		}
	}
	return rest
}
