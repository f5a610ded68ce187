package stats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

func series(backend store.Config, pending *int) *stats.Series {
	return stats.NewSeries(stats.SeriesConfig{Backend: backend, Logger: slog.New(slog.DiscardHandler), Backlog: func(context.Context) map[string]stats.Backlog {
		oldest := time.Minute
		waiting := stats.Backlog{Due: 2}
		if pending != nil {
			waiting.Pending, waiting.OldestDue = pending, &oldest
		}
		return map[string]stats.Backlog{"q": waiting}
	}})
}

func points(t *testing.T, backend store.Config, q inspect.SeriesQuestion) *inspect.Points {
	t.Helper()
	found, err := stats.ReadSeries(t.Context(), backend, q)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What two nodes have counted is added up by the minute, outlives them, and a time in
// which there was none is a gap.
func TestSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, start, pending := memory.New(), time.Now().Truncate(time.Minute), 7
		nodes := []*stats.Series{series(backend, &pending), series(backend, nil)}
		for n, s := range nodes {
			s.Start(t.Context())
			for i := range 30 {
				s.Add(&stats.Event{Queue: "q", Attempt: true, Failed: i < 10, Retry: i < 15, Run: time.Duration(n+1) * time.Second, Wait: time.Millisecond, State: task.Succeeded})
			}
			s.Add(&stats.Event{Queue: "other", State: task.Dead})
			s.Add(&stats.Event{Queue: "other", State: task.Canceled})
		}
		time.Sleep(3 * time.Minute)
		if fine, err := nodes[0].Read(t.Context(), inspect.SeriesQuestion{From: start, To: start.Add(time.Minute), Step: 10 * time.Second}); err != nil || !fine.ThisNode || len(fine.Points) != 6 ||
			fine.Points[0].Attempts != 30 || fine.Points[1].Attempts != 0 || fine.Points[1].Nodes != 1 || fine.Points[0].Counted != 10*time.Second {
			t.Errorf("%+v, %v", fine, err)
		}
		for _, s := range nodes {
			s.Stop(t.Context())
		}
		time.Sleep(2 * time.Minute)
		last := series(backend, &pending)
		last.Start(t.Context())
		time.Sleep(3 * time.Minute)
		last.Stop(t.Context())

		found := points(t, backend, inspect.SeriesQuestion{From: start, To: start.Add(8 * time.Minute), Step: time.Minute})
		var counted []int
		for _, p := range found.Points {
			counted = append(counted, p.Nodes)
		}
		if got := fmt.Sprint(counted); got != "[2 2 2 0 0 1 1 1]" && got != "[2 2 2 2 0 1 1 1]" {
			t.Errorf("nodes that counted: %s", got)
		}
		first := found.Points[0]
		if first.Attempts != 60 || first.Failed != 20 || first.Retries != 30 || first.Succeeded != 60 || first.Dead != 2 || first.Canceled != 2 || first.Counted != time.Minute {
			t.Errorf("%+v", first)
		}
		if first.Run.P50 < time.Second || first.Run.P50 > 5*time.Second/2 || first.Run.P99 < 2*time.Second || first.Wait.P95 < time.Millisecond {
			t.Errorf("%+v", first)
		}
		if first.Pending == nil || *first.Pending != 7 || *first.Due != 4 || *first.OldestDue != time.Minute || found.Points[4].Pending != nil {
			t.Errorf("%+v, %+v", first, found.Points[4])
		}
		all := points(t, backend, inspect.SeriesQuestion{From: start, To: start.Add(8 * time.Minute), Step: 8 * time.Minute, Queues: []string{"q"}})
		if p := all.Points[len(all.Points)-1]; len(all.Points) > 2 || p.Attempts+all.Points[0].Attempts < 60 || p.Dead != 0 {
			t.Errorf("%+v", all)
		}
		for queues, want := range map[[2]string][3]int{{"q", "other"}: {60, 2, 2}, {"q", "none"}: {60, 0, 0}, {"other", "none"}: {0, 2, 2}} {
			got := points(t, backend, inspect.SeriesQuestion{From: start, To: start.Add(time.Minute), Step: time.Minute, Queues: queues[:]}).Points[0]
			if [3]int{got.Attempts, got.Dead, got.Canceled} != want || queues[0] == "q" && got.Run != first.Run {
				t.Errorf("%v: %+v, want %v", queues, got, want)
			}
		}
	})
}

// What happened lately is told by queue: by this node alone until a minute is over, then by
// all; and not of a queue that was counted with others.
func TestSeriesRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := memory.New()
		nodes := []*stats.Series{series(backend, nil), series(backend, nil)}
		for _, s := range nodes {
			s.Start(t.Context())
			for range 30 {
				s.Add(&stats.Event{Queue: "q", Attempt: true, Wait: time.Second, State: task.Succeeded})
			}
		}
		lately := func(nodesWant, attempts int) {
			t.Helper()
			recent, err := nodes[0].Recent(t.Context(), []string{"q", "idle"})
			if err != nil || recent["q"].Attempts != attempts || recent["q"].Nodes != nodesWant || recent["idle"].Nodes != nodesWant || recent["idle"].Attempts != 0 {
				t.Errorf("%+v, %v", recent, err)
			}
			if attempts > 0 && (recent["q"].Wait.P50 < time.Second || recent["q"].Wait.P99 > 5*time.Second/4) {
				t.Errorf("%+v", recent["q"].Wait)
			}
		}
		time.Sleep(15 * time.Second)
		lately(1, 30)
		time.Sleep(2 * time.Minute)
		lately(2, 60)
		time.Sleep(6 * time.Minute)
		lately(2, 0)
		for n := range 100 {
			nodes[0].Add(&stats.Event{Queue: fmt.Sprint(n), Attempt: true, State: task.Succeeded})
		}
		time.Sleep(2 * time.Minute)
		recent, err := nodes[0].Recent(t.Context(), []string{"0", "99"})
		if _, known := recent["99"]; err != nil || known || recent["0"].Attempts != 1 {
			t.Errorf("%+v, %v", recent, err)
		}
		for _, s := range nodes {
			s.Stop(t.Context())
		}
	})
}

// However many queues there are, what is kept is bounded, in size and in time.
func TestSeriesBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := memory.New()
		for n := range 4 {
			s := series(backend, nil)
			s.Start(t.Context())
			for q := range 100 {
				for us := range 200 {
					s.Add(&stats.Event{Queue: fmt.Sprint(n, "-", q), Attempt: true, Run: time.Duration(us*us*us) * time.Microsecond, Wait: time.Duration(us) * time.Millisecond})
				}
			}
			time.Sleep(10 * time.Second)
			s.Stop(t.Context())
		}
		found := points(t, backend, inspect.SeriesQuestion{To: time.Now().Add(time.Minute)})
		total := 0
		for _, p := range found.Points {
			total += p.Attempts
		}
		objects, err := backend.Objects(t.Context(), stats.KindSeries)
		if err != nil || total != 4*100*200 || len(objects) != 1 || len(objects[0].Body) > store.MaxObject {
			t.Fatalf("%d attempts in %d objects, %v", total, len(objects), err)
		}
		s := series(backend, nil)
		s.Start(t.Context())
		time.Sleep(60 * time.Hour)
		s.Stop(t.Context())
		objects, err = backend.Objects(t.Context(), stats.KindSeries)
		if err != nil || len(objects) > 300 || len(objects) < 288 {
			t.Errorf("%d windows are kept, %v", len(objects), err)
		}
	})
}

// What a store that is away for long does not take is kept no longer than it would be.
func TestSeriesOfAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &awayStore{Config: memory.New()}
		away.is.Store(true)
		s := series(away, nil)
		s.Start(t.Context())
		time.Sleep(60 * time.Hour)
		away.is.Store(false)
		s.Stop(t.Context())
		objects, err := away.Objects(t.Context(), stats.KindSeries)
		if err != nil || len(objects) > 300 || len(objects) < 280 {
			t.Errorf("%d windows of 60 hours, %v", len(objects), err)
		}
	})
}

// awayStore takes nothing while it is away.
type awayStore struct {
	store.Config
	is atomic.Bool
}

func (a *awayStore) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if a.is.Load() {
		return nil, errors.New("the store is away")
	}
	return a.Config.Change(ctx, change)
}

func TestSeriesQuestions(t *testing.T) {
	now := time.Now()
	for _, q := range []inspect.SeriesQuestion{
		{From: now, To: now.Add(-time.Minute)}, {Step: time.Second}, {Step: 15 * time.Second}, {Step: 90 * time.Second}, {From: now.Add(-48 * time.Hour), Step: time.Minute},
	} {
		if _, err := stats.ReadSeries(t.Context(), memory.New(), q); !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, from := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour, 1000 * time.Hour} {
		found, err := stats.ReadSeries(t.Context(), memory.New(), inspect.SeriesQuestion{From: now.Add(-from)})
		if err != nil || len(found.Points) < 1 || len(found.Points) > 240 {
			t.Errorf("%s: %d points, %v", from, len(found.Points), err)
		}
	}
}

// Whatever time is asked for, only what is kept is looked for.
func TestSeriesOfAnyTimeCostsLittle(t *testing.T) {
	backend, now := memory.New(), time.Now()
	for name, q := range map[string]inspect.SeriesQuestion{
		"a long past": {From: now.AddDate(-100, 0, 0)}, "a long future": {From: now, To: now.AddDate(100, 0, 0)},
		"a past": {From: now.AddDate(-100, 0, 0), To: now.AddDate(-99, 0, 0)}, "a future": {From: now.AddDate(99, 0, 0), To: now.AddDate(100, 0, 0)},
	} {
		allocations := testing.AllocsPerRun(1, func() {
			if found, err := stats.ReadSeries(t.Context(), backend, q); err != nil || len(found.Points) == 0 {
				t.Errorf("%s: %+v, %v", name, found, err)
			}
		})
		if allocations > 10_000 {
			t.Errorf("%s: %.0f allocations", name, allocations)
		}
	}
}

func TestSeriesAddAllocatesNothing(t *testing.T) {
	s := series(memory.New(), nil)
	e := &stats.Event{Queue: "q", Attempt: true, Run: time.Second, State: task.Succeeded}
	s.Add(e)
	if got := testing.AllocsPerRun(100, func() { s.Add(e) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
