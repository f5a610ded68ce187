package keeper

import (
	"context"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// raised is the payload of a task that an alert is raised by.
type raised struct {
	Askers  []asker        `json:"askers"` // the rules that hold for the event
	On      alert.On       `json:"on"`
	Held    alert.Tallies  `json:"held"` // what is counted of the event where it is held back
	Message *alert.Message `json:"message"`
}

// digest is the payload of a task that tells what was held back.
type digest struct {
	Account  string        `json:"account"`
	Rule     string        `json:"rule"`
	Subject  string        `json:"subject"`
	Severity string        `json:"severity,omitempty"`
	Queue    string        `json:"queue,omitempty"`
	Type     string        `json:"type,omitempty"`
	Target   string        `json:"target,omitempty"`
	Cooldown time.Duration `json:"cooldown,omitempty"` // ns
	Channels []string      `json:"channels,omitempty"`
	On       alert.On      `json:"on,omitempty"`
}

// text says in a sentence what was held back.
func (d *digest) text(m *alert.Message) string {
	if d.On == alert.OnProcess {
		return alerts.LostText(m.HeldBack, m.Kinds)
	}
	return plaintext.Counted(m.HeldBack, "alert") + " of the rule " + d.Rule + " about " + d.Subject + " since " + m.Since.UTC().Format(time.RFC3339) + alerts.Most(m.Kinds)
}

// Teller lets rules tell, or hold back, by the states that all nodes share.
type Teller struct {
	*ledger
	book   *Book
	sender *Sender
}

// Raise works on a task of [TypeRaise]: it tells, or holds back, by the states
// of the rules and the subject that all nodes share.
func (t *Teller) Raise(ctx context.Context, id task.ID, payload []byte) error {
	var r raised
	if err := json.Unmarshal(payload, &r); err != nil || r.Message == nil || len(r.Askers) == 0 {
		return unreadable(err)
	}
	if len(r.Held) == 0 {
		r.Held = alert.Tallies{{Count: 1}} // as releases before wrote it
	}
	return t.share(ctx, "alert.raise/"+id.String(), r.Message, r.Askers, func(now time.Time, p *part, parts []*part) ([]store.Insert, error) {
		return t.tell(now, p, parts, r.Message, r.On, r.Held)
	})
}

// digest makes the task that tells what is held back, if the verdict asks for it.
func (t *Teller) digest(s *alerts.State, verdict alerts.Verdict, d *digest) ([]store.Insert, error) {
	if !verdict.Digest {
		return nil, nil
	}
	id := task.NewID(time.Now(), random{})
	insert, ok := t.insert(id, alerts.TypeDigest, d, verdict.At)
	if !ok {
		return nil, errNoQueue
	}
	s.Digest = insert.Task.ID.String()
	return []store.Insert{insert}, nil
}

// Digest works on a task of [TypeDigest].
func (t *Teller) Digest(ctx context.Context, id task.ID, payload []byte) error {
	var d digest
	if err := json.Unmarshal(payload, &d); err != nil {
		return unreadable(err)
	}
	return t.update(ctx, "", kindState, d.Account, d.Subject, func(now time.Time, s *alerts.State) ([]store.Insert, error) {
		if s.Digest != id.String() {
			return nil, errUnchanged // told before
		}
		if now.Before(s.Until) { // another message went out since the digest was planned
			return nil, &Later{s.Until.Sub(now)}
		}
		m := &alert.Message{ID: id.String(), Kind: alert.Held, Rule: d.Rule, Subject: d.Subject, Severity: d.Severity, Queue: d.Queue, TaskType: d.Type, Target: d.Target, At: now}
		last, told := s.Last, t.book.audience(d.Channels)
		if rest := told.without(s.Spared); len(rest) > 0 {
			told.channels = rest
		}
		if !s.Take(now, m, d.Cooldown) {
			return nil, nil
		}
		m.Text = d.text(m)
		if last != nil && m.HeldBack == 1 { // the one alert, as it was
			m.Text, m.Fields, m.At = last.Text, last.Fields, last.At
		}
		return t.sender.deliveries(m, told)
	})
}

// holdBack adds to the states of rules what a node has counted.
func (t *Teller) holdBack(ctx context.Context, held *heldBack) error {
	taskType, queue, target := alerts.Places(held.on, held.subject)
	m := &alert.Message{Subject: held.subject, Queue: queue, TaskType: taskType, Target: target}
	return t.share(ctx, "", m, held.askers, func(now time.Time, p *part, parts []*part) ([]store.Insert, error) {
		if len(p.to) == 0 {
			return nil, nil
		}
		return t.hold(p, parts, m, held.on, func(s *alerts.State) alerts.Verdict { return s.Hold(now, held.held...) })
	})
}
