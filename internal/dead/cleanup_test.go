package dead

import (
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// TestCleanupPassesManyLiveTasks has ten old ended tasks stand behind 60 000
// live ones, and young ones behind both: one run deletes the ten.
func TestCleanupPassesManyLiveTasks(t *testing.T) {
	racetest.WithoutDetector(t)
	const retention = time.Hour
	var clock atomic.Int64
	clock.Store(time.Now().Add(-2 * retention).UnixMicro())
	backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "outlast.db"),
		sqlite.WithClock(func() time.Time { return time.UnixMicro(clock.Load()) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := backend.Join(t.Context(), store.Node{ID: "n"}); err != nil {
		t.Fatal(err)
	}
	queue, err := backend.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	lanes, err := backend.TakeLanes(t.Context(), "n", []store.LaneEpoch{{Lane: queue.Numbers[0]}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	insert := func(n int) (ids []task.ID) {
		for len(ids) < n {
			items := make([]store.Insert, min(n-len(ids), 1000))
			for i := range items {
				now := time.UnixMicro(clock.Load())
				id := task.NewID(now, random).WithLane(lanes[0].Lane)
				items[i].Task = &task.Task{ID: id, Queue: "q", Type: "t", Target: "t", RunAt: now, Payload: []byte(`1`)}
				ids = append(ids, id)
			}
			results, err := backend.Enqueue(t.Context(), []store.Batch{{Items: items}})
			if err != nil || results[0].Err != nil {
				t.Fatal(err, results)
			}
		}
		return ids
	}
	end := func(ids []task.ID) {
		claim := store.Claim{Node: "n", Lanes: lanes}
		for _, id := range ids {
			claim.Items = append(claim.Items, store.ClaimItem{ID: id})
		}
		claimed, err := backend.Claim(t.Context(), claim)
		if err != nil || len(claimed.Tasks) != len(ids) {
			t.Fatal(err, len(claimed.Tasks))
		}
		var settlements []store.Settlement
		now := time.UnixMicro(clock.Load())
		for _, one := range claimed.Tasks {
			settlements = append(settlements, store.Settlement{Task: one, Outcome: task.OutcomeSucceeded, StartedAt: now, EndedAt: now})
		}
		if _, err := backend.Settle(t.Context(), settlements); err != nil {
			t.Fatal(err)
		}
	}
	insert(60_000)
	end(insert(10))
	clock.Store(time.Now().UnixMicro())
	end(insert(10))

	c := newCleanup(Config{DoneRetention: retention}, backend, nil, slog.New(slog.DiscardHandler))
	for run, want := range []int{10, 0} {
		if deleted := c.runOnce(t.Context(), time.Now()); deleted != want {
			t.Errorf("run %d deleted %d, want %d", run, deleted, want)
		}
	}
	if n, err := backend.Count(t.Context(), store.Filter{}, 100_000); err != nil || n != 60_010 {
		t.Errorf("%d tasks are left, %v", n, err)
	}
}
