package postgres_test

import (
	"context"
	"database/sql"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx of database/sql

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// tables counts the tables of the store's schema with the prefix.
func tables(t *testing.T, url, prefix string) (names []string) {
	t.Helper()
	rows, err := pool(t, url).Query(t.Context(), "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relname LIKE $1 ORDER BY relname", prefix+"%")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func TestDaysAreMadeAheadAndDroppedAsAWhole(t *testing.T) {
	url := servertest.Postgres(t)
	var offset atomic.Int64
	at := time.Now().UTC()
	noon := at.Truncate(24 * time.Hour).Add(36 * time.Hour).Sub(at) // of tomorrow, so that no day ends meanwhile
	offset.Store(int64(noon))
	s := open(t, url, postgres.WithClockOffset(func() time.Duration { return time.Duration(offset.Load()) }))
	g := newGround(t, s, 2)
	past, stays := g.add(3), g.add(1)[0]
	g.settle(g.claim(stays).Tasks, task.OutcomeFailed)
	g.settle(g.claim(past[0]).Tasks, task.OutcomeFailed)
	g.settle(g.claim(past...).Tasks, task.OutcomeSucceeded)

	offset.Store(int64(noon + 10*24*time.Hour))
	now := time.Now().Add(noon + 10*24*time.Hour)
	today := g.add(1) // a day without a partition yet
	g.settle(g.claim(today...).Tasks, task.OutcomeSucceeded)
	for {
		n, err := s.Cleanup(t.Context(), now.Add(-24*time.Hour), 1000)
		g.ok(err)
		if n == 0 {
			break
		}
	}
	days := tables(t, url, "outlast_done_")
	if first := "outlast_done_" + now.UTC().Format("20060102"); len(days) != 8 || days[0] != first {
		t.Errorf("the days from %s on are %v, want eight", first, days)
	}
	for _, id := range past {
		if _, err := s.Get(t.Context(), id); err == nil {
			t.Errorf("task %s is still there", id)
		}
	}
	attempts, err := s.Attempts(t.Context(), stays)
	g.ok(err)
	if len(attempts) != 1 {
		t.Errorf("a live task has %d attempts, want the one of a day that is past", len(attempts))
	}
	if history := tables(t, url, "outlast_attempt_"); len(history) != 9 {
		t.Errorf("the days of attempts are %v, want that of the live task and eight", history)
	}
	g.sound()
}

func TestASettleMakesTheDayThatItMisses(t *testing.T) {
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 2)
	ids := g.add(4)
	tasks := g.claim(ids...).Tasks
	for _, name := range slices.Concat(tables(t, url, "outlast_done_"), tables(t, url, "outlast_attempt_"), tables(t, url, "outlast_step_")) {
		_, err := pool(t, url).Exec(t.Context(), "DROP TABLE "+name)
		g.ok(err)
	}
	g.isAdded(tasks[0], 1, store.StatusOK)
	g.settle(tasks[:2], task.OutcomeSucceeded)
	g.settle(tasks[2:3], task.OutcomeFailed)
	g.settle(tasks[3:], task.OutcomeDead)
	g.sound()
}

// Behind a pooler that changes connections with each transaction nothing may
// be prepared under a name.
func TestNothingIsPreparedWhenThePoolSaysSo(t *testing.T) {
	p := pool(t, database(t)+"&default_query_exec_mode=exec&pool_max_conns=1")
	s, err := postgres.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g := newGround(t, s, 2)
	ids := g.add(300)
	g.settle(g.claim(ids[:150]...).Tasks, task.OutcomeSucceeded)
	g.settle(g.claim(ids[150:]...).Tasks, task.OutcomeFailed)
	g.sound()
	var named int
	g.ok(p.QueryRow(t.Context(), "SELECT count(*) FROM pg_prepared_statements WHERE name <> ''").Scan(&named))
	if named != 0 {
		t.Errorf("%d statements are prepared", named)
	}
}

func TestStatementsThatTheServerForgotAreMadeAgain(t *testing.T) {
	p := pool(t, database(t)+"&pool_max_conns=2")
	s, err := postgres.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g := newGround(t, s, 1)
	for range 3 {
		ids := g.add(2)
		if _, err := p.Exec(t.Context(), "DEALLOCATE ALL"); err != nil {
			t.Fatal(err)
		}
		g.settle(g.claim(ids...).Tasks, task.OutcomeSucceeded)
	}
	g.sound()
}

func TestTransactionsOfDatabaseSQL(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url), 2)
	db, err := sql.Open("pgx", url)
	g.ok(err)
	defer db.Close()
	running := g.claim(g.add(1)...).Tasks[0]
	for _, commits := range []bool{false, true} {
		tx, err := db.BeginTx(t.Context(), nil)
		g.ok(err)
		odd := g.task()
		odd.Key, odd.Payload, odd.ID = `{"a\,'é`, []byte("\x00\\\"\xff{}"), odd.ID.WithLane(g.queue.Numbers[0])
		odd.Spec.Metadata = map[string]string{`"\`: "NULL"}
		insert := store.Insert{Task: odd, Dedupe: &store.Dedupe{Lane: g.queue.Numbers[0], Key: "k", Window: time.Hour}}
		inserted, err := g.s.EnqueueTx(t.Context(), tx, []store.Insert{insert, {Task: g.task()}})
		g.ok(err)
		again, err := g.s.EnqueueTx(t.Context(), tx, []store.Insert{insert})
		g.ok(err)
		if inserted[0].Entry.ID != odd.ID || inserted[0].Entry.Seq == 0 || again[0].Existing == nil {
			t.Fatalf("inserted %+v, then %+v", inserted, again)
		}
		settled, err := g.s.SettleTx(t.Context(), tx, store.Settlement{Task: running, Outcome: task.OutcomeSucceeded, Result: []byte(`{"a":1}`)})
		g.ok(err)
		if settled.Status != store.StatusOK {
			t.Fatalf("settled %+v", settled)
		}
		if !commits {
			g.ok(tx.Rollback())
			continue
		}
		g.ok(tx.Commit())
		got, err := g.s.Get(t.Context(), odd.ID)
		g.ok(err)
		if got.Key != odd.Key || string(got.Payload) != string(odd.Payload) || got.Spec.Metadata[`"\`] != "NULL" {
			t.Errorf("got %+v, want %+v", got, odd)
		}
		ended, err := g.s.Get(t.Context(), running.ID)
		g.ok(err)
		if ended.State != task.Succeeded || string(ended.Result) != `{"a":1}` {
			t.Errorf("got %+v", ended)
		}
	}
	g.sound()
}

func TestListeningGoesOnAfterItsSessionWasEnded(t *testing.T) {
	url := database(t)
	s := open(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	heard, ended := make(chan []store.ChangedLane, 100), make(chan error, 1)
	go func() { ended <- s.Watch(ctx, func(lanes []store.ChangedLane) { heard <- lanes }) }()
	hear := func(what string, wanted func([]store.ChangedLane) bool) {
		t.Helper()
		limit := time.After(20 * time.Second)
		for {
			_ = s.Notify(t.Context(), []store.ChangedLane{{Lane: 7, From: -5}, {Lane: 3, From: store.AnyRank}, {Lane: 7, From: 1}}) // its session may have been ended too
			select {
			case lanes := <-heard:
				if wanted(lanes) {
					return
				}
			case <-time.After(50 * time.Millisecond):
			case <-limit:
				t.Fatal("not heard: " + what)
			}
		}
	}
	exact := func(lanes []store.ChangedLane) bool {
		return slices.Equal(lanes, []store.ChangedLane{{Lane: 3, From: store.AnyRank}, {Lane: 7, From: -5}})
	}
	hear("the lanes", exact)
	_, err := pool(t, url).Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if err != nil {
		t.Fatal(err)
	}
	hear("that something may have been missed", func(lanes []store.ChangedLane) bool { return lanes == nil })
	hear("the lanes again", exact)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Hot statements look rows up: none reads a table whole, though the
// statements were prepared when all tables were empty.
func TestHotStatementsReadNoTableWhole(t *testing.T) {
	url := servertest.Postgres(t) + "&pool_max_conns=1"
	g := newGround(t, open(t, url), 4)
	cycle := func(n int) {
		ids := g.add(n)
		for round := range 3 {
			tasks := g.claim(ids...).Tasks
			steps := make([]task.Step, len(tasks))
			for i := range tasks {
				steps[i] = stepOf(tasks[i], round)
			}
			_, err := g.s.AddSteps(t.Context(), steps)
			g.ok(err)
			if round < 2 {
				g.settle(tasks, task.OutcomeFailed)
			} else {
				g.settle(tasks, task.OutcomeSucceeded)
			}
		}
		_, err := g.s.Scan(t.Context(), []store.Range{{Lane: g.queue.Numbers[0], After: -1 << 62, Until: 1 << 62, Limit: 10}})
		g.ok(err)
		_, err = g.s.Get(t.Context(), ids[0])
		g.ok(err)
		steps, err := g.s.StepsOf(t.Context(), ids[:min(20, n)])
		g.ok(err)
		if len(steps) != 3*min(20, n) {
			t.Errorf("%d steps", len(steps))
		}
	}
	cycle(3)
	g.add(3000)
	before := sequentialReads(t, url)
	for range 3 {
		cycle(300)
	}
	for table, n := range sequentialReads(t, url) {
		if read := n - before[table]; read > 0 {
			t.Errorf("%d rows of %s were read one after the other", read, table)
		}
	}
}

func sequentialReads(t *testing.T, url string) map[string]int64 {
	t.Helper()
	read := map[string]int64{}
	p := pool(t, url)
	_, err := p.Exec(t.Context(), "SELECT pg_stat_clear_snapshot()")
	if err != nil {
		t.Fatal(err)
	}
	// Sessions tell what they have read a moment after they became idle.
	time.Sleep(1500 * time.Millisecond) // sleep: statistics of the server are late
	rows, err := p.Query(t.Context(), "SELECT relname::text, coalesce(seq_tup_read, 0) FROM pg_stat_user_tables WHERE relname SIMILAR TO 'outlast_(task|run|done|attempt|step|claim|dead)%'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var n int64
		if err := rows.Scan(&name, &n); err != nil {
			t.Fatal(err)
		}
		read[name] = n
	}
	return read
}

func TestRunningRowsAreSweptAfterManyClaims(t *testing.T) {
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 1)
	g.settle(g.claim(g.add(500)...).Tasks, task.OutcomeSucceeded)
	if _, err := g.s.Recover(t.Context(), g.queue.Numbers, 10); err != nil || g.s.Unswept() == 0 {
		t.Fatal("swept after a few claims", err)
	}
	g.s.Claimed(postgres.TidyAfter)
	if _, err := g.s.Recover(t.Context(), g.queue.Numbers, 10); err != nil || g.s.Unswept() != 0 {
		t.Fatalf("%d claims, %v", g.s.Unswept(), err)
	}
	var free int
	g.ok(pool(t, url).QueryRow(t.Context(), "SELECT reltuples::bigint FROM pg_class WHERE relname = 'outlast_run'").Scan(&free))
	if free != 0 {
		t.Errorf("the table has %d rows by the server's statistics, so that it was not swept", free)
	}
}
