package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var errNoAnswer = errors.New("no answer")

// scripted is a store whose claims and settlements go as a test says.
type scripted struct {
	store.Backend
	mu     sync.Mutex
	claim  func(ctx context.Context, c store.Claim) (store.Claimed, error)
	settle func(ctx context.Context, s []store.Settlement) ([]store.Settled, error)
}

func (s *scripted) Claim(ctx context.Context, c store.Claim) (store.Claimed, error) {
	s.mu.Lock()
	claim := s.claim
	s.mu.Unlock()
	if claim != nil {
		return claim(ctx, c)
	}
	return s.Backend.Claim(ctx, c)
}

func (s *scripted) Settle(ctx context.Context, all []store.Settlement) ([]store.Settled, error) {
	s.mu.Lock()
	settle := s.settle
	s.mu.Unlock()
	if settle != nil {
		return settle(ctx, all)
	}
	return s.Backend.Settle(ctx, all)
}

func (s *scripted) script(claim func(context.Context, store.Claim) (store.Claimed, error), settle func(context.Context, []store.Settlement) ([]store.Settled, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claim, s.settle = claim, settle
}

// unanswered does a claim whose answer is lost.
func (s *scripted) unanswered(ctx context.Context, c store.Claim) (store.Claimed, error) {
	_, err := s.Backend.Claim(ctx, c)
	return store.Claimed{}, errors.Join(err, errNoAnswer)
}

// claims notes under which numbers a task ran.
type claims struct {
	mu  sync.Mutex
	all []int64
}

func (c *claims) ran(claim int64) (times int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, claim)
	return len(c.all)
}

func (c *claims) grow(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 1; i < len(c.all); i++ {
		if c.all[i] <= c.all[i-1] {
			t.Errorf("the task ran under the claims %v", c.all)
		}
	}
}

// A server that took over without the last commits has a task running under a claim that
// the node has settled. A claim whose answer is lost then does not find it as its own.
func TestReadBackLeavesAnOlderClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s, ran := &scripted{}, &claims{}
		run := engine.Handler(func(_ context.Context, run *engine.Run) ([]byte, error) {
			if ran.ran(run.Task.Claim) == 1 {
				return nil, errDown
			}
			return nil, nil
		})
		a := w.node("a", &registry{policy: policy(t, retry.Attempts(5), retry.Fixed(time.Second), retry.NoJitter()), handlers: handlers("mail", run)},
			func(c *engine.Config) { s.Backend = c.Store.(store.Backend); c.Store = s })
		s.script(nil, func(_ context.Context, all []store.Settlement) ([]store.Settled, error) {
			t := all[0].Task
			s.script(s.unanswered, nil)
			return []store.Settled{{Status: store.StatusOK, State: task.Pending, Entry: store.Entry{
				ID: t.ID, RunAt: all[0].RunAt.UnixMicro(), Rank: task.Rank(all[0].RunAt, t.Priority), Type: t.Type, Target: t.Target, Attempt: 1}}}, nil
		})
		id := w.enqueue(a, "mail", nil)
		time.Sleep(3 * time.Second)
		s.script(nil, nil)
		w.expect(id, task.Succeeded, time.Minute)
		ran.grow(t)
		w.stop(a)
	})
}

// A claim whose answer is lost does not find as its own what the node is about to release.
func TestReadBackLeavesWhatIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s, ran := &scripted{}, &claims{}
		release, held := make(chan struct{}), make(chan struct{})
		a := w.node("a", &registry{handlers: handlers("mail", engine.Handler(func(_ context.Context, run *engine.Run) ([]byte, error) {
			ran.ran(run.Task.Claim)
			time.Sleep(10 * time.Second)
			return nil, nil
		}), "long", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) {
			<-held
			time.Sleep(time.Second)
			return nil, nil
		}))}, func(c *engine.Config) { s.Backend = c.Store.(store.Backend); c.Store = s; c.Slots = 1 })
		s.script(func(_ context.Context, c store.Claim) (store.Claimed, error) {
			time.AfterFunc(time.Second, func() { _, _ = s.Backend.Claim(context.Background(), c) }) // it commits late
			s.script(nil, func(ctx context.Context, all []store.Settlement) ([]store.Settled, error) {
				if all[0].Outcome == task.OutcomeReleased {
					close(held)
					<-release
				}
				return s.Backend.Settle(ctx, all)
			})
			return store.Claimed{}, errNoAnswer
		}, nil)
		id := w.enqueue(a, "mail", nil)
		w.enqueue(a, "long", nil)
		<-held // the reconciler lets go what runs in the node's name and not in the node
		settle := s.settle
		s.script(s.unanswered, settle)
		time.Sleep(5 * time.Second)
		s.script(nil, nil)
		close(release)
		w.expect(id, task.Succeeded, time.Minute)
		ran.grow(t)
		if len(ran.all) != 1 {
			t.Errorf("it ran %d times", len(ran.all))
		}
		w.stop(a)
	})
}
