package txtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var errRefused = errors.New("the card was refused")

// What a transaction accepts exists exactly if it commits, with its dedupe key,
// and starts when the node looks.
func TestEnqueueDecides(t *testing.T) {
	everywhere(t, func(s *shop) {
		started := make(chan string, 10)
		client := s.node(func(c *outlast.Client) {
			outlast.Handle(c, "n", func(_ context.Context, payload string) error { started <- payload; return nil })
		})
		draft := func(payload string) outlast.Draft {
			return outlast.Draft{Type: "n", DedupeKey: "order", Payload: []byte(`"` + payload + `"`)}
		}
		enqueue := func(payload string, also error) (receipt outlast.Receipt) {
			err := inTx(s.ctx, s, func(t tx) error {
				receipts, err := t.enqueue(s.ctx, client, draft(payload), outlast.Draft{Type: "n", Payload: []byte(`"second"`), Delay: time.Hour})
				if err != nil {
					return err
				}
				receipt = receipts[0]
				if again, err := t.enqueue(s.ctx, client, draft(payload)); err != nil || !again[0].Existing || again[0].Task.ID != receipt.Task.ID {
					s.Errorf("the same again: %+v, %v", again, err)
				}
				return also
			})
			if !errors.Is(err, also) {
				s.Fatal(err)
			}
			return receipt
		}
		lost := enqueue("lost", errRefused)
		_, err := client.Inspector().Tasks.Get(s.ctx, lost.Task.ID)
		s.wantCode("after a rollback", err, task.CodeNotFound)
		kept := enqueue("kept", nil)
		select {
		case payload := <-started:
			if payload != "kept" {
				s.Errorf("%s was started", payload)
			}
		case <-s.ctx.Done():
			s.Fatal("what was committed is not started")
		}
		again, err := client.Enqueue(s.ctx, draft("kept"))
		if s.ok(err); !again.Existing || again.Task.ID != kept.Task.ID {
			s.Errorf("after the commit: %+v", again)
		}
		err = inTx(s.ctx, s, func(t tx) error {
			_, err := t.enqueue(s.ctx, client, draft("another"))
			return err
		})
		s.wantCode("another content", err, task.CodeDedupeConflict)
	})
}

// mute is a store whose node finds nothing by looking at all of its ten lanes, as it does by
// itself. A look at few lanes is one that somebody has told it to take.
type mute struct {
	store.Backend
	deaf    bool          // it does not tell of commits, which SQLite does by itself
	looks   chan struct{} // one for each look at all
	open    atomic.Bool   // such looks find what is there
	arrives atomic.Bool   // looks at what has arrived do
}

func (m *mute) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	pages, err := m.Backend.Scan(ctx, ranges)
	if err == nil && len(ranges) > 5 && !m.open.Load() {
		pages = make([][]store.Entry, len(ranges))
		select {
		case m.looks <- struct{}{}:
		default:
		}
	}
	return pages, err
}

// Arrived finds nothing either, on stores that can tell what has arrived.
func (m *mute) Arrived(ctx context.Context, lanes []uint16, since string) (store.Arrival, error) {
	below, ok := store.As[store.Arrivals](m.Backend)
	if !ok {
		return store.Arrival{}, nil
	}
	found, err := below.Arrived(ctx, lanes, since)
	if !m.arrives.Load() {
		found.Entries = nil
	}
	return found, err
}

// Through lets the engine find all else that the store can do.
func (m *mute) Through(target any) bool {
	switch target.(type) {
	case *store.Waker, *store.Spotter:
		if m.deaf {
			return false
		}
	}
	to := reflect.ValueOf(target).Elem()
	can := reflect.TypeOf(m.Backend).Implements(to.Type())
	if can {
		to.Set(reflect.ValueOf(m.Backend))
	}
	return can
}

// Committed makes the owner of the lane start at once what a transaction has
// accepted: on the node itself always, on another one where the database can
// tell it. A notice inside the transaction does that too.
func TestStartAfterCommit(t *testing.T) {
	everywhere(t, func(s *shop) {
		started := make(chan outlast.ID, 1)
		backend := &mute{Backend: s.openStore(), deaf: !s.db.kind.tells, looks: make(chan struct{})}
		owner := s.client(backend)
		outlast.Handle(owner, "n", func(ctx context.Context, _ none) error {
			info, _ := outlast.Info(ctx)
			started <- info.ID
			return nil
		})
		s.ok(owner.Start(s.ctx))
		front := s.node(func(*outlast.Client) {}, outlast.WithEnqueueOnly())
		accept := func(client *outlast.Client, inside, after func(tx, []outlast.Receipt) error) outlast.ID {
			s.Helper()
			var receipts []outlast.Receipt
			var last tx
			s.ok(inTx(s.ctx, s, func(t tx) (err error) {
				last = t
				if receipts, err = t.enqueue(s.ctx, client, outlast.Draft{Type: "n"}); err != nil {
					return err
				}
				return inside(t, receipts)
			}))
			s.ok(after(last, receipts))
			return receipts[0].Task.ID
		}
		starts := func(what string, id outlast.ID) {
			s.Helper()
			select {
			case is := <-started:
				if is != id {
					s.Fatalf("%s: %s was started instead of %s", what, is, id)
				}
			case <-s.ctx.Done():
				s.Fatalf("%s: not started", what)
			}
		}
		nothing := func(tx, []outlast.Receipt) error { return nil }
		tell := func(client *outlast.Client) func(tx, []outlast.Receipt) error {
			return func(_ tx, receipts []outlast.Receipt) error { client.Committed(receipts...); return nil }
		}
		notify := func(t tx, receipts []outlast.Receipt) error { return t.notify(s.ctx, front, receipts...) }

		id := accept(front, nothing, nothing)
		for range 4 { // the last two began after the commit, and the owner has its lanes
			select {
			case <-backend.looks:
			case is := <-started:
				s.Fatalf("%s was started, and nobody was told", is)
			case <-s.ctx.Done():
				s.Fatal("the owner does not look")
			}
		}
		backend.open.Store(true)
		starts("found by a look", id)
		backend.open.Store(false)
		if _, ok := store.As[store.Arrivals](backend.Backend); ok {
			backend.arrives.Store(true)
			starts("found among what has arrived", accept(front, nothing, nothing))
			backend.arrives.Store(false)
		}
		for range 3 {
			starts("told on the node itself", accept(owner, nothing, tell(owner)))
			starts("told before and after", accept(owner, tell(owner), tell(owner)))
			if s.db.kind.tells {
				starts("told on another node", accept(front, nothing, tell(front)))
				starts("told in the commit", accept(front, notify, nothing))
			}
		}
		if !s.db.kind.tells {
			err := inTx(s.ctx, s, func(t tx) error { return notify(t, nil) })
			s.wantCode("a notice in the transaction", err, task.CodeUnavailable)
		}
	})
}

type none struct{}

// A chain of steps, each of which completes its task and enqueues the next in
// one transaction, takes every step once, whatever happens around the commits.
func TestChain(t *testing.T) {
	everywhere(t, func(s *shop) {
		const chains, steps = 8, 5
		client := s.node(func(c *outlast.Client) {
			outlast.Handle(c, "step", func(ctx context.Context, step chainStep) error {
				return step.take(ctx, s, c)
			}, quick(100))
		})
		var group sync.WaitGroup
		for chain := range chains {
			group.Go(func() {
				if _, err := client.Enqueue(s.ctx, outlast.Draft{Type: "step", Payload: fmt.Appendf(nil, `{"chain": "c%d", "step": 1, "last": %d}`, chain, steps)}); err != nil {
					s.Error(err)
				}
			})
		}
		group.Wait()
		for ended := 0; ended < chains; {
			n, err := s.number(s.ctx, `SELECT count(*) FROM effect WHERE step = ?`, steps)
			s.ok(err)
			ended = n
			s.pause(20 * time.Millisecond)
		}
		s.pause(200 * time.Millisecond) // for a step too many
		n, err := s.number(s.ctx, `SELECT count(*) FROM effect`)
		s.ok(err)
		distinct, err := s.number(s.ctx, `SELECT count(*) FROM (SELECT DISTINCT task, step FROM effect) AS d`)
		if s.ok(err); n != chains*steps || distinct != chains*steps {
			s.Errorf("%d steps, %d of them different, want %d", n, distinct, chains*steps)
		}
	})
}

type chainStep struct {
	Chain string
	Step  int
	Last  int
}

// take does one step; the first attempt of each goes wrong in a way of its own.
func (step chainStep) take(ctx context.Context, s *shop, client *outlast.Client) error {
	info, _ := outlast.Info(ctx)
	wrong := 0
	if info.Attempt == 1 {
		wrong = step.Step
	}
	if wrong == 4 {
		s.loseAnswer()
	}
	asked := false
	err := inTx(ctx, s, func(t tx) error {
		if err := t.exec(ctx, `INSERT INTO effect (task, step, claim_number) VALUES (?, ?, ?)`, step.Chain, step.Step, info.Claim); err != nil {
			return err
		}
		if step.Step < step.Last {
			next := fmt.Appendf(nil, `{"chain": %q, "step": %d, "last": %d}`, step.Chain, step.Step+1, step.Last)
			if _, err := t.enqueue(ctx, client, outlast.Draft{Type: "step", Payload: next}); err != nil {
				return err
			}
		}
		asked = true
		if err := t.complete(ctx, step.Step); err != nil || wrong != 1 {
			return err
		}
		return errRefused
	})
	switch {
	case wrong == 2:
		return errors.Join(err, errRefused)
	case wrong == 3:
		panic("after the commit")
	case wrong == 5 && asked: // who has not asked for a completion and returns well has done his step
		return nil
	}
	return err
}

// pause lets the servers work.
func (s *shop) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.ctx.Done():
		s.Fatal(s.ctx.Err())
	}
}
