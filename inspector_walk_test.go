package outlast_test

import (
	"cmp"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Five tasks are found at once below thousands of steps of alerts.
func TestListsBelowManyAlerts(t *testing.T) {
	virtually(t, func(k *kit) {
		k.stuff("billing", 5, time.Now().Add(-time.Hour))
		k.stuff(alerts.Queue, 21_000, time.Now()) // more than the store reads for a page
		for _, filter := range []store.Filter{{}, {Queue: "billing"}, {State: task.Pending}, {Queue: "billing", State: task.Pending}} {
			for _, limit := range []int{0, 3, 500} {
				found, next, err := k.client.Inspector().Tasks.Find(k.ctx, filter, store.Page{Limit: limit})
				if want := min(5, cmp.Or(limit, 5)); err != nil || len(found) != want || found[0].Queue != "billing" {
					t.Errorf("%+v, limit %d: %d tasks, next %q, %v; want %d", filter, limit, len(found), next, err, want)
				}
			}
		}
	})
}

// stuff inserts tasks of a queue that were made at a time.
func (k *kit) stuff(queue string, n int, at time.Time) {
	k.Helper()
	q, err := k.store.PutQueue(k.ctx, store.Queue{Name: queue, Lanes: 1})
	if err != nil {
		k.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var items []store.Insert
	for range n {
		items = append(items, store.Insert{Task: &task.Task{
			ID: task.NewID(at, random).WithLane(q.Numbers[0]), Queue: queue, Type: "a", Target: "a", Priority: task.DefaultPriority, RunAt: at.Add(24 * time.Hour),
		}})
	}
	results, err := k.store.Enqueue(k.ctx, []store.Batch{{Items: items}})
	if err != nil || results[0].Err != nil {
		k.Fatal(err, results)
	}
}
