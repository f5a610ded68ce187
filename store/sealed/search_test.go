package sealed_test

import (
	"context"
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// finds counts what is read.
type finds struct {
	store.Backend
	n int
}

func (f *finds) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	f.n++
	return f.Backend.Find(ctx, filter, page)
}

// A search in which the database cannot help reads many tasks at a time, also for a page
// of one, and its pages have each task once.
func TestSearchReadsManyAtATime(t *testing.T) {
	b := newBench(t)
	var want []task.ID
	for n := range 250 {
		given := b.task("x")
		if n%50 == 7 {
			given.Type = "wanted"
			want = append(want, given.ID)
		}
		b.insert(b.raw, store.Insert{Task: given})
	}
	below := &finds{Backend: b.raw}
	s := wrap(t, below, oneKey(1))
	var found []task.ID
	for page := (store.Page{Limit: 1}); ; {
		tasks, next, err := s.Find(t.Context(), store.Filter{Search: "wanted"}, page)
		b.ok(err)
		if len(tasks) > 1 {
			t.Fatalf("%d tasks in a page of one", len(tasks))
		}
		for _, one := range tasks {
			found = append(found, one.ID)
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	slices.SortFunc(want, func(a, b task.ID) int { return b.Compare(a) })
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if below.n > 20 {
		t.Errorf("%d reads for %d tasks", below.n, 250)
	}
}
