package dead

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

type onlyNode struct{}

func (onlyNode) Wake(...uint16)            {}
func (onlyNode) Topology() *store.Topology { return nil }
func (onlyNode) Node() string              { return "n" }

// Nothing is deleted that the archive did not take, and what it took is deleted
// whole, with all attempts in it.
func TestArchiveBeforeDeletion(t *testing.T) {
	backend := memory.New()
	ids := letters(t, backend, 250)
	broken, kept := true, map[task.ID]int{}
	config := Config{Archive: func(_ context.Context, letters []inspect.Letter) error {
		if broken {
			return errors.New("the disk is full")
		}
		for _, letter := range letters {
			kept[letter.Task.ID] += len(letter.Attempts)
		}
		return nil
	}}.withDefaults()
	r := newRetention(config, backend, onlyNode{}, slog.New(slog.DiscardHandler))
	later := time.Now().Add(config.Retention + time.Hour)
	r.runOnce(t.Context(), later)
	if stats, err := backend.DeadStats(t.Context()); err != nil || stats.Total != len(ids) || len(kept) != 0 {
		t.Fatalf("%+v, %v, %d kept", stats, err, len(kept))
	}
	broken = false
	r.runOnce(t.Context(), later)
	if stats, err := backend.DeadStats(t.Context()); err != nil || stats.Total != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for _, id := range ids {
		if kept[id] != 1 {
			t.Fatalf("%d attempts of %s were kept", kept[id], id)
		}
	}
}

// shortPages is a store whose pages begin with one that is empty, as those of a
// filter are that very many of the newest letters do not match.
type shortPages struct{ store.Backend }

func (s shortPages) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	switch page.Cursor {
	case "":
		return nil, "first", nil
	case "first":
		page.Cursor = ""
	}
	return s.Backend.Find(ctx, filter, page)
}

func TestArchiveLooksBeyondAnEmptyPage(t *testing.T) {
	backend := memory.New()
	letters(t, backend, 150)
	kept := 0
	config := Config{Archive: func(_ context.Context, letters []inspect.Letter) error {
		kept += len(letters)
		return nil
	}}.withDefaults()
	r := newRetention(config, shortPages{backend}, onlyNode{}, slog.New(slog.DiscardHandler))
	r.runOnce(t.Context(), time.Now().Add(config.Retention+time.Hour))
	if stats, err := backend.DeadStats(t.Context()); err != nil || stats.Total != 0 || kept != 150 {
		t.Errorf("%+v, %v: %d of 150 letters were archived", stats, err, kept)
	}
}

// letters makes dead letters.
func letters(t *testing.T, backend store.Backend, count int) (ids []task.ID) {
	t.Helper()
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
	random, now := rand.New(rand.NewPCG(1, 2)), time.Now()
	claim := store.Claim{Node: "n", Lanes: lanes}
	var items []store.Insert
	for range count {
		id := task.NewID(now, random).WithLane(lanes[0].Lane)
		items = append(items, store.Insert{Task: &task.Task{ID: id, Queue: "q", Type: "t", Target: "t", RunAt: now, Payload: []byte(`1`)}})
		claim.Items, ids = append(claim.Items, store.ClaimItem{ID: id}), append(ids, id)
	}
	if results, err := backend.Enqueue(t.Context(), []store.Batch{{Items: items}}); err != nil || results[0].Err != nil {
		t.Fatal(err, results)
	}
	claimed, err := backend.Claim(t.Context(), claim)
	if err != nil || len(claimed.Tasks) != count {
		t.Fatal(err)
	}
	var settlements []store.Settlement
	for _, one := range claimed.Tasks {
		settlements = append(settlements, store.Settlement{Task: one, Outcome: task.OutcomeDead, DeadReason: task.Permanent, StartedAt: now, EndedAt: now})
	}
	if _, err := backend.Settle(t.Context(), settlements); err != nil {
		t.Fatal(err)
	}
	return ids
}
