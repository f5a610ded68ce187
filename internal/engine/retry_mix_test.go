package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What all first attempts need is not there yet, and every retry works. The
// breaker opens, as it must: most calls fail. But its probes meet retries too, and
// what works goes first afterwards, so that the backlog ends in minutes.
func TestEveryFirstAttemptFails(t *testing.T) {
	racetest.WithoutDetector(t)
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		r := &receiver{takes: time.Millisecond}
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(25), retry.Fixed(0), retry.NoJitter()),
			handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				_, _ = r.handle(ctx, run)
				if run.Task.Attempt == 1 {
					return nil, errDown
				}
				return nil, nil
			})}, func(c *engine.Config) { c.Share, c.Rand = 1, nil })
		began := time.Now()
		w.fill(e, "t", 20_000)
		for _, want := range []struct {
			after time.Duration
			ended int
		}{{time.Minute, 1500}, {15 * time.Minute, 20_000}} {
			time.Sleep(time.Until(began.Add(want.after)))
			synctest.Wait()
			first, retries := r.between(began, time.Now())
			n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 30_000)
			t.Logf("%d tasks have ended after %s, by %d first attempts and %d retries", n, want.after, first, retries)
			if n < want.ended {
				t.Errorf("fewer than %d: %+v", want.ended, known(e, "t"))
			}
		}
		w.stop(e)
	})
}

// Tasks that can never succeed have opened the breaker, and are retried beside new
// ones that always work. As soon as it is closed, those do not wait for them.
func TestHopelessRetriesBesideFreshTasks(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		hopeless := map[task.ID]bool{}
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(100_000), retry.Fixed(time.Second)),
			handlers: handlers("t", func(_ context.Context, run *engine.Run) ([]byte, error) {
				if hopeless[run.Task.ID] {
					return nil, errDown
				}
				return nil, nil
			})}, func(c *engine.Config) { c.Share, c.Rand = 1, nil })
		inserts := make([]store.Insert, 500)
		for i := range inserts {
			inserts[i] = w.insert("t", nil)
			hopeless[inserts[i].Task.ID] = true
		}
		if _, err := e.EnqueueEach(t.Context(), inserts); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		var ids []task.ID
		for range 10 * 60 * 10 {
			ids = append(ids, w.enqueue(e, "t", nil))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		prompt := 0
		for _, id := range ids {
			if got := w.get(id); got.State == task.Succeeded && got.StartedAt.Sub(got.RunAt) <= time.Second {
				prompt++
			}
		}
		t.Logf("%d of %d new tasks have started within a second; %+v", prompt, len(ids), known(e, "t").Breaker)
		if prompt < len(ids)*95/100 {
			t.Error("too few")
		}
		w.stop(e)
	})
}
