package alert

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// raised is the payload of a task that an alert is raised by.
type raised struct {
	Askers  []asker  `json:"askers"` // the rules that hold for the event
	On      On       `json:"on"`
	Held    Tallies  `json:"held"` // what is counted of the event where it is held back
	Message *Message `json:"message"`
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
	On       On            `json:"on,omitempty"`
}

// text says in a sentence what was held back.
func (d *digest) text(m *Message) string {
	if d.On == OnProcess {
		return lostText(m.HeldBack, m.Kinds)
	}
	return counted(m.HeldBack, "alert") + " of the rule " + d.Rule + " about " + d.Subject + " since " + m.Since.UTC().Format(time.RFC3339) + m.Kinds.most()
}

// errIncomplete is a payload without what it has to have.
var errIncomplete = errors.New("parts of it are missing")

// unreadable is the error of a payload that this program cannot read; err is nil where
// it is JSON.
func unreadable(err error) error {
	err = cmp.Or(err, errIncomplete)
	return task.Invalid("payload", "the alert cannot be read: "+err.Error(), "it was made by another release")
}

// Raise works on a task of [TypeRaise]: it tells, or holds back, by the states
// of the rules and the subject that all nodes share.
func (k *Keeper) Raise(ctx context.Context, id task.ID, payload []byte) error {
	var r raised
	if err := json.Unmarshal(payload, &r); err != nil || r.Message == nil || len(r.Askers) == 0 {
		return unreadable(err)
	}
	if len(r.Held) == 0 {
		r.Held = Tallies{{Count: 1}} // as releases before wrote it
	}
	return k.share(ctx, "alert.raise/"+id.String(), r.Message, r.Askers, func(now time.Time, p *part, parts []*part) ([]store.Insert, error) {
		return k.tell(now, p, parts, r.Message, r.On, r.Held)
	})
}

// digest makes the task that tells what is held back, if the verdict asks for it.
func (k *Keeper) digest(s *State, verdict Verdict, d *digest) ([]store.Insert, error) {
	if !verdict.Digest {
		return nil, nil
	}
	id := task.NewID(time.Now(), random{})
	insert, ok := k.insert(id, TypeDigest, d, verdict.At)
	if !ok {
		return nil, errNoQueue
	}
	s.Digest = insert.Task.ID.String()
	return []store.Insert{insert}, nil
}

// Digest works on a task of [TypeDigest].
func (k *Keeper) Digest(ctx context.Context, id task.ID, payload []byte) error {
	var d digest
	if err := json.Unmarshal(payload, &d); err != nil {
		return unreadable(err)
	}
	return k.update(ctx, "", kindState, d.Account, d.Subject, func(now time.Time, s *State) ([]store.Insert, error) {
		if s.Digest != id.String() {
			return nil, errUnchanged // told before
		}
		if now.Before(s.Until) { // another message went out since the digest was planned
			return nil, &Later{s.Until.Sub(now)}
		}
		m := &Message{ID: id.String(), Kind: Held, Rule: d.Rule, Subject: d.Subject, Severity: d.Severity, Queue: d.Queue, TaskType: d.Type, Target: d.Target, At: now}
		last, told := s.Last, k.audience(d.Channels)
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
		return k.deliveries(m, told)
	})
}

// writeHeld adds to the states what this node has held back.
func (k *Keeper) writeHeld(ctx context.Context) {
	for _, held := range k.gates.take(time.Now()) {
		taskType, queue, target := places(held.on, held.subject)
		m := &Message{Subject: held.subject, Queue: queue, TaskType: taskType, Target: target}
		err := k.share(ctx, "", m, held.askers, func(now time.Time, p *part, parts []*part) ([]store.Insert, error) {
			if len(p.to) == 0 {
				return nil, nil
			}
			return k.hold(p, parts, m, held.on, func(s *State) Verdict { return s.Hold(now, held.held...) })
		})
		if err != nil {
			k.gates.putBack(held)
			k.Logger.Warn("alert.held_unwritten", "rule", held.askers[0].Rule, "error", err)
		}
	}
}

// errUnchanged ends an update without writing; errNoQueue says that the queue
// of alerts is not there.
var (
	errUnchanged = errors.New("alert: nothing to change")
	errNoQueue   = &task.Error{Code: task.CodeUnavailable, Message: "there is no queue " + Queue}
)

// update changes the state of a rule and subject, with the tasks that follow
// from the change, by compare-and-set: again if another was faster. A change with
// an id is made once, however often it is asked for.
func (k *Keeper) update(ctx context.Context, once, kind, rule, subject string, change func(now time.Time, s *State) ([]store.Insert, error)) error {
	return k.swap(ctx, once, kind, stateName(rule, subject), func(body []byte) (any, []store.Insert, error) {
		state := &State{}
		if body != nil {
			if err := json.Unmarshal(body, state); err != nil {
				return nil, nil, unreadable(err)
			}
		}
		state.Rule, state.Subject = rule, subject
		inserts, err := change(time.Now(), state)
		return state, inserts, err
	})
}

// swap is the compare-and-set of one quiet object.
func (k *Keeper) swap(ctx context.Context, once, kind, name string, change func(body []byte) (any, []store.Insert, error)) error {
	return k.swapAll(ctx, once, kind, []string{name}, func(bodies [][]byte) ([]any, []store.Insert, error) {
		value, inserts, err := change(bodies[0])
		return []any{value}, inserts, err
	})
}

// swapAll is the compare-and-set of quiet objects, all at once.
func (k *Keeper) swapAll(ctx context.Context, once, kind string, names []string, change func(bodies [][]byte) ([]any, []store.Insert, error)) error {
	for {
		objects, bodies, err := k.objects(ctx, kind, names)
		if err != nil {
			return err
		}
		values, inserts, err := change(bodies)
		if errors.Is(err, errUnchanged) {
			return nil
		}
		if err != nil {
			return err
		}
		request := store.Change{ID: once, Quiet: true}
		if request.Put, err = changed(objects, values); err != nil {
			return err
		}
		if len(inserts) > 0 {
			request.Enqueue = []store.Batch{{Items: inserts}}
		}
		_, err = k.Backend.Change(ctx, request)
		if err == nil && len(inserts) > 0 {
			k.wake(inserts)
		}
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// objects reads objects, and what is in them; nil in those that are not there.
func (k *Keeper) objects(ctx context.Context, kind string, names []string) (objects []store.Object, bodies [][]byte, err error) {
	for _, name := range names {
		object, err := k.Backend.Object(ctx, kind, name)
		if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
			object, err = &store.Object{Kind: kind, Name: name}, nil
		}
		if err != nil {
			return nil, nil, err
		}
		objects, bodies = append(objects, *object), append(bodies, object.Body)
	}
	return objects, bodies, nil
}

// changed are the objects with other values.
func changed(objects []store.Object, values []any) (put []store.Object, err error) {
	for i := range objects {
		body, err := json.Marshal(values[i])
		if err != nil {
			return nil, err
		}
		put = append(put, store.Object{Kind: objects[i].Kind, Name: objects[i].Name, Body: body, Version: objects[i].Version, Actor: "alerts"})
	}
	return put, nil
}

// stateName is the object of a rule and subject: the subject may be longer than
// a name.
func stateName(rule, subject string) string {
	sum := sha256.Sum256([]byte(subject))
	return rule + "/" + hex.EncodeToString(sum[:12])
}

// derivedID is an id that is the same for the same parts, so that what is
// enqueued twice is there once.
func derivedID(at time.Time, parts ...string) task.ID {
	sum := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part) // a hash takes everything
	}
	numbers := fixed(sum.Sum(nil))
	return task.NewID(at, &numbers)
}

// fixed gives the numbers that it consists of.
type fixed []byte

func (f *fixed) Uint64() uint64 {
	next := binary.BigEndian.Uint64(*f)
	*f = (*f)[8:]
	return next
}
