package historytest_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/historytest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

func TestQueueFindsWhatIsWrong(t *testing.T) {
	ctx := context.WithoutCancel(t.Context())
	s := memory.New()
	queue, err := s.PutQueue(ctx, store.Queue{Name: "q", Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	insert := func() task.ID {
		id := task.NewID(time.Now(), random).WithLane(queue.Numbers[0])
		results, err := s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: &task.Task{ID: id, Queue: "q", Type: "a", Target: "a", Payload: []byte("1")}}}}})
		if err != nil || results[0].Err != nil {
			t.Fatal(err, results)
		}
		return id
	}
	var q historytest.Queue
	good, secret, lost := insert(), insert(), task.NewID(time.Now(), random)
	q.Sending(good)
	q.Acknowledged(good)
	q.Sending(task.NewID(time.Now(), random)) // never acknowledged, so that nobody misses it
	check := func(drained bool, want ...string) {
		t.Helper()
		_, wrong, err := q.Check(ctx, s, "q", drained)
		if err != nil {
			t.Fatal(err)
		}
		if len(wrong) != len(want) {
			t.Fatalf("got %q, want %q", wrong, want)
		}
		for i := range want {
			if !strings.HasPrefix(wrong[i], want[i]) {
				t.Errorf("got %q, want %q", wrong[i], want[i])
			}
		}
	}
	check(false, "unexpected: task "+secret.String())
	q.Sending(secret)
	check(false)
	q.Sending(lost)
	q.Acknowledged(lost)
	check(false, "lost: task "+lost.WithLane(0).String())
	q.Ran(good, 7)
	check(true, "lost: task "+lost.WithLane(0).String(), "unfinished", "unfinished", "untold: task "+good.String())
	q.Ran(good, 7)
	q.Ran(task.NewID(time.Now(), random), 8)
	check(false, "lost", "doubled: task "+good.String(), "unexpected")
}
