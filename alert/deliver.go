package alert

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// delivery is the payload of a task that sends a message to a channel.
type delivery struct {
	Message *Message `json:"message,omitempty"`
	// Whole says that the message is not to be put together with others: it is
	// such a collection, or goes to a fallback.
	Whole bool `json:"whole,omitempty"`
	// Flush says that what the channel was too busy for is to be sent now.
	Flush bool `json:"flush,omitempty"`
	// Instead is the channel that could not deliver it.
	Instead string `json:"instead,omitempty"`
}

// sendPolicy is that of deliveries: hours of tries without a fallback, about
// half a minute with one. What is for good is over at once.
const (
	sendPolicy     = `{"max_attempts": 20, "backoff": {"kind": "exponential", "initial": "5s", "multiplier": 2, "max": "15m", "jitter": "equal"}, "timeout": "1m", "budget": "none", "breaker": "none"}`
	fallbackPolicy = `{"max_attempts": 4, "backoff": {"kind": "exponential", "initial": "3s", "multiplier": 3, "max": "15m", "jitter": "equal"}, "timeout": "1m", "budget": "none", "breaker": "none", "rules": [{"when": ["throttled"], "max_attempts": 2}]}`
)

// deliveries are the tasks that send a message, one for each channel.
func (k *Keeper) deliveries(m *Message, to audience) ([]store.Insert, error) {
	b := k.book.Load()
	var inserts []store.Insert
	for _, channel := range to.channels {
		id := derivedID(time.Now(), m.ID, channel)
		copied := *m
		copied.ID = id.String()
		if slices.Contains(to.instead, channel) {
			copied.Fields = append(slices.Clip(m.Fields), Field{"no such channel", strings.Join(to.unknown, ", ")})
		}
		insert, ok := k.delivery(b, id, channel, &delivery{Message: &copied}, time.Time{})
		if !ok {
			return nil, errNoQueue
		}
		inserts = append(inserts, insert)
	}
	return inserts, nil
}

// unknown are those of the channels named that are neither configured nor functions of
// a living process. Their messages wait for them.
func (k *Keeper) unknown(named []string) (names []string) {
	for _, name := range named {
		if !k.Knows(name) && !k.Names()[name] {
			names = append(names, name)
		}
	}
	return names
}

func (k *Keeper) delivery(b *book, id task.ID, channel string, d *delivery, at time.Time) (store.Insert, bool) {
	insert, ok := k.insert(id, SendType(channel), d, at)
	if !ok {
		return insert, false
	}
	insert.Task.Spec.Retry = json.RawMessage(sendPolicy)
	spec := b.channels[channel]
	if spec == nil || spec.Fallback == "" || d.Message == nil || d.Instead != "" {
		return insert, true
	}
	instead, err := json.Marshal(delivery{Message: d.Message, Whole: true, Instead: channel})
	if err != nil {
		return insert, false
	}
	insert.Task.Spec.Retry = json.RawMessage(fallbackPolicy)
	insert.Task.Spec.Fallback = &task.Follow{Type: SendType(spec.Fallback), Queue: Queue, Payload: instead}
	return insert, true
}

// Later is returned by [Keeper.Send] where the channel may send only then.
type Later struct{ After time.Duration }

// Error implements error.
func (l *Later) Error() string { return "the channel may send again in " + Span(l.After) }

// slots is the state of a channel.
type slots struct {
	Sent Slots `json:"sent,omitempty"`
	// Waiting are messages beyond the channel's rate, which become one. Only, if
	// there is one, is that one.
	Waiting int       `json:"waiting,omitempty"`
	Titles  []string  `json:"titles,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Only    *Message  `json:"only,omitempty"`
	Flush   string    `json:"flush,omitempty"` // the task that sends them
}

// Send works on a task that sends to a channel. A message that the channel's
// rate has no room for joins the next collection; [Later] is about messages
// that cannot. One that a silence covers is not sent, and the result says so.
func (k *Keeper) Send(ctx context.Context, id task.ID, channel string, payload []byte) (result []byte, err error) {
	var d delivery
	if err := json.Unmarshal(payload, &d); err != nil || d.Message == nil && !d.Flush {
		return nil, unreadable(err)
	}
	if d.Message != nil {
		if by := k.silence(d.Message, channel); by != nil {
			if k.Told != nil {
				k.Told(channel, "silenced")
			}
			return json.Marshal(silenced{by.ID})
		}
	}
	return k.send(ctx, id, channel, &d)
}

func (k *Keeper) send(ctx context.Context, id task.ID, channel string, d *delivery) (result []byte, err error) {
	to := (*k.channels.Load())[channel]
	if to == nil {
		return nil, &task.Error{Code: task.CodeUnavailable, Message: "the channel " + task.Quote(channel) + " cannot be used on this node", Hint: "see outlast alert channels"}
	}
	if d.Flush {
		return nil, k.flush(ctx, id, channel)
	}
	joined, err := k.slot(ctx, id, channel, d)
	if err != nil {
		return nil, err
	}
	if joined {
		return json.Marshal(collected{true})
	}
	if d.Instead != "" {
		d.Message.Fields = append(d.Message.Fields, Field{"instead of", d.Instead + ", which could not deliver this"})
	}
	ctx, cancel := context.WithTimeoutCause(ctx, k.timeout(channel), errSendTimeout)
	defer cancel()
	err = to.Send(ctx, d.Message)
	k.sent(channel, err)
	return nil, err
}

var errSendTimeout = errors.New("the channel took longer than its timeout")

func (k *Keeper) timeout(channel string) time.Duration {
	if spec := k.book.Load().channels[channel]; spec != nil {
		return spec.Timeout
	}
	return DefaultTimeout
}

// limits are those of a channel, none for what is no object.
func (k *Keeper) limits(channel string) []Limit {
	if spec := k.book.Load().channels[channel]; spec != nil {
		return spec.Limits
	}
	return nil
}

// slot takes a slot of the channel's rate, or lets the message join those that
// wait for one.
func (k *Keeper) slot(ctx context.Context, id task.ID, channel string, d *delivery) (joined bool, err error) {
	limits := k.limits(channel)
	if len(limits) == 0 {
		return false, nil
	}
	err = k.swap(ctx, "", kindSlots, channel, func(body []byte) (any, []store.Insert, error) {
		var s slots
		if body != nil {
			if err := json.Unmarshal(body, &s); err != nil {
				return nil, nil, unreadable(err)
			}
		}
		joined = false
		now := time.Now()
		wait := s.Sent.Take(now, limits)
		if wait == 0 {
			return &s, nil, nil
		}
		if d.Whole {
			return nil, nil, &Later{wait}
		}
		joined = true
		return k.join(&s, id, channel, d.Message, now, now.Add(wait))
	})
	if joined && err == nil && k.Told != nil {
		k.Told(channel, "digested")
	}
	return joined, err
}

// join adds a message to those that wait.
func (k *Keeper) join(s *slots, id task.ID, channel string, m *Message, now, at time.Time) (any, []store.Insert, error) {
	if s.Waiting == 0 {
		s.Since, s.Only = now, m
	} else {
		s.Only = nil
	}
	s.Waiting++
	if len(s.Titles) < mostNames {
		s.Titles = append(s.Titles, cut(m.Title(), 200))
	}
	if s.Flush != "" {
		return s, nil, nil
	}
	insert, ok := k.delivery(k.book.Load(), derivedID(now, "flush", id.String()), channel, &delivery{Flush: true}, at)
	if !ok {
		return nil, nil, errNoQueue
	}
	s.Flush = insert.Task.ID.String()
	return s, []store.Insert{insert}, nil
}

// flush makes one message of those that wait, which is then a task of its own:
// so none is lost between the two.
func (k *Keeper) flush(ctx context.Context, id task.ID, channel string) error {
	return k.swap(ctx, "", kindSlots, channel, func(body []byte) (any, []store.Insert, error) {
		var s slots
		if body != nil {
			if err := json.Unmarshal(body, &s); err != nil {
				return nil, nil, unreadable(err)
			}
		}
		if s.Flush != id.String() {
			return nil, nil, errUnchanged
		}
		next := derivedID(time.Now(), "collection", id.String())
		m := s.Only
		if s.Waiting != 1 || m == nil {
			m = &Message{
				ID: next.String(), Kind: Held, Rule: "several", Subject: channel, Severity: Warning, At: time.Now().UTC(),
				Text:     counted(s.Waiting, "message") + " were more than the channel may send at once",
				HeldBack: s.Waiting, Names: s.Titles, Since: s.Since,
			}
		}
		insert, ok := k.delivery(k.book.Load(), next, channel, &delivery{Message: m, Whole: true}, time.Time{})
		if !ok {
			return nil, nil, errNoQueue
		}
		s = slots{Sent: s.Sent}
		return &s, []store.Insert{insert}, nil
	})
}

// trouble is what this node knows of channels that do not deliver.
type trouble struct {
	mu   sync.Mutex
	last map[string]error
}

// sent notes how a delivery has ended.
func (k *Keeper) sent(channel string, err error) {
	result := "sent"
	k.trouble.mu.Lock()
	if k.trouble.last == nil {
		k.trouble.last = map[string]error{}
	}
	if delete(k.trouble.last, channel); err != nil {
		result, k.trouble.last[channel] = "failed", err
	}
	k.trouble.mu.Unlock()
	if err != nil {
		v := retry.Classify(err)
		k.Logger.Error("alert.undelivered", "channel", channel, "category", string(v.Category), "code", v.Code, "error", err)
	}
	if k.Told != nil {
		k.Told(channel, result)
	}
}

// Trouble is why the last delivery of this node to a channel has failed, by
// channel; channels that work are not in it.
func (k *Keeper) Trouble() map[string]error {
	k.trouble.mu.Lock()
	defer k.trouble.mu.Unlock()
	out := make(map[string]error, len(k.trouble.last))
	for name, err := range k.trouble.last {
		out[name] = err
	}
	return out
}

// MessageOf reads the message of a delivery, and the channel that it is sent
// instead of; nil for a payload without a message.
func MessageOf(payload []byte) (m *Message, instead string) {
	var d delivery
	if json.Unmarshal(payload, &d) != nil {
		return nil, ""
	}
	return d.Message, d.Instead
}

// here is a channel that this node can send to.
func (k *Keeper) here(channel string) (Channel, error) {
	if to := (*k.channels.Load())[channel]; to != nil {
		return to, nil
	}
	if err := k.Wrong()[KindChannel+"/"+channel]; err != nil {
		return nil, &task.Error{Code: task.CodeInvalid, Message: "the channel " + task.Quote(channel) + " is not configured so that this node can use it: " + err.Error(), Hint: "nothing was sent; outlast alert channels shows which can be used"}
	}
	return nil, &task.Error{Code: task.CodeUnavailable, Message: "the channel " + task.Quote(channel) + " belongs to another node"}
}

// Probe tries a channel without a message; see [Prober].
func (k *Keeper) Probe(ctx context.Context, channel string) error {
	to, err := k.here(channel)
	if err != nil {
		return err
	}
	prober, ok := to.(Prober)
	if !ok {
		return &task.Error{Code: task.CodeConflict, Message: "the channel " + task.Quote(channel) + " is a function of an application, which can only be tried by a message", Hint: "outlast alert test " + channel}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, k.timeout(channel), errSendTimeout)
	defer cancel()
	return prober.Probe(ctx)
}

// Test sends a message to a channel at once, within its rate.
func (k *Keeper) Test(ctx context.Context, channel string) error {
	to, err := k.here(channel)
	if err != nil {
		return err
	}
	id := task.NewID(time.Now(), random{})
	m := &Message{
		ID: id.String(), Kind: Test, Rule: "test", Subject: channel, Severity: Info, At: time.Now().UTC(),
		Text: "this is a test of the channel " + channel + "; nothing is wrong", Fields: fields("node", k.Node.Node()),
	}
	if _, err := k.slot(ctx, id, channel, &delivery{Message: m, Whole: true}); err != nil {
		if later, ok := errors.AsType[*Later](err); ok {
			return &task.Error{Code: task.CodeUnavailable, Message: later.Error(), RetryAfter: later.After}
		}
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, k.timeout(channel), errSendTimeout)
	defer cancel()
	err = to.Send(ctx, m)
	k.sent(channel, err)
	return err
}
