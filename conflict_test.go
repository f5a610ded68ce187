package outlast_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// Which draft of an atomic batch is in conflict, with a task that was there
// or with another of the batch, on every store and in a caller's transaction.
func TestConflictsOfBatchesNameTheirDraft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "conflict.db")
	onDisk, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = onDisk.Close() }) // the client has ended
	db, err := sql.Open("sqlite3", "file:"+file+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, s := range map[string]store.Backend{"memory": memory.New(), "sqlite": onDisk} {
		ctx, client := really(t, s, outlast.WithEnqueueOnly())
		d := func(kind, key string) outlast.Draft {
			return outlast.Draft{Type: kind, DedupeKey: key, Delay: time.Hour}
		}
		first, err := client.Enqueue(ctx, d("a", "held"))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := client.Enqueue(ctx, d("a", ""))
		if err != nil {
			t.Fatal(err)
		}
		again := outlast.Draft{ID: plain.Task.ID, Type: "b"}
		enqueues := map[string]func([]outlast.Draft) error{
			"batch": func(drafts []outlast.Draft) error { return second(client.EnqueueMany(ctx, drafts, true)) },
		}
		if name == "sqlite" {
			enqueues["tx"] = func(drafts []outlast.Draft) error {
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				return second(client.EnqueueTx(ctx, tx, drafts...))
			}
		}
		for way, enqueue := range enqueues {
			for _, c := range []struct {
				drafts []outlast.Draft
				code   task.Code
				paths  []string
			}{
				{[]outlast.Draft{d("a", "free"), d("a", ""), d("b", "held")}, task.CodeDedupeConflict, []string{"tasks[2].dedupe_key"}},
				{[]outlast.Draft{d("a", "free"), d("a", "other"), d("b", "free")}, task.CodeDedupeConflict, []string{"tasks[2].dedupe_key"}},
				{[]outlast.Draft{d("a", "free"), again}, task.CodeIDConflict, []string{"tasks[1].id"}},
				{[]outlast.Draft{d("b", "held")}, task.CodeDedupeConflict, []string{"tasks[0].dedupe_key"}},
			} {
				var e *outlast.Error
				if err := enqueue(c.drafts); !errors.As(err, &e) || e.Code != c.code {
					t.Fatalf("%s, %s: %v, want %s", name, way, err, c.code)
				}
				if got := paths(e); !slices.Equal(got, c.paths) {
					t.Errorf("%s, %s: complaints at %q, want %q", name, way, got, c.paths)
				}
			}
		}
		var e *outlast.Error
		if _, err := client.Enqueue(ctx, d("b", "held")); !errors.As(err, &e) || e.Existing != first.Task.ID || !slices.Equal(paths(e), []string{"dedupe_key"}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func paths(e *outlast.Error) []string {
	var all []string
	for _, field := range e.Fields {
		all = append(all, field.Path)
	}
	return all
}

// A wait that ends with its context says which task goes on.
func TestShortWaits(t *testing.T) {
	ctx, client := really(t, memory.New())
	for _, d := range []time.Duration{time.Millisecond, 50 * time.Millisecond} {
		short, cancel := context.WithTimeout(ctx, d)
		receipt, err := client.Enqueue(ctx, outlast.Draft{Type: "later", Delay: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Wait(short, receipt.Task.ID); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), receipt.Task.ID.String()) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
}
