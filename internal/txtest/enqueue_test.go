package txtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/task"
)

var errRefused = errors.New("the card was refused")

// untold is how long what nobody was told of may take to start, which a poll finds
// within a second, on a machine that has much to do.
const untold = 30 * time.Second

// What a transaction accepts exists exactly if it commits, with its dedupe key,
// and starts within the second that a poll takes.
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
		_, err := client.Inspector().Get(s.ctx, lost.Task.ID)
		s.wantCode("after a rollback", err, task.CodeNotFound)
		kept := enqueue("kept", nil)
		select {
		case payload := <-started:
			if payload != "kept" {
				s.Errorf("%s was started", payload)
			}
		case <-time.After(untold):
			s.Errorf("not started within %s of the commit", untold)
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

// Committed makes the owner of the lane start at once what a transaction has
// accepted: on the node itself always, on another one where the database can
// tell it. A notice inside the transaction does that too.
func TestStartAfterCommit(t *testing.T) {
	everywhere(t, func(s *shop) {
		started := make(chan time.Time, 1)
		owner := s.node(func(c *outlast.Client) {
			outlast.Handle(c, "n", func(context.Context, none) error { started <- time.Now(); return nil })
		})
		front := s.node(func(*outlast.Client) {}, outlast.EnqueueOnly())
		took := func(client *outlast.Client, inside, after func(tx, []outlast.Receipt) error) (all []time.Duration) {
			for range 5 {
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
				committed := time.Now()
				select {
				case at := <-started:
					all = append(all, at.Sub(committed))
				case <-time.After(untold):
					s.Fatalf("not started within %s of the commit", untold)
				}
			}
			return all
		}
		nothing := func(tx, []outlast.Receipt) error { return nil }
		tell := func(client *outlast.Client) func(tx, []outlast.Receipt) error {
			return func(_ tx, receipts []outlast.Receipt) error { client.Committed(receipts...); return nil }
		}
		notify := func(t tx, receipts []outlast.Receipt) error { return t.notify(s.ctx, front, receipts...) }
		s.Logf("found by the poll: %v", took(front, nothing, nothing))
		plain := func() (all []time.Duration) { // accepted by the node itself: what this machine can do now
			for range 5 {
				s.enqueue(owner, outlast.Draft{Type: "n"})
				accepted := time.Now()
				all = append(all, (<-started).Sub(accepted))
			}
			return all
		}
		soon := func(what string, client *outlast.Client, inside, after func(tx, []outlast.Receipt) error) {
			s.soon(what, func() []time.Duration { return took(client, inside, after) }, plain)
		}
		soon("told on the node itself", owner, nothing, tell(owner))
		soon("told before and after", owner, tell(owner), tell(owner))
		if s.db.kind.tells {
			soon("told on another node", front, nothing, tell(front))
			soon("told in the commit", front, notify, nothing)
			return
		}
		err := inTx(s.ctx, s, func(t tx) error { return notify(t, nil) })
		s.wantCode("a notice in the transaction", err, task.CodeUnavailable)
	})
}

// soon fails the test unless most of the times are shorter than those of a poll, or
// than what the machine needs for a task that waits for nothing. It has five tries.
func (s *shop) soon(what string, took, plain func() []time.Duration) {
	s.Helper()
	median := func(times []time.Duration) time.Duration {
		slices.Sort(times)
		return times[len(times)/2]
	}
	for try := 1; ; try++ {
		times, could := took(), plain()
		s.Logf("%s: started after %v, others after %v", what, times, could)
		if median(times) <= max(100*time.Millisecond, 3*median(could)) {
			return
		}
		if try == 5 {
			s.Fatalf("%s: started no sooner than by a poll", what)
		}
	}
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
