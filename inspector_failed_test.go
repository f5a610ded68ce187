package outlast_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// failuresOf reads a whole list, page by page.
func (k *kit) failuresOf(filter store.Filter, limit int) (all []*inspect.View, pages int) {
	k.Helper()
	page := store.Page{Limit: limit}
	for {
		found, next, err := k.client.Inspector().Tasks.Find(k.ctx, filter, page)
		if err != nil {
			k.Fatal(err)
		}
		if all, pages = append(all, found...), pages+1; next == "" {
			return all, pages
		}
		page.Cursor = next
	}
}

// A task of yesterday that failed five minutes ago is among the failures of the last hour.
func TestFailuresAreFoundByTheirTime(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "late", func(context.Context, any) error { return errors.New("no") })
		outlast.Handle(k.client, "dies", func(context.Context, any) error { return outlast.GiveUp(errors.New("no")) })
		outlast.Handle(k.client, "good", func(context.Context, any) error { return nil })
		k.start()
		yesterday := task.NewID(time.Now().Add(-24*time.Hour), rand.New(rand.NewPCG(1, 2)))
		late := k.enqueue(outlast.Draft{ID: yesterday, Type: "late", Retry: inline(`{"backoff": {"kind": "fixed", "initial": "24h"}}`)})
		k.after(time.Second)
		k.enqueue(outlast.Draft{Type: "good"})
		dies := k.enqueue(outlast.Draft{Type: "dies"})
		k.after(5 * time.Minute)
		found, _ := k.failuresOf(store.Filter{State: inspect.Failed}, 0)
		if len(found) != 2 || found[0].ID != dies.ID || found[1].ID != late.ID {
			t.Fatalf("failed in the last hour: %d tasks %v, want the dead one and that of yesterday", len(found), found)
		}
		if ago := time.Since(found[1].LastFailedAt); ago < 5*time.Minute || ago > 6*time.Minute {
			t.Errorf("failed %v ago", ago)
		}
		k.after(time.Hour)
		if found, _ := k.failuresOf(store.Filter{State: inspect.Failed}, 0); len(found) != 0 {
			t.Errorf("an hour later the last hour has %d failures", len(found))
		}
		for _, filter := range []store.Filter{{State: inspect.Failed, FailedSince: time.Now().Add(-2 * time.Hour)}, {FailedUntil: time.Now()}} {
			if found, _ := k.failuresOf(filter, 1); len(found) != 2 {
				t.Errorf("%+v: %d tasks", filter, len(found))
			}
		}
	})
}

// The view of failures ends after 1000 where nobody says since when, and nowhere else.
func TestTheViewOfFailuresIsBoundedButNoLimit(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "fails", func(context.Context, any) error { return outlast.GiveUp(errors.New("no")) })
		k.start()
		for range 1010 {
			k.enqueue(outlast.Draft{Type: "fails"})
		}
		k.after(time.Minute)
		found, pages := k.failuresOf(store.Filter{State: inspect.Failed}, 500)
		if len(found) != 1000 || pages != 2 {
			t.Errorf("%d failures on %d pages, want the newest 1000 on 2", len(found), pages)
		}
		if all, _ := k.failuresOf(store.Filter{State: inspect.Failed, FailedSince: time.Now().Add(-time.Hour)}, 500); len(all) != 1010 {
			t.Errorf("%d failures since an hour ago, want all 1010", len(all))
		}
	})
}

func TestBadFiltersOfFailures(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		now := time.Now()
		_, _, err := inspector.Tasks.Find(k.ctx, store.Filter{FailedSince: now, FailedUntil: now.Add(-time.Hour)}, store.Page{})
		wantField(t, err, "failed_until")
		for _, cursor := range []string{"x", "f0.1_x", "f2000.1_x", "f5_x", "f5.x_"} {
			_, _, err = inspector.Tasks.Find(k.ctx, store.Filter{State: inspect.Failed}, store.Page{Cursor: cursor})
			wantField(t, err, "cursor")
		}
		_, err = inspector.Tasks.Count(k.ctx, store.Filter{State: inspect.Failed}, 10)
		wantField(t, err, "state")
	})
}

func wantField(t *testing.T, err error, path string) {
	t.Helper()
	var typed *task.Error
	if !errors.As(err, &typed) || len(typed.Fields) != 1 || typed.Fields[0].Path != path {
		t.Errorf("got %v, want a complaint about %s", err, path)
	}
}
