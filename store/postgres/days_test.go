package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// A clock that was far ahead leaves days far ahead. When it is right again the days
// between are made as they come, and until then a probe tells where the gap is.
func TestDaysAfterAClockThatWasAhead(t *testing.T) {
	const day = 24 * time.Hour
	url := servertest.Postgres(t)
	var offset atomic.Int64
	began := time.Now().UTC().Truncate(day) // before the first days are made, if that is not the same one
	s := open(t, url, postgres.WithClockOffset(func() time.Duration { return time.Duration(offset.Load()) }))
	g := newGround(t, s, 1)
	offset.Store(int64(40 * day))
	_, err := s.Cleanup(t.Context(), time.Unix(0, 0), 10) // makes days far ahead
	g.ok(err)
	offset.Store(0)
	probe, err := s.Probe(t.Context())
	g.ok(err)
	if gap := began.Add(8 * day); probe.Until.Before(gap) || probe.Until.After(gap.Add(day)) { // it may be tomorrow by now
		t.Errorf("room until %s, want the gap at %s", probe.Until, gap)
	}
	offset.Store(int64(10 * day))
	batch, ids := g.batch(1)
	results, err := s.Enqueue(t.Context(), []store.Batch{batch})
	g.ok(err)
	g.ok(results[0].Err)
	claimed, err := s.Claim(t.Context(), store.Claim{Node: "n1", Lanes: g.lanes, Items: []store.ClaimItem{{ID: ids[0]}}, MaxBytes: 1 << 20})
	g.ok(err)
	if len(claimed.Tasks) != 1 {
		t.Fatalf("claimed %+v", claimed)
	}
	p := pool(t, url)
	settle := func() error {
		tx, err := p.Begin(t.Context())
		g.ok(err)
		defer tx.Rollback(context.WithoutCancel(t.Context()))
		_, err = s.SettleTx(t.Context(), tx, store.Settlement{Task: claimed.Tasks[0], Outcome: task.OutcomeSucceeded, StartedAt: time.Now(), EndedAt: time.Now()})
		return err
	}
	if err := settle(); err == nil {
		t.Error("there was a day to settle on already")
	}
	if err := settle(); err != nil {
		t.Errorf("the second transaction still fails: %v", err)
	}
	_, err = s.Cleanup(t.Context(), time.Unix(0, 0), 10)
	g.ok(err)
	probe, err = s.Probe(t.Context())
	g.ok(err)
	if probe.Until.Before(began.Add(18 * day)) {
		t.Errorf("after a cleanup there is room until %s only", probe.Until)
	}
}

// Nodes that clean up at once drop the same days: that the other one was quicker is
// no failure.
func TestManyCleanUpAtOnce(t *testing.T) {
	url := servertest.Postgres(t)
	var offset atomic.Int64
	var all [6]*postgres.Store
	for i := range all {
		all[i] = open(t, url, postgres.WithClockOffset(func() time.Duration { return time.Duration(offset.Load()) }))
	}
	for round := range 6 {
		offset.Store(int64(time.Duration(round*9) * 24 * time.Hour))
		before := time.Now().Add(time.Duration(offset.Load()) - 24*time.Hour)
		var cleaning sync.WaitGroup
		failed := make([]error, len(all))
		for i, s := range all {
			cleaning.Go(func() { _, failed[i] = s.Cleanup(context.WithoutCancel(t.Context()), before, 5) })
		}
		cleaning.Wait()
		for _, err := range failed {
			if err != nil {
				t.Error(fmt.Errorf("round %d: %w", round, err))
			}
		}
	}
}
