package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

func TestStoresThatStartAtOnceMigrateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outlast.db")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	all, err := open(t, path).Migrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !m.Applied {
			t.Errorf("migration %s is not applied", m.Name)
		}
	}
}

// TestPrintedMigrationsMakeTheSameSchema runs the printed SQL by hand.
func TestPrintedMigrationsMakeTheSameSchema(t *testing.T) {
	var text bytes.Buffer
	if err := sqlite.PrintMigrations(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "outlast.db")
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), text.String()); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, sqlite.WithoutMigration())
	all, err := s.Migrations(t.Context())
	if err != nil || !all[0].Applied {
		t.Fatal(all, err)
	}
	if wrong, err := s.Check(t.Context()); err != nil || len(wrong) > 0 {
		t.Fatal(wrong, err)
	}
}

func TestFileIsInWALMode(t *testing.T) {
	f := newFixture(t, 1)
	f.insert(f.task(0))
	if _, err := os.Stat(f.path + "-wal"); err != nil {
		t.Fatal(err)
	}
}

func TestMissingFolderIsAnError(t *testing.T) {
	_, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "absent", "outlast.db"))
	if err == nil || !strings.Contains(err.Error(), "absent") {
		t.Fatalf("got %v", err)
	}
}

// watch starts a watcher and returns the channel of its wake-ups.
func watch(t *testing.T, s store.Waker) <-chan struct{} {
	woken := make(chan struct{}, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := s.Watch(ctx, func([]store.ChangedLane) { woken <- struct{}{} }); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wait.Wait() })
	return woken
}

func expectWake(t *testing.T, woken <-chan struct{}) {
	t.Helper()
	select {
	case <-woken:
	case <-time.After(time.Minute):
		t.Fatal("no wake-up")
	}
}

func TestWatchTellsOfOthersOnly(t *testing.T) {
	f := newFixture(t, 1)
	other := open(t, f.path)
	woken := watch(t, f.Store)
	f.insert(f.task(0))
	select {
	case <-woken:
		t.Fatal("woken by its own commit")
	case <-time.After(60 * time.Millisecond):
	}
	commit := func() {
		_, err := other.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{{Task: f.task(0)}}}})
		f.ok(err)
	}
	for range 20 {
		commit()
		expectWake(t, woken)
	}
}

func TestTransactionsOfCallersEnqueueAndWake(t *testing.T) {
	f := newFixture(t, 1)
	woken := watch(t, f.Store)
	db, err := sql.Open("sqlite3", "file:"+f.path)
	f.ok(err)
	defer db.Close()
	for _, keep := range []bool{true, false} {
		tx, err := db.BeginTx(f.ctx, nil)
		f.ok(err)
		one := f.task(0)
		one.Key = "k"
		one.Spec.Metadata = map[string]string{"a": "b"}
		inserted, err := f.EnqueueTx(f.ctx, tx, []store.Insert{{Task: one}})
		f.ok(err)
		f.expect(inserted[0].Entry.ID == one.ID && inserted[0].Entry.Seq > 0, "%+v", inserted)
		again, err := f.EnqueueTx(f.ctx, tx, []store.Insert{{Task: one}})
		f.ok(err)
		f.expect(again[0].Existing != nil && again[0].Existing.Spec.Metadata["a"] == "b", "%+v", again)
		if !keep {
			f.ok(tx.Rollback())
			continue
		}
		f.ok(tx.Commit())
		expectWake(t, woken)
		f.claim(one.ID)
	}
	f.healthy()
}

// TestTwoStoresShareAFile runs both at full speed: neither starves, nothing
// is claimed twice.
func TestTwoStoresShareAFile(t *testing.T) {
	f := newFixture(t, 1)
	other := open(t, f.path)
	f.ok(other.Join(f.ctx, store.Node{ID: "n2"}))
	for _, s := range []*sqlite.Store{f.Store, other} {
		_, err := s.Topology(f.ctx) // learns that the other is there
		f.ok(err)
	}
	ids := f.fill(benchBatch)
	marks := make([]store.Marking, len(ids))
	for i, id := range ids {
		marks[i] = store.Marking{ID: id, Mark: 7}
	}
	f.ok(f.Mark(f.ctx, marks))
	counts := make([]int, 2)
	var wait sync.WaitGroup
	for n, s := range []*sqlite.Store{f.Store, other} {
		wait.Go(func() {
			for i := 0; i < len(ids); i += 10 {
				claim := store.Claim{Node: []string{"n1", "n2"}[n]}
				for _, id := range ids[i : i+10] {
					claim.Items = append(claim.Items, store.ClaimItem{ID: id, Mark: 7})
				}
				claimed, err := s.Claim(f.ctx, claim)
				if err != nil {
					t.Error(err)
					return
				}
				counts[n] += len(claimed.Tasks)
			}
		})
	}
	wait.Wait()
	f.expect(counts[0]+counts[1] == len(ids), "%v of %d were claimed", counts, len(ids))
	f.healthy()
}

func TestNodeOfAClosedStoreIsGone(t *testing.T) {
	f := newFixture(t, 1)
	other := open(t, f.path)
	f.ok(other.Join(f.ctx, store.Node{ID: "odd/../name"}))
	gone := func() bool {
		topology, err := f.Topology(f.ctx)
		f.ok(err)
		for _, node := range topology.Nodes {
			if node.ID == "odd/../name" {
				return node.Gone
			}
		}
		t.Fatal("the node is absent")
		return false
	}
	f.expect(!gone(), "gone while it lives")
	f.ok(other.Close())
	f.expect(gone(), "not gone after its end")
	buried, err := f.Bury(f.ctx, "odd/../name", 0)
	f.ok(err)
	f.expect(buried, "not buried")
	locks, err := filepath.Glob(f.path + "-nodes/*")
	f.ok(err)
	f.expect(len(locks) == 1, "lock files left: %v", locks)
}

// TestTextsThatLookLikeTimes come back as they were: some drivers make times
// of them.
func TestTextsThatLookLikeTimes(t *testing.T) {
	f := newFixture(t, 1)
	one := f.task(0)
	one.Type, one.Key = "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1+02:00"
	f.insert(one)
	got, err := f.Get(f.ctx, one.ID)
	f.ok(err)
	f.expect(got.Type == one.Type && got.Key == one.Key, "%q %q", got.Type, got.Key)
}

// A row that was damaged holds up no other: it is claimed like these, and says that it
// cannot be read.
func TestUnreadableRow(t *testing.T) {
	f := newFixture(t, 1)
	damaged, sound := f.task(0), f.task(0)
	damaged.Spec.Metadata = map[string]string{"a": "b"}
	f.insert(damaged, sound)
	db, err := sql.Open("sqlite3", "file:"+f.path)
	f.ok(err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(f.ctx, `UPDATE outlast_task SET spec = '{garbage', last_error = '{garbage' WHERE id = ?`, damaged.ID[:])
	f.ok(err)
	claimed := f.claim(damaged.ID, sound.ID)
	f.expect(len(claimed) == 2, "%d of two are claimed", len(claimed))
	for _, one := range claimed {
		bad := one.ID == damaged.ID
		f.expect((one.Spec.Unreadable != "") == bad && (one.LastError != nil) == bad, "%+v", one)
	}
	found, _, err := f.Find(f.ctx, store.Filter{}, store.Page{Limit: 10})
	f.ok(err)
	f.expect(len(found) == 2, "%d of two are listed", len(found))
	_, err = f.Settle(f.ctx, []store.Settlement{{Task: claimed[0], Outcome: task.OutcomeDead, DeadReason: task.Permanent}, {Task: claimed[1], Outcome: task.OutcomeDead, DeadReason: task.Permanent}})
	f.ok(err)
	back, left, err := f.Redrive(f.ctx, []task.ID{damaged.ID, sound.ID}, store.RedriveOptions{})
	f.ok(err)
	f.expect(len(back) == 1 && back[0].ID == sound.ID && len(left) == 1, "%+v, %v", back, left)
}
