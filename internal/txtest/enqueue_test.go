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
		case <-time.After(3 * time.Second):
			s.Error("not started within three seconds of the commit")
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

// Committed and, where there is one, a notice inside the transaction make the
// node that owns the lane start at once what another node has accepted.
func TestStartAfterCommit(t *testing.T) {
	everywhere(t, func(s *shop) {
		started := make(chan time.Time, 1)
		s.node(func(c *outlast.Client) {
			outlast.Handle(c, "n", func(context.Context, none) error { started <- time.Now(); return nil })
		})
		front := s.node(func(*outlast.Client) {}, outlast.EnqueueOnly())
		for name, tell := range map[string]func(t tx, receipts []outlast.Receipt) error{
			"by the poll":            func(tx, []outlast.Receipt) error { return nil },
			"told by Committed":      func(tx, []outlast.Receipt) error { return nil },
			"told in the commit":     func(t tx, receipts []outlast.Receipt) error { return t.notify(s.ctx, front, receipts...) },
			"told twice, and before": func(_ tx, receipts []outlast.Receipt) error { front.Committed(receipts...); return nil },
		} {
			var took []time.Duration
			for range 5 {
				var receipts []outlast.Receipt
				err := inTx(s.ctx, s, func(t tx) (err error) {
					if receipts, err = t.enqueue(s.ctx, front, outlast.Draft{Type: "n"}); err != nil {
						return err
					}
					return tell(t, receipts)
				})
				if errors.Is(err, &outlast.Error{Code: task.CodeUnavailable}) {
					break // this database cannot tell in the commit
				}
				s.ok(err)
				if name == "told by Committed" || name == "told twice, and before" {
					front.Committed(receipts...)
				}
				committed := time.Now()
				select {
				case at := <-started:
					took = append(took, at.Sub(committed))
				case <-time.After(3 * time.Second):
					s.Fatalf("%s: not started within three seconds of the commit", name)
				}
			}
			s.Logf("%s: started after %v", name, took)
			if len(took) > 0 && name != "by the poll" && slices.Min(took) > 300*time.Millisecond {
				s.Errorf("%s: none of %v was sooner than by a poll", name, took)
			}
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
		if err := t.complete(ctx, step.Step); err != nil || wrong != 1 {
			return err
		}
		return errRefused
	})
	switch wrong {
	case 2:
		return errors.Join(err, errRefused)
	case 3:
		panic("after the commit")
	case 5:
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
