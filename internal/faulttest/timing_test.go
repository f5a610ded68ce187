//go:build faults

package faulttest

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

const (
	retryWait   = 200 * time.Millisecond
	retryRate   = 200 // per second
	lateAllowed = 5 * time.Millisecond
)

// 200 retries per second, each due 200 ms after its failure: none early, and
// p99 at most 5 ms late at the handler.
//
// That is for an idle machine. A probe beside the engine measures by how much
// bare timers of the same process are late; on a machine where their p99
// exceeds 1 ms the bound is 5 ms and five times that, and 50 ms at least
// under the race detector. The best of three measurements counts, except that
// nothing may ever be early.
func TestRetriesOnTime(t *testing.T) {
	const seconds = 15
	for try := 1; ; try++ {
		late, probe, early := measureRetries(t, seconds*retryRate)
		allowed := lateAllowed
		if racetest.Enabled {
			allowed = 50 * time.Millisecond
		}
		if p99 := percentile(probe, 99); p99 > time.Millisecond {
			allowed = max(allowed, lateAllowed+5*p99)
		}
		t.Logf("%d retries, late at the handler: p50 %s, p99 %s, max %s; bare timers: p99 %s; allowed %s",
			len(late), percentile(late, 50), percentile(late, 99), percentile(late, 100), percentile(probe, 99), allowed)
		if early > 0 {
			t.Fatalf("I5: %d retries were early", early)
		}
		if percentile(late, 99) <= allowed {
			return
		}
		if try == 3 {
			t.Fatalf("I5: retries are late three times in a row")
		}
	}
}

// inProcess is the library on a SQLite file in the test's own process.
func inProcess(t testing.TB, register func(c *outlast.Client), options ...outlast.Option) *outlast.Client {
	t.Helper()
	backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "outlast.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := outlast.Open(t.Context(), backend, options...)
	if err != nil {
		t.Fatal(err)
	}
	register(c)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Second)
		defer cancel()
		if err := errors.Join(c.Stop(ctx), backend.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// measureRetries fails n tasks once, at the rate, and returns by how much
// their second attempts came late.
func measureRetries(t *testing.T, n int) (late, probe []time.Duration, early int) {
	var mu sync.Mutex
	second := map[task.ID]time.Time{}
	done := make(chan struct{})
	unguarded, err := retry.New(retry.TaskBudget(nil), retry.TaskBreaker(nil)) // half of the attempts fail by design
	if err != nil {
		t.Fatal(err)
	}
	c := inProcess(t, func(c *outlast.Client) {
		outlast.Handle(c, "retried", func(ctx context.Context, _ json.RawMessage) error {
			now := time.Now()
			info, _ := outlast.Info(ctx)
			if info.Attempt == 1 {
				return outlast.RetryAfter(retryWait, errors.New("not yet"))
			}
			mu.Lock()
			defer mu.Unlock()
			if second[info.ID] = now; len(second) == n {
				close(done)
			}
			return nil
		}, outlast.Retry(unguarded))
	})
	stop, probed := make(chan struct{}), make(chan struct{})
	go func() { defer close(probed); probe = probeTimers(stop) }()
	pace := time.NewTicker(time.Second / retryRate)
	defer pace.Stop()
	ids := make([]task.ID, n)
	var callers sync.WaitGroup
	for i := range n {
		<-pace.C
		callers.Go(func() {
			receipt, err := c.Enqueue(t.Context(), outlast.Draft{Type: "retried"})
			if err != nil {
				t.Errorf("enqueue: %v", err)
				return
			}
			ids[i] = receipt.Task.ID
		})
	}
	callers.Wait()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("I8: only %d of %d retries have run", len(second), n)
	}
	close(stop)
	<-probed
	for _, id := range ids {
		attempts, err := c.Inspector().Tasks.Attempts(t.Context(), id)
		if err != nil || len(attempts) == 0 {
			t.Fatalf("%s has no attempts: %v", id, err)
		}
		by := second[id].Sub(attempts[0].EndedAt.Add(attempts[0].NextDelay))
		if by < 0 {
			early++
		}
		late = append(late, by)
	}
	return late, probe, early
}

// probeTimers measures by how much bare timers are late until stop.
func probeTimers(stop <-chan struct{}) (late []time.Duration) {
	for {
		due := time.Now().Add(5 * time.Millisecond)
		select {
		case <-stop:
			return late
		case <-time.After(time.Until(due)):
			late = append(late, time.Since(due))
		}
	}
}

// Canceled, moved and hurried tasks fire once, at the time given last, never
// by a timer that is out of date, also across a restart.
func TestMoved(t *testing.T) {
	h := alone(t)
	p := h.serve()
	orders := make([]*order, 80)
	for i := range orders {
		orders[i] = h.ledger.order(work{}, func(o *order) {
			o.due = time.Now().Add(time.Minute) // all are changed before
			o.draft.RunAt = client.Time{Time: o.due}
			o.odd = i%4 == 0
		})
	}
	h.sendAll(p, orders)
	now := func(id task.ID) error { _, err := p.api.Retry(h.ctx, id); return err }
	at := func(id task.ID, at time.Time) error {
		_, err := p.api.Reschedule(h.ctx, id, client.Reschedule{RunAt: client.Time{Time: at}})
		return err
	}
	change := func(orders []*order) {
		for i, o := range orders {
			due := time.Now().Add(4 * time.Second)
			var err error
			switch i % 4 {
			case 0:
				_, err = p.api.Cancel(h.ctx, o.id)
			case 1:
				err = errors.Join(at(o.id, due.Add(time.Second)), at(o.id, due.Add(-2*time.Second)), at(o.id, due.Add(1500*time.Millisecond)))
				h.ledger.move(o, due.Add(1500*time.Millisecond))
			case 2:
				h.ledger.move(o, time.Now())
				err = now(o.id)
			case 3:
				err = errors.Join(at(o.id, due.Add(time.Minute)), at(o.id, due.Add(500*time.Millisecond)))
				h.ledger.move(o, due.Add(500*time.Millisecond))
			}
			if err != nil {
				h.violation("changing order %d: %v", o.N, err)
			}
		}
	}
	change(orders[:40])
	h.after(false, p)
	p = h.serve()
	change(orders[40:])
	h.drain(p, 15*time.Second)
	var late []time.Duration
	for _, o := range orders {
		calls := h.ledger.callsOf(o.N)
		want := 1
		if o.odd {
			want = 0
		}
		// Who was killed while it called, or before the end was on disk, calls again.
		if again := h.ledger.lostRuns(calls); len(calls) < want || len(calls)-again > want {
			h.violation("I5: order %d has %d calls instead of %d, %d of them cut off by a kill", o.N, len(calls), want, again)
		}
		for _, c := range calls[:min(len(calls), 1)] {
			late = append(late, c.start.Sub(o.due))
		}
	}
	t.Logf("late: p50 %s, max %s", percentile(late, 50), percentile(late, 100))
	if percentile(late, 100) > readyWithin { // a kill and a start lie between
		h.violation("I5: moved tasks are up to %s late", percentile(late, 100))
	}
	h.finish(p)
}

// lostRuns counts the calls of an order after which another may come, since something
// befell their process while they ran or within a second of their end.
func (l *ledger) lostRuns(calls []call) (lost int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range calls {
		if c.status == 0 || l.trouble(c.node, c.start, c.end.Add(time.Second)) {
			lost++
		}
	}
	return lost
}

// alone is a harness for a test beside which no other runs: promises of time hold.
func alone(t testing.TB) *harness {
	t.Helper()
	h := newHarness(t)
	h.crowd = 1
	return h
}
