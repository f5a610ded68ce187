package keeper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// ackMemory is how long an acknowledgement is kept: as long as letters are by
// default, and undelivered messages with them.
const ackMemory = 30 * 24 * time.Hour

// covers reports whether an acknowledgement is about a message.
func covers(a *alert.Ack, m *alert.Message) bool {
	return a.Rule == m.Rule && a.Subject == m.Subject && !m.At.Before(a.From) && !m.At.After(a.To)
}

// Acks are acknowledgements by rule and subject.
type Acks map[string][]alert.Ack

// Of is what covers a message, nil for none.
func (a Acks) Of(m *alert.Message) *alert.Ack {
	for _, ack := range a[stateName(m.Rule, m.Subject)] {
		if covers(&ack, m) {
			return &ack
		}
	}
	return nil
}

// Acks reads all acknowledgements.
func (d *Desk) Acks(ctx context.Context) (Acks, error) {
	objects, err := d.Backend.Objects(ctx, kindAck)
	if err != nil {
		return nil, err
	}
	acks := Acks{}
	for i := range objects {
		var ack alert.Ack
		if json.Unmarshal(objects[i].Body, &ack) == nil {
			name := stateName(ack.Rule, ack.Subject)
			acks[name] = append(acks[name], ack)
		}
	}
	return acks, nil
}

// Acknowledge notes, for all channels, that the actor of the audit row takes care of
// what a message tells of. An aggregate that goes on firing is not told again until
// it is over. What is acknowledged already stays as it is, and leaves no row.
func (d *Desk) Acknowledge(ctx context.Context, m *alert.Message, row store.Audit) (*alert.Ack, error) {
	for {
		acks, err := d.Acks(ctx)
		if err != nil {
			return nil, err
		}
		if ack := acks.Of(m); ack != nil {
			return ack, nil
		}
		ack, change, err := d.acknowledge(ctx, m, row)
		if err != nil {
			return nil, err
		}
		if _, err = d.Backend.Change(ctx, *change); err == nil {
			return ack, nil
		}
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// acknowledge is the change that acknowledges a message: of the state too, where an
// aggregate fires that the message is about.
func (d *Desk) acknowledge(ctx context.Context, m *alert.Message, row store.Audit) (*alert.Ack, *store.Change, error) {
	now := time.Now().UTC()
	ack := &alert.Ack{Rule: m.Rule, Subject: m.Subject, By: row.Actor, At: now, From: m.At, To: m.At}
	change := &store.Change{Quiet: true}
	object, state, err := d.firing(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if state != nil {
		ack.From, ack.To = began(state), later(now, m.At)
		state.Acked = true
		if object.Body, err = json.Marshal(state); err != nil {
			return nil, nil, err
		}
		object.Actor = cmp.Or(row.Actor, object.Actor)
		change.Put = append(change.Put, *object)
	}
	body, err := json.Marshal(ack)
	if err != nil {
		return nil, nil, err
	}
	name := stateName(m.Rule, m.Subject) + "/" + strconv.FormatInt(ack.From.UnixMicro(), 10)
	change.Put = append(change.Put, store.Object{Kind: kindAck, Name: name, Body: body, Actor: row.Actor})
	row.After = body
	change.Audit = []store.Audit{row}
	return ack, change, nil
}

// firing is the state of the aggregate that a message tells of, nil unless it still
// fires.
func (d *Desk) firing(ctx context.Context, m *alert.Message) (*store.Object, *alerts.State, error) {
	if m.Kind != alert.Raised {
		return nil, nil, nil
	}
	object, err := d.Backend.Object(ctx, kindFires, stateName(m.Rule, m.Subject))
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	state := &alerts.State{}
	if err := json.Unmarshal(object.Body, state); err != nil {
		return nil, nil, unreadable(err)
	}
	if !state.Firing || m.At.Before(began(state)) {
		return nil, nil, nil
	}
	return object, state, nil
}

// began is when the first message of an aggregate that fires can have been of: it is
// measured a moment before its state is written. What was over before is older than
// that by another measurement.
func began(s *alerts.State) time.Time { return s.Since.Add(-alerts.Step) }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
