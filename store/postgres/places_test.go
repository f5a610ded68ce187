package postgres_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// rewrite writes the tables of live tasks anew, as an operator does to get disk
// space back: every row of them gets another place (ctid).
func rewrite(ctx context.Context, t *testing.T, p *pgxpool.Pool, names []string) {
	for _, name := range names {
		if _, err := p.Exec(ctx, "VACUUM FULL "+name); err != nil && ctx.Err() == nil {
			t.Errorf("VACUUM FULL %s: %v", name, err)
		}
	}
}

// live are the tables whose rows a claim or a settlement finds by their places.
func live(t *testing.T, url string) []string {
	return append(tables(t, url, "outlast_task"), tables(t, url, "outlast_run")...)
}

// place is where a row of outlast_task is.
func place(t *testing.T, p *pgxpool.Pool, id task.ID) (at string) {
	t.Helper()
	if err := p.QueryRow(t.Context(), "SELECT ctid::text FROM outlast_task WHERE id = $1::text::uuid", id.String()).Scan(&at); err != nil {
		t.Fatal(err)
	}
	return at
}

// Rows may move between a claim and its settlement: VACUUM FULL, CLUSTER, or a dump
// that was restored. A settlement meets the rows that it means, and no others.
func TestRowsThatMoveAreSettled(t *testing.T) {
	url := database(t)
	g, p, names := newGround(t, open(t, url), 2), pool(t, url), live(t, url)
	gone, ids := g.add(50), g.add(60)
	g.settle(g.claim(gone...).Tasks, task.OutcomeSucceeded) // the others move into their places
	running := g.claim(ids[:50]...).Tasks
	before := place(t, p, running[0].ID)
	after := before
	for tries := 0; after == before && tries < 1000; tries++ { // the server's own ANALYZE may still see the rows that have gone
		rewrite(t.Context(), t, p, names)
		after = place(t, p, running[0].ID)
	}
	if after == before {
		t.Fatalf("no row has moved: %s", after)
	}
	g.settle(running[:20], task.OutcomeSucceeded)
	g.settle(running[20:30], task.OutcomeFailed)
	g.settle(running[30:40], task.OutcomeReleased)
	g.settle(running[40:45], task.OutcomeDead)
	wants := map[task.State][]*task.Task{
		task.Succeeded: running[:20], task.Pending: running[20:40], task.Dead: running[40:45], task.Running: running[45:],
	}
	for want, tasks := range wants {
		for _, one := range tasks {
			now, err := g.s.Get(t.Context(), one.ID)
			g.ok(err)
			if now.State != want || now.ID != one.ID {
				t.Errorf("task %s is %s, want %s", one.ID, now.State, want)
			}
		}
	}
	rewrite(t.Context(), t, p, names)
	late, err := g.s.Settle(t.Context(), []store.Settlement{{Task: running[20], Outcome: task.OutcomeSucceeded, StartedAt: running[20].StartedAt, EndedAt: time.Now()}})
	g.ok(err)
	if late[0].Status != store.StatusStale {
		t.Errorf("a second outcome for the same claim: %+v", late[0])
	}
	g.settle(g.claim(append(ids[50:], running[20].ID)...).Tasks, task.OutcomeSucceeded)
	g.settle(running[45:], task.OutcomeSucceeded)
	g.sound()
}

// The same while workers enqueue, claim and settle.
func TestRowsMayMoveAtAnyTime(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url+"&pool_max_conns=8"), 4)
	g.add(100) // so that places are taken and given back all the time
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	p, names := pool(t, url), live(t, url)
	stop, moved := make(chan struct{}), make(chan int)
	go func() {
		for times := 0; ; times++ {
			select {
			case <-stop:
				moved <- times
				return
			default:
				rewrite(ctx, t, p, names)
			}
		}
	}()
	var wait sync.WaitGroup
	for worker := range 4 {
		w := &ground{T: t, s: g.s, queue: g.queue, lanes: g.lanes, random: rand.New(rand.NewPCG(uint64(worker), 3))}
		wait.Go(func() {
			for range 30 {
				w.cycle(ctx, func(do func() error) {
					if err := do(); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
	wait.Wait()
	close(stop)
	times := <-moved
	if t.Logf("all tables were rewritten %d times", times); times < 3 {
		t.Errorf("only %d rewrites", times)
	}
	n, err := g.s.Count(ctx, store.Filter{State: task.Succeeded}, 10_000)
	g.ok(err)
	if n != 4*30*5 {
		t.Errorf("%d tasks succeeded of %d", n, 4*30*5)
	}
	g.sound()
}
