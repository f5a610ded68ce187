package sqlite_test

import (
	"database/sql"
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters go back a few at a time where their histories are large: all of a batch would
// not fit into memory.
func TestLettersOfLargeHistoriesGoBackInParts(t *testing.T) {
	f := newFixture(t, 1)
	const letters, attempts = 60, 100
	ids := make([]task.ID, letters)
	for i := range ids {
		ids[i] = f.insert(f.task(0))[0].Entry.ID
		f.die(ids[i])
	}
	history := make([]map[string]any, attempts)
	for i := range history {
		history[i] = map[string]any{"number": i + 1, "claim": i + 1, "node": "n1", "started_at": 1, "ended_at": 2, "outcome": "failed",
			"failure": map[string]any{"message": strings.Repeat("x", task.MaxErrorText-1)}}
	}
	text, err := json.Marshal(history)
	f.ok(err)
	db, err := sql.Open("sqlite3", "file:"+f.path)
	f.ok(err)
	_, err = db.ExecContext(f.ctx, `UPDATE outlast_dead SET attempts = ?`, string(text))
	f.ok(err)
	f.ok(db.Close())

	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapAlloc))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	done, missing, err := f.Redrive(f.ctx, ids, store.RedriveOptions{Audit: []store.Audit{{Action: "redrive"}}})
	close(stop)
	<-stopped
	f.ok(err)
	grown := int64(most.Load()) - int64(before.HeapAlloc)
	t.Logf("%d MB of histories, %d MB more in memory", letters*len(text)>>20, grown>>20)
	f.expect(len(done) == letters && len(missing) == 0, "%d went back, %d are missing", len(done), len(missing))
	f.expect(grown < 80<<20, "%d MB more in memory", grown>>20)
	got, err := f.Attempts(f.ctx, ids[letters-1])
	f.ok(err)
	f.expect(len(got) == attempts, "%d attempts are left", len(got))
	log, _, err := f.Audit(f.ctx, store.AuditFilter{}, store.Page{})
	f.ok(err)
	f.expect(len(log) == 1, "%d rows of the audit log", len(log))
}

func (f *fixture) die(id task.ID) {
	f.Helper()
	died, err := f.Settle(f.ctx, []store.Settlement{{Task: f.claim(id)[0], Outcome: task.OutcomeDead, DeadReason: task.Exhausted}})
	f.ok(err)
	f.expect(died[0].Status == store.StatusOK, "%+v", died[0])
}
