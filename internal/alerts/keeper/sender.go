package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// sendPolicy is that of deliveries: hours of tries without a fallback, about
// half a minute with one. What is for good is over at once.
const (
	sendPolicy     = `{"max_attempts": 20, "backoff": {"kind": "exponential", "initial": "5s", "multiplier": 2, "max": "15m", "jitter": "equal"}, "timeout": "1m", "budget": "none", "breaker": "none"}`
	fallbackPolicy = `{"max_attempts": 4, "backoff": {"kind": "exponential", "initial": "3s", "multiplier": 3, "max": "15m", "jitter": "equal"}, "timeout": "1m", "budget": "none", "breaker": "none", "rules": [{"when": ["throttled"], "max_attempts": 2}]}`
)

// Sender puts messages on their way, and sends them. It is safe for concurrent use.
type Sender struct {
	*ledger
	book    *Book
	told    func(channel, result string) // nil for nobody
	console string                       // where people reach it, "" where that is not known

	mu   sync.Mutex
	last map[string]error // why channels did not deliver, as this node knows
}

// deliveries are the tasks that send a message, one for each channel.
func (s *Sender) deliveries(m *alert.Message, to audience) ([]store.Insert, error) {
	var inserts []store.Insert
	for _, channel := range to.channels {
		id := derivedID(time.Now(), m.ID, channel)
		copied := *m
		copied.ID = id.String()
		if slices.Contains(to.instead, channel) {
			copied.Fields = append(slices.Clip(m.Fields), alert.Field{Name: "no such channel", Value: strings.Join(to.unknown, ", ")})
		}
		insert, ok := s.delivery(id, channel, &delivery{Message: &copied}, time.Time{})
		if !ok {
			return nil, errNoQueue
		}
		inserts = append(inserts, insert)
	}
	return inserts, nil
}

func (s *Sender) delivery(id task.ID, channel string, d *delivery, at time.Time) (store.Insert, bool) {
	insert, ok := s.insert(id, alerts.SendType(channel), d, at)
	if !ok {
		return insert, false
	}
	insert.Task.Spec.Retry = json.RawMessage(sendPolicy)
	spec := s.book.edition.Load().channels[channel]
	if spec == nil || spec.Fallback == "" || d.Message == nil || d.Instead != "" {
		return insert, true
	}
	instead, err := json.Marshal(delivery{Message: d.Message, Whole: true, Instead: channel})
	if err != nil {
		return insert, false
	}
	insert.Task.Spec.Retry = json.RawMessage(fallbackPolicy)
	insert.Task.Spec.Fallback = &task.Follow{Type: alerts.SendType(spec.Fallback), Queue: alerts.Queue, Payload: instead}
	return insert, true
}

// Later is returned by [Sender.Send] where the channel may send only then.
type Later struct{ After time.Duration }

// Error implements error.
func (l *Later) Error() string { return "the channel may send again in " + plaintext.Span(l.After) }

// pace is when a channel has sent, and what waits for it.
type pace struct {
	Sent alerts.Slots `json:"sent,omitempty"`
	// Waiting are messages beyond the channel's rate, which become one. Only, if
	// there is one, is that one.
	Waiting int            `json:"waiting,omitempty"`
	Titles  []string       `json:"titles,omitempty"`
	Since   time.Time      `json:"since,omitzero"`
	Only    *alert.Message `json:"only,omitempty"`
	Flush   string         `json:"flush,omitempty"` // the task that sends them
}

// Send works on a task that sends to a channel. A message that the channel's
// rate has no room for joins the next collection; [Later] is about messages
// that cannot. One that a silence covers is not sent, and the result says so.
func (s *Sender) Send(ctx context.Context, id task.ID, channel string, payload []byte) (result []byte, err error) {
	var d delivery
	if err := json.Unmarshal(payload, &d); err != nil || d.Message == nil && !d.Flush {
		return nil, unreadable(err)
	}
	if d.Message != nil {
		by := s.book.silence(d.Message, channel)
		if d.Message.Kind == alert.Recovered && s.book.stateful(channel) {
			by = nil // it pages nobody, and ends what was told before the silence
		}
		if by != nil {
			if s.told != nil {
				s.told(channel, "silenced")
			}
			return json.Marshal(silenced{by.ID})
		}
	}
	return s.send(ctx, id, channel, &d)
}

func (s *Sender) send(ctx context.Context, id task.ID, channel string, d *delivery) (result []byte, err error) {
	to := s.book.Channels()[channel]
	if to == nil {
		return nil, &task.Error{Code: task.CodeUnavailable, Message: "the channel " + task.Quote(channel) + " cannot be used on this node", Hint: "see outlast alert channels"}
	}
	if d.Flush {
		return nil, s.flush(ctx, id, channel)
	}
	joined, err := s.slot(ctx, id, channel, d)
	if err != nil {
		return nil, err
	}
	if joined {
		return json.Marshal(collected{true})
	}
	if d.Instead != "" {
		d.Message.Fields = append(d.Message.Fields, alert.Field{Name: "instead of", Value: d.Instead + ", which could not deliver this"})
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.book.timeout(channel), errSendTimeout)
	defer cancel()
	err = to.Send(ctx, s.linked(d.Message))
	s.sent(channel, err)
	return nil, err
}

// linked is a message with links into the console, as this node knows it now.
func (s *Sender) linked(m *alert.Message) *alert.Message {
	m.Links = alerts.Links(s.console, m)
	return m
}

var errSendTimeout = errors.New("the channel took longer than its timeout")

// slot takes a slot of the channel'p rate, or lets the message join those that
// wait for one.
func (s *Sender) slot(ctx context.Context, id task.ID, channel string, d *delivery) (joined bool, err error) {
	limits := s.book.limits(channel)
	if len(limits) == 0 {
		return false, nil
	}
	err = s.swap(ctx, "", kindSlots, channel, func(body []byte) (any, []store.Insert, error) {
		var p pace
		if body != nil {
			if err := json.Unmarshal(body, &p); err != nil {
				return nil, nil, unreadable(err)
			}
		}
		joined = false
		now := time.Now()
		wait := p.Sent.Take(now, limits)
		if wait == 0 {
			return &p, nil, nil
		}
		if d.Whole || s.book.stateful(channel) {
			return nil, nil, &Later{wait}
		}
		joined = true
		return s.join(&p, id, channel, d.Message, now, now.Add(wait))
	})
	if joined && err == nil && s.told != nil {
		s.told(channel, "digested")
	}
	return joined, err
}

// join adds a message to those that wait.
func (s *Sender) join(p *pace, id task.ID, channel string, m *alert.Message, now, at time.Time) (any, []store.Insert, error) {
	if p.Waiting == 0 {
		p.Since, p.Only = now, m
	} else {
		p.Only = nil
	}
	p.Waiting++
	if len(p.Titles) < alerts.MostNames {
		p.Titles = append(p.Titles, plaintext.Head(m.Title(), 200))
	}
	if p.Flush != "" {
		return p, nil, nil
	}
	insert, ok := s.delivery(derivedID(now, "flush", id.String()), channel, &delivery{Flush: true}, at)
	if !ok {
		return nil, nil, errNoQueue
	}
	p.Flush = insert.Task.ID.String()
	return p, []store.Insert{insert}, nil
}

// flush makes one message of those that wait, which is then a task of its own:
// so none is lost between the two.
func (s *Sender) flush(ctx context.Context, id task.ID, channel string) error {
	return s.swap(ctx, "", kindSlots, channel, func(body []byte) (any, []store.Insert, error) {
		var p pace
		if body != nil {
			if err := json.Unmarshal(body, &p); err != nil {
				return nil, nil, unreadable(err)
			}
		}
		if p.Flush != id.String() {
			return nil, nil, errUnchanged
		}
		next := derivedID(time.Now(), "collection", id.String())
		m := p.Only
		if p.Waiting != 1 || m == nil {
			m = &alert.Message{
				ID: next.String(), Kind: alert.Held, Rule: alerts.Several, Subject: channel, Severity: alert.Warning, At: time.Now().UTC(),
				Text:     plaintext.Counted(p.Waiting, "message") + " were more than the channel may send at once",
				HeldBack: p.Waiting, Names: p.Titles, Since: p.Since,
			}
		}
		insert, ok := s.delivery(next, channel, &delivery{Message: m, Whole: true}, time.Time{})
		if !ok {
			return nil, nil, errNoQueue
		}
		p = pace{Sent: p.Sent}
		return &p, []store.Insert{insert}, nil
	})
}

// sent notes how a delivery has ended.
func (s *Sender) sent(channel string, err error) {
	result := "sent"
	s.mu.Lock()
	if s.last == nil {
		s.last = map[string]error{}
	}
	if delete(s.last, channel); err != nil {
		result, s.last[channel] = "failed", err
	}
	s.mu.Unlock()
	if err != nil {
		v := retry.Classify(err)
		s.Logger.Error("alert.undelivered", "channel", channel, "category", string(v.Category), "code", v.Code, "error", err)
	}
	if s.told != nil {
		s.told(channel, result)
	}
}

// Trouble is why the last delivery of this node to a channel has failed, by
// channel; channels that work are not in it.
func (s *Sender) Trouble() map[string]error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]error, len(s.last))
	for name, err := range s.last {
		out[name] = err
	}
	return out
}
