package postgres_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// Sessions are ended at random while workers enqueue, claim and settle; what
// fails is repeated as it stands. Every task succeeds once.
func TestSessionsThatAreEndedLoseNothing(t *testing.T) {
	url := database(t)
	endSessions(t, url, open(t, url+"&pool_max_conns=8"), 20*time.Millisecond)
}

// endSessions ends a session of the store's application on the server again
// and again, after a pause in which a call has succeeded.
func endSessions(t *testing.T, url string, s *postgres.Store, pause time.Duration) {
	g := newGround(t, s, 4)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	stop, killed := make(chan struct{}), make(chan struct{})
	var broken, made atomic.Int64
	go func() {
		defer close(killed)
		p := pool(t, url)
		for last := int64(-1); ; {
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
			now := made.Load()
			if now == last {
				continue // a machine so slow would come to nothing
			}
			last = now
			_, _ = p.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
 AND application_name = current_setting('application_name') ORDER BY random() LIMIT 1`)
		}
	}()
	var wait sync.WaitGroup
	until := func(do func() error) { // the store's caller repeats
		for do() != nil && ctx.Err() == nil {
			broken.Add(1)
		}
		made.Add(1)
	}
	for worker := range 4 {
		w := &ground{T: t, s: g.s, queue: g.queue, lanes: g.lanes, random: rand.New(rand.NewPCG(uint64(worker), 3))}
		wait.Go(func() {
			for range 40 {
				w.cycle(ctx, until)
			}
		})
	}
	wait.Wait()
	close(stop)
	<-killed
	if ctx.Err() != nil || broken.Load() == 0 {
		t.Fatalf("%d calls broke: %v", broken.Load(), ctx.Err())
	}
	t.Logf("%d calls broke", broken.Load())
	var n int
	until(func() (err error) { // the pool may still have sessions that were ended
		n, err = g.s.Count(ctx, store.Filter{State: task.Succeeded}, 10_000)
		return err
	})
	if n != 4*40*5 {
		t.Errorf("%d tasks succeeded of %d", n, 4*40*5)
	}
	until(func() error {
		_, err := g.s.Check(ctx)
		return err
	})
	g.sound()
}

// cycle enqueues tasks, claims them, adds a step of each and ends them.
func (g *ground) cycle(ctx context.Context, until func(func() error)) {
	batch, ids := g.batch(5)
	until(func() error {
		_, err := g.s.Enqueue(ctx, []store.Batch{batch})
		return err
	})
	claim := store.Claim{Node: "n1", Lanes: g.lanes}
	for _, id := range ids {
		claim.Items = append(claim.Items, store.ClaimItem{ID: id})
	}
	var running []*task.Task
	until(func() error {
		if _, err := g.s.Claim(ctx, claim); err != nil {
			running = nil
			return err
		}
		return nil
	})
	until(func() (err error) {
		running, err = g.s.Running(ctx, "n1", ids)
		return err
	})
	var steps []task.Step
	var settlements []store.Settlement
	for _, t := range running {
		steps = append(steps, stepOf(t, 1))
		settlements = append(settlements, store.Settlement{Task: t, Outcome: task.OutcomeSucceeded, StartedAt: t.StartedAt, EndedAt: time.Now()})
	}
	until(func() error {
		statuses, err := g.s.AddSteps(ctx, steps)
		for _, status := range statuses {
			if status != store.StatusOK {
				g.Errorf("a step was answered with %q", status)
			}
		}
		return err
	})
	until(func() error {
		settled, err := g.s.Settle(ctx, settlements)
		for _, answer := range settled {
			if answer.Status != store.StatusOK {
				g.Errorf("settled %+v", answer)
			}
		}
		return err
	})
}
