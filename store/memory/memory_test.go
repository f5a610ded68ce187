package memory

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func TestLifeOfATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		s := New()
		random := rand.New(rand.NewPCG(1, 2))
		if err := s.Join(ctx, store.Node{ID: "a"}); err != nil {
			t.Fatal(err)
		}
		q, err := s.PutQueue(ctx, store.Queue{Name: "q", Lanes: 2})
		if err != nil || len(q.Numbers) != 2 {
			t.Fatal(q, err)
		}
		lanes, err := s.TakeLanes(ctx, "a", []store.LaneEpoch{{Lane: q.Numbers[0]}})
		if err != nil || len(lanes) != 1 || lanes[0].Epoch != 1 {
			t.Fatal(lanes, err)
		}
		id := task.NewID(time.Now(), random).WithLane(q.Numbers[0])
		results, err := s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: &task.Task{ID: id, Queue: "q", Type: "t", Key: "k"}}}}})
		if err != nil || results[0].Err != nil || results[0].Items[0].Entry.Seq != 1 {
			t.Fatal(results, err)
		}
		for attempt := 1; attempt <= 2; attempt++ {
			claimed, err := s.Claim(ctx, store.Claim{Node: "a", Lanes: lanes, Items: []store.ClaimItem{{ID: id}}})
			if err != nil || len(claimed.Tasks) != 1 || claimed.Tasks[0].Attempt != attempt {
				t.Fatal(claimed, err)
			}
			outcome := task.OutcomeFailed
			if attempt == 2 {
				outcome = task.OutcomeSucceeded
			}
			settled, err := s.Settle(ctx, []store.Settlement{{Task: claimed.Tasks[0], Outcome: outcome}})
			if err != nil || settled[0].Status != store.StatusOK {
				t.Fatal(settled, err)
			}
			if wrong, err := s.Check(ctx); err != nil || len(wrong) > 0 {
				t.Fatal(wrong, err)
			}
		}
		attempts, err := s.Attempts(ctx, id)
		if err != nil || len(attempts) != 2 {
			t.Fatal(attempts, err)
		}
	})
}

func TestWatchTellsOtherHandles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s := New()
		other := s.Handle()
		var woken [][]store.ChangedLane
		done := make(chan error, 1)
		go func() { done <- other.Watch(ctx, func(lanes []store.ChangedLane) { woken = append(woken, lanes) }) }()
		synctest.Wait()
		if _, err := other.PutQueue(ctx, store.Queue{Name: "own"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(woken) != 0 {
			t.Fatal("a handle was woken by its own commit")
		}
		if _, err := s.PutQueue(ctx, store.Queue{Name: "theirs"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(woken) != 1 || woken[0] != nil {
			t.Fatal(woken)
		}
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

func TestKillLeavesTheRows(t *testing.T) {
	ctx := context.Background()
	s := New(WithExactDeath())
	if err := s.Join(ctx, store.Node{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	other := s.Handle()
	s.Kill()
	if _, err := s.Beat(ctx, "a", store.Report{}); err == nil {
		t.Fatal("a killed handle answered")
	}
	topology, err := other.Topology(ctx)
	if err != nil || len(topology.Nodes) != 1 || !topology.Nodes[0].Gone || topology.Nodes[0].State != store.NodeAlive {
		t.Fatal(topology, err)
	}
}

func TestOrderedIsASortedSet(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var set ordered
	model := map[place]bool{}
	for range 20_000 {
		p := place{first: random.Int64N(3000), second: random.Int64N(2)}
		if random.IntN(5) < 3 {
			set.add(p)
			model[p] = true
		} else {
			set.remove(p)
			delete(model, p)
		}
	}
	var want []place
	for p := range model {
		want = append(want, p)
	}
	slices.SortFunc(want, comparePlaces)
	if got := slices.Collect(set.all()); !slices.Equal(got, want) || set.length != len(want) {
		t.Fatalf("%d places, want %d", set.length, len(want))
	}
	middle := want[len(want)/2]
	if got := slices.Collect(set.from(middle)); !slices.Equal(got, want[len(want)/2:]) {
		t.Fatal("from differs")
	}
	below := slices.Clone(want[:len(want)/2])
	slices.Reverse(below)
	if got := slices.Collect(set.before(&middle)); !slices.Equal(got, below) {
		t.Fatal("before differs")
	}
	slices.Reverse(want)
	if got := slices.Collect(set.before(nil)); !slices.Equal(got, want) {
		t.Fatal("before nil differs")
	}
}
