package keeper

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// errIncomplete is a payload without what it has to have.
var errIncomplete = errors.New("parts of it are missing")

// unreadable is the error of a payload that this program cannot read; err is nil where
// it is JSON.
func unreadable(err error) error {
	err = cmp.Or(err, errIncomplete)
	return task.Invalid("payload", "the alert cannot be read: "+err.Error(), "it was made by another release")
}

// ledger is the tasks and the states of alerts in the store.
type ledger struct {
	Backend store.Backend
	Node    Node
	Logger  *slog.Logger
}

// Kinds of the objects that are state, which is changed quietly.
const (
	kindState = "alert.state" // of a rule and subject that an event was raised for
	kindFires = "alert.fires" // of a rule and subject that is measured
	kindSlots = "alert.slots" // of a channel
	kindRates = "alert.rates" // of a node
	kindAck   = "alert.ack"   // of a rule and subject that somebody takes care of
)

// errUnchanged ends an update without writing; errNoQueue says that the queue
// of alerts is not there.
var (
	errUnchanged = errors.New("alert: nothing to change")
	errNoQueue   = &task.Error{Code: task.CodeUnavailable, Message: "there is no queue " + alerts.Queue}
)

// update changes the state of a rule and subject, with the tasks that follow
// from the change, by compare-and-set: again if another was faster. A change with
// an id is made once, however often it is asked for.
func (l *ledger) update(ctx context.Context, once, kind, rule, subject string, change func(now time.Time, s *alerts.State) ([]store.Insert, error)) error {
	return l.swap(ctx, once, kind, stateName(rule, subject), func(body []byte) (any, []store.Insert, error) {
		state := &alerts.State{}
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
func (l *ledger) swap(ctx context.Context, once, kind, name string, change func(body []byte) (any, []store.Insert, error)) error {
	return l.swapAll(ctx, once, kind, []string{name}, func(bodies [][]byte) ([]any, []store.Insert, error) {
		value, inserts, err := change(bodies[0])
		return []any{value}, inserts, err
	})
}

// swapAll is the compare-and-set of quiet objects, all at once.
func (l *ledger) swapAll(ctx context.Context, once, kind string, names []string, change func(bodies [][]byte) ([]any, []store.Insert, error)) error {
	for {
		objects, bodies, err := l.objects(ctx, kind, names)
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
		_, err = l.Backend.Change(ctx, request)
		if err == nil && len(inserts) > 0 {
			l.wake(inserts)
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
func (l *ledger) objects(ctx context.Context, kind string, names []string) (objects []store.Object, bodies [][]byte, err error) {
	for _, name := range names {
		object, err := l.Backend.Object(ctx, kind, name)
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
