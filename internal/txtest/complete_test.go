package txtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/task"
)

// payments are handlers by type. Each has its effect once.
func payments(s *shop) map[string]func(ctx context.Context, attempt int) error {
	late := func(ctx context.Context, p pool) (tx, error) {
		t, err := p.begin(ctx)
		if err == nil {
			err = errors.Join(effect(ctx, t, 1), t.complete(ctx, "paid"))
		}
		return t, err
	}
	return map[string]func(ctx context.Context, attempt int) error{
		"committed":              func(ctx context.Context, _ int) error { return pay(ctx, s) },
		"committed, then failed": func(ctx context.Context, _ int) error { return errors.Join(pay(ctx, s), errRefused) },
		"committed, then declared dead": func(ctx context.Context, _ int) error {
			return errors.Join(pay(ctx, s), outlast.GiveUp(errRefused))
		},
		"committed, then panicked": func(ctx context.Context, _ int) error {
			if err := pay(ctx, s); err != nil {
				return err
			}
			panic("after the commit")
		},
		"committed, then timed out": func(ctx context.Context, _ int) error {
			err := pay(context.WithoutCancel(ctx), s) // however long it takes
			<-ctx.Done()
			return errors.Join(err, ctx.Err())
		},
		"the answer to the commit was lost": func(ctx context.Context, attempt int) error {
			if attempt == 1 {
				s.loseAnswer()
			}
			return pay(ctx, s)
		},
		"the answer to the commit was lost, and nobody looked": func(ctx context.Context, attempt int) error {
			if attempt == 1 {
				s.loseAnswer()
			}
			_ = pay(ctx, s)
			return nil
		},
		"the answer to the commit was lost, and the transaction repeated": func(ctx context.Context, _ int) error {
			lossy := s.loseAnswer()
			err := pay(ctx, s)
			if lossy && err == nil {
				s.Error("the answer was not lost")
			}
			err = pay(ctx, s)
			s.wantCode("the second transaction", err, task.CodeStaleClaim)
			return err
		},
		"rolled back, then failed": func(ctx context.Context, attempt int) error {
			if attempt > 1 {
				return pay(ctx, s)
			}
			t, err := late(ctx, s)
			return errors.Join(err, t.rollback(ctx), errRefused)
		},
		"rolled back, then returned well": func(ctx context.Context, attempt int) error {
			if attempt > 1 {
				return pay(ctx, s)
			}
			t, err := late(ctx, s)
			return errors.Join(err, t.rollback(ctx))
		},
		"rolled back, then tried again at once": func(ctx context.Context, _ int) error {
			t, err := late(ctx, s)
			return errors.Join(err, t.rollback(ctx), pay(ctx, s))
		},
		"timed out with the transaction open": func(ctx context.Context, attempt int) error {
			if attempt > 1 {
				return pay(context.WithoutCancel(ctx), s) // however long it takes
			}
			t, err := late(ctx, s)
			<-ctx.Done()
			_ = t.rollback(context.WithoutCancel(ctx)) // it may have ended with the context
			return errors.Join(err, ctx.Err())
		},
		"returned with the transaction open": func(ctx context.Context, attempt int) error {
			if attempt > 1 {
				return pay(ctx, s)
			}
			t, err := late(context.WithoutCancel(ctx), s)
			if err == nil {
				time.AfterFunc(300*time.Millisecond, func() { _ = t.rollback(context.WithoutCancel(ctx)) })
			}
			return err
		},
	}
}

// The transaction of a handler decides, on every database.
func TestCompleteDecides(t *testing.T) {
	everywhere(t, func(s *shop) {
		all := payments(s)
		client := s.node(func(c *outlast.Client) {
			outlast.Handle(c, "pay", func(ctx context.Context, way string) error {
				info, _ := outlast.Info(ctx)
				return all[way](ctx, info.Attempt)
			}, quick(10))
		})
		for way := range all {
			timeout := time.Minute
			if strings.Contains(way, "timed out") {
				timeout = time.Second
			}
			id := s.enqueue(client, outlast.Draft{Type: "pay", Payload: []byte(`"` + way + `"`), Timeout: timeout})
			done := s.paidOnce(client, id)
			if string(done.Result) != `"paid"` {
				s.Errorf("%s: result %s", way, done.Result)
			}
		}
	})
}

// What a completion is refused for has no effect and its own code.
func TestCompleteRefusals(t *testing.T) {
	everywhere(t, func(s *shop) {
		refused := map[string]error{}
		client := s.node(func(c *outlast.Client) {
			outlast.Handle(c, "pay", func(ctx context.Context, _ none) error {
				ended, err := s.begin(ctx)
				if err == nil {
					err = ended.commit(ctx)
				}
				refused["an ended transaction"] = ended.complete(ctx, nil)
				canceled, cancel := context.WithCancel(ctx)
				return errors.Join(err, inTx(ctx, s, func(t tx) error {
					cancel()
					refused["an ended context"] = t.complete(canceled, nil)
					refused["another context"] = t.complete(context.Background(), nil)
					refused["a large result"] = t.complete(ctx, make([]byte, task.MaxResult))
					refused["no JSON"] = t.complete(ctx, make(chan int))
					err := errors.Join(effect(ctx, t, 1), t.complete(ctx, "paid"))
					refused["twice"] = t.complete(ctx, "paid")
					return err
				}))
			}, quick(3))
		})
		s.paidOnce(client, s.enqueue(client, outlast.Draft{Type: "pay"}))
		for what, code := range map[string]task.Code{
			"another context": task.CodeConflict, "a large result": task.CodeTooLarge, "no JSON": task.CodeInvalid, "twice": task.CodeConflict,
		} {
			s.wantCode(what, refused[what], code)
		}
		if refused["an ended transaction"] == nil || !errors.Is(refused["an ended context"], context.Canceled) {
			s.Errorf("ended: %v, %v", refused["an ended transaction"], refused["an ended context"])
		}
	})
}

// A node that is taken for dead while its handler goes on completes nothing
// that another has run, and nobody runs again what it completed before.
func TestCompleteAgainstTakeOver(t *testing.T) {
	everywhere(t, func(s *shop) { takeOver(s, false) })
}

// As before, but the handler has completed its task before its node was dead,
// and commits after that.
func TestOpenCompletionAgainstTakeOver(t *testing.T) {
	everywhereElse(t, func(s *shop) { takeOver(s, true) })
}

func takeOver(s *shop, early bool) {
	dead, open, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	backend, faults := faulty.Wrap(s.openStore(), 1, faulty.Rule{Kind: faulty.Fail, Probability: 1,
		Methods: []string{"Beat", "Topology", "Claim", "Scan", "Settle", "Running", "Recover", "Join"}})
	faults.Heal()
	defer faults.Heal()
	hung := s.client(backend)
	outlast.Handle(hung, "pay", func(ctx context.Context, _ none) error {
		ctx = context.WithoutCancel(ctx) // a process that stood still has not heard of it
		if !early {
			close(open)
			<-dead
		}
		err := inTx(ctx, s, func(t tx) error {
			err := errors.Join(effect(ctx, t, 1), t.complete(ctx, "paid"))
			if early {
				close(open)
				<-dead
			}
			return err
		})
		result <- err
		return err
	})
	s.ok(hung.Start(s.ctx))
	id := s.enqueue(hung, outlast.Draft{Type: "pay"})
	<-open
	faults.Resume() // it does not reach the database any more, but its handler does
	other := s.node(func(c *outlast.Client) {
		outlast.Handle(c, "pay", func(ctx context.Context, _ none) error { return pay(ctx, s) }, quick(5))
	})
	if early {
		for { // until it is dead for everybody
			topology, err := other.Inspector().Tasks.Get(s.ctx, id)
			s.ok(err)
			if topology.State != task.Running {
				s.Errorf("the row was taken from an open transaction: %+v", topology.Task)
			}
			if s.deadNodes() > 0 {
				break
			}
			s.pause(100 * time.Millisecond)
		}
		s.pause(3 * time.Second) // a sweep
		close(dead)
		s.ok(<-result)
		s.paidOnce(other, id)
		return
	}
	s.paidOnce(other, id)
	close(dead)
	s.wantCode("the late completion", <-result, task.CodeStaleClaim)
	s.paidOnce(other, id)
}

// deadNodes is how many nodes are marked dead.
func (s *shop) deadNodes() int {
	s.Helper()
	n, err := s.number(s.ctx, `SELECT count(*) FROM outlast_node WHERE state = 'dead'`)
	s.ok(err)
	return n
}
