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

// What happened to a target on two nodes is one list, the newest first, and bounded.
func TestTargetHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := &flaky{Config: memory.New()}
		var spent atomic.Bool
		began := time.Now()
		var nodes []*stats.History
		for n := range 2 {
			h := stats.NewHistory(stats.HistoryConfig{
				Backend: backend, Logger: slog.New(slog.DiscardHandler), Node: func() string { return fmt.Sprint("n", n) },
				Budgets: func() map[string]time.Time {
					if spent.Load() {
						return map[string]time.Time{"b": began.Add(time.Hour)}
					}
					return nil
				},
			})
			h.Start(t.Context())
			nodes = append(nodes, h)
		}
		for i := range 300 {
			for n, h := range nodes {
				h.Add("t", inspect.TargetChange{At: began.Add(time.Duration(2*i+n) * time.Millisecond), Part: "breaker", State: "open", Reason: "failure_rate"})
			}
		}
		time.Sleep(14 * time.Second) // a write that fails comes again after ten seconds
		changes, err := stats.ReadHistory(t.Context(), backend, "t")
		if err != nil || len(changes) != 500 || changes[0].Node != "n1" || changes[1].Node != "n0" || !changes[0].At.Equal(began.Add(599*time.Millisecond).Truncate(time.Millisecond)) {
			t.Fatalf("%d changes, %v, %+v", len(changes), err, changes[:min(2, len(changes))])
		}
		spent.Store(true)
		time.Sleep(14 * time.Second)
		spent.Store(false)
		time.Sleep(14 * time.Second)
		for _, h := range nodes {
			h.Stop(t.Context())
		}
		changes, err = stats.ReadHistory(t.Context(), backend, "b")
		if err != nil || len(changes) != 4 || changes[1].State != "refilled" || changes[2].State != "exhausted" || changes[0].Part != "budget" {
			t.Errorf("%+v, %v", changes, err)
		}
		if _, err := stats.ReadHistory(t.Context(), backend, "nobody"); !errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
			t.Error(err)
		}
		if o, err := backend.Object(t.Context(), stats.KindHistory, "t"); err != nil || len(o.Body) > store.MaxObject {
			t.Errorf("%d bytes, %v", len(o.Body), err)
		}
	})
}

// Changes of one moment stand in the order in which they came, in one write and in two.
func TestHistoryOfOneMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, now := memory.New(), time.Now()
		h := stats.NewHistory(stats.HistoryConfig{
			Backend: backend, Logger: slog.New(slog.DiscardHandler), Node: func() string { return "n" }, Budgets: func() map[string]time.Time { return nil },
		})
		h.Start(t.Context())
		for _, state := range []string{"open", "closed", "ramping"} {
			h.Add("t", inspect.TargetChange{At: now, Part: "breaker", State: state})
			if state == "closed" {
				time.Sleep(time.Minute)
			}
		}
		h.Stop(t.Context())
		changes, err := stats.ReadHistory(t.Context(), backend, "t")
		if err != nil || len(changes) != 3 || changes[0].State != "ramping" || changes[1].State != "closed" || changes[2].State != "open" {
			t.Errorf("%+v, %v", changes, err)
		}
	})
}

// refusing fails the next changes without making them.
type refusing struct {
	store.Config
	refusals atomic.Int32
}

func (r *refusing) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if r.refusals.Add(-1) >= 0 {
		return nil, errors.New("the database is away")
	}
	return r.Config.Change(ctx, change)
}

// A change whose write fails is written soon after, although nothing else happens, and
// at the latest when the node stops.
func TestHistoryIsWrittenAgain(t *testing.T) {
	for name, wait := range map[string]time.Duration{"while it runs": time.Minute, "when it stops": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				backend := &refusing{Config: memory.New()}
				h := stats.NewHistory(stats.HistoryConfig{
					Backend: backend, Logger: slog.New(slog.DiscardHandler), Node: func() string { return "n" }, Budgets: func() map[string]time.Time { return nil },
				})
				h.Start(t.Context())
				backend.refusals.Store(3)
				h.Add("t", inspect.TargetChange{At: time.Now(), Part: "breaker", State: "open"})
				time.Sleep(wait)
				if wait == 0 {
					h.Stop(t.Context())
				}
				if changes, err := stats.ReadHistory(t.Context(), backend, "t"); err != nil || len(changes) != 1 {
					t.Errorf("%+v, %v", changes, err)
				}
				h.Stop(t.Context())
			})
		})
	}
}

// What was counted last is written when the node stops, although a write fails.
func TestLastCountsAreWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := &refusing{Config: memory.New()}
		k := keeper(backend, "r")
		k.Start(t.Context())
		k.Add(&stats.Attempt{Type: "t", Number: 1, Run: time.Second})
		s := stats.NewSeries(stats.SeriesConfig{Backend: backend, Logger: slog.New(slog.DiscardHandler)})
		s.Start(t.Context())
		s.Add(&stats.Event{Queue: "q", Attempt: true})
		for _, stop := range []func(context.Context){k.Stop, s.Stop} {
			backend.refusals.Store(2)
			stop(t.Context())
		}
		all, err := stats.Compare(t.Context(), backend, inspect.ComparisonQuestion{})
		if err != nil || len(all) != 1 || all[0].To.Count != 1 {
			t.Errorf("%+v, %v", all, err)
		}
		if written, err := backend.Objects(t.Context(), stats.KindSeries); err != nil || len(written) != 1 {
			t.Errorf("%d windows, %v", len(written), err)
		}
	})
}
