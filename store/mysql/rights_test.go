package mysql_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/storetest"
	"github.com/outlast-dev/outlast/task"
)

// poor makes a user of a database without rights, and returns how to give it some
// and its pool.
func (d *database) poor(t *testing.T) (grant func(rights string), db *sql.DB) {
	t.Helper()
	name := "u" + d.name[len(d.name)-12:]
	do := func(statement string) {
		t.Helper()
		if _, err := d.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	do("CREATE OR REPLACE USER '" + name + "'@'%' IDENTIFIED BY 'pass'")
	t.Cleanup(func() { do("DROP USER '" + name + "'@'%'") })
	grant = func(rights string) { t.Helper(); do("GRANT " + rights + " ON " + d.name + ".* TO '" + name + "'@'%'") }
	grant("SELECT")
	at := d.dsn[strings.Index(d.dsn, "@"):]
	return grant, openPool(t, name+":pass"+at)
}

// refusedFor fails unless err is an error of the code that has the words and no SQL.
func refusedFor(t *testing.T, err error, code task.Code, words ...string) {
	t.Helper()
	var typed *task.Error
	if !errors.As(err, &typed) || typed.Code != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	for _, word := range words {
		if !strings.Contains(typed.Error(), word) {
			t.Errorf("%v lacks %q", err, word)
		}
	}
	if strings.Contains(typed.Error(), "VALUES") {
		t.Errorf("the error has SQL: %v", err)
	}
}

// The want of a right is told at once, with the statement that gives it.
func TestMissingRightsAreRefusals(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	grant, db := d.poor(t)
	s, err := mysql.Open(t.Context(), db, mysql.WithoutMigration())
	f.ok(err)
	defer s.Close()
	for _, batch := range []store.Batch{{Items: []store.Insert{{Task: f.task(0)}}}, f.deduped("k", 1)} {
		results, err := s.Enqueue(t.Context(), []store.Batch{batch})
		f.ok(err) // a verdict on the batch, not an unknown outcome
		refusedFor(t, results[0].Err, task.CodeUnavailable, "command denied", "GRANT SELECT, INSERT, UPDATE, DELETE ON `"+d.name+"`.* TO 'u")
	}
	grant("INSERT, UPDATE, DELETE")
	db.SetMaxIdleConns(0) // rights of a database hold from the next connection on
	again, err := mysql.Open(t.Context(), db, mysql.WithoutMigration())
	f.ok(err)
	defer again.Close()
	results, err := again.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{{Task: f.task(0)}}}, f.deduped("k", 1)})
	f.ok(err)
	for _, result := range results {
		f.ok(result.Err)
	}
}

// Who repeats what was inserted, as its answer was lost, and lacks the right by now
// is not told that it was refused.
func TestARepeatWithoutTheRightIsAnswered(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	_, db := d.poor(t) // it may read
	s, err := mysql.Open(t.Context(), db, mysql.WithoutMigration())
	f.ok(err)
	defer s.Close()
	for _, done := range []store.Batch{{Items: []store.Insert{{Task: f.task(0)}}}, f.deduped("k", 1)} {
		_, err := f.s.Enqueue(t.Context(), []store.Batch{done})
		f.ok(err)
		fresh := store.Batch{Items: []store.Insert{{Task: f.task(0)}}}
		results, err := s.Enqueue(t.Context(), []store.Batch{done, fresh})
		f.ok(err)
		f.ok(results[0].Err)
		if items := results[0].Items; len(items) != 1 || items[0].Existing == nil || items[0].Existing.ID != done.Items[0].Task.ID {
			t.Errorf("got %+v", items)
		}
		refusedFor(t, results[1].Err, task.CodeUnavailable, "command denied")
	}
}

// Who opens a database is told what is wrong with it.
func TestOpeningTellsWhatIsWrong(t *testing.T) {
	address := servertest.MariaDB(t)
	admin := openPool(t, address)
	d := &database{DB: admin, dsn: address, name: address[strings.LastIndex(address, "/")+1:]}
	_, db := d.poor(t)
	open := func(db *sql.DB) error {
		s, err := mysql.Open(t.Context(), db)
		if err == nil {
			err = s.Close()
		}
		return err
	}
	refusedFor(t, open(db), task.CodeUnavailable, "CREATE command denied", "GRANT CREATE, ALTER, INDEX ON")
	user, at := "u"+d.name[len(d.name)-12:], address[strings.Index(address, "@"):]
	refusedFor(t, open(openPool(t, user+":wrong"+at)), task.CodeDenied, "password")
	refusedFor(t, open(openPool(t, user+":pass"+strings.ReplaceAll(at, d.name, "mysql"))), task.CodeDenied, "may not use")
	refusedFor(t, open(openPool(t, strings.ReplaceAll(address, d.name, "nosuchdb"))), task.CodeNotFound, "CREATE DATABASE")
	if _, err := admin.Exec("CREATE TABLE outlast_migration (number int)"); err != nil {
		t.Fatal(err)
	}
	refusedFor(t, open(admin), task.CodeConflict, "not ours", "database of its own")
	if _, err := admin.Exec("DROP TABLE outlast_migration"); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec("CREATE TABLE outlast_task (number int)"); err != nil {
		t.Fatal(err)
	}
	refusedFor(t, open(admin), task.CodeConflict, "not ours")
	if _, err := admin.Exec("DROP TABLE outlast_task"); err != nil {
		t.Fatal(err)
	}
	if err := open(admin); err != nil { // it goes on where it stopped
		t.Error(err)
	}
}

// A transaction of another database is told from a failure, without our SQL.
func TestTransactionsOfAnotherDatabase(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	tx, err := openPool(t, servertest.MariaDB(t)).BeginTx(t.Context(), nil)
	f.ok(err)
	defer tx.Rollback()
	_, err = f.s.EnqueueTx(t.Context(), tx, []store.Insert{{Task: f.task(0)}})
	refusedFor(t, err, task.CodeInvalid, "no tables of Outlast", d.name)
	one := f.task(0)
	one.Claim, one.Attempt = 1, 1
	_, err = f.s.SettleTx(t.Context(), tx, store.Settlement{Task: one, Outcome: task.OutcomeSucceeded})
	refusedFor(t, err, task.CodeInvalid, "no tables of Outlast")
}

// asker is a database, a connection or a transaction.
type asker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// call enqueues by the procedure, as a caller of any language does.
func call(t *testing.T, on asker, draft string) (id string, existing bool, err error) {
	t.Helper()
	err = on.QueryRowContext(t.Context(), "CALL outlast_enqueue(?, NULL)", draft).Scan(&id, &existing)
	return id, existing, err
}

// bySQL is call in a transaction of its own.
func bySQL(t *testing.T, db *sql.DB, draft string) (id string, existing bool, err error) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		return "", false, err
	}
	if id, existing, err = call(t, tx, draft); err != nil {
		return "", false, errors.Join(err, tx.Rollback())
	}
	return id, existing, tx.Commit()
}

// A user that may execute the procedure can enqueue, and nothing else: neither read nor write
// the tables, nor call the parts of the procedure.
func TestUserThatOnlyEnqueues(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	const draft = `{"type":"mail","queue":"q","key":"k","dedupe_key":"k"}`
	_, db := d.poor(t)
	name := "u" + d.name[len(d.name)-12:]
	do := func(statement string) { t.Helper(); _, err := d.Exec(statement); f.ok(err) }
	do("REVOKE SELECT ON " + d.name + ".* FROM '" + name + "'@'%'")
	do("GRANT EXECUTE ON PROCEDURE " + d.name + ".outlast_enqueue TO '" + name + "'@'%'")
	id, existing, err := bySQL(t, db, draft)
	f.ok(err)
	again, known, err := bySQL(t, db, draft)
	f.ok(err)
	if existing || !known || again != id {
		t.Errorf("%s %t, then %s %t", id, existing, again, known)
	}
	for _, statement := range []string{
		"SELECT 1 FROM outlast_task", "DELETE FROM outlast_task", "UPDATE outlast_counter SET value = 0", "CALL outlast_refuse('a', 'b', 'c', '45000')", "CALL outlast_insert('{}', NULL, @a, @b)",
	} {
		if _, err := db.Exec(statement); err == nil || !strings.Contains(err.Error(), "denied") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Who migrates without the right to make procedures has all but those, and may make them later.
func TestMigratingWithoutProcedures(t *testing.T) {
	address := servertest.MariaDB(t)
	admin := openPool(t, address)
	d := &database{DB: admin, dsn: address, name: address[strings.LastIndex(address, "/")+1:]}
	grant, db := d.poor(t)
	grant("INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX")
	db.SetMaxIdleConns(0)
	s, err := mysql.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var procedures int
	if err := admin.QueryRow("SELECT COUNT(*) FROM information_schema.routines WHERE routine_schema = ?", d.name).Scan(&procedures); err != nil || procedures != 0 {
		t.Errorf("%d procedures, %v", procedures, err)
	}
	d.usable(t)

	grant("CREATE ROUTINE")
	var text bytes.Buffer
	if err := mysql.PrintMigrations(&text); err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements(text.String()) {
		if strings.HasPrefix(statement, "CREATE PROCEDURE") {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.PutQueue(t.Context(), store.Queue{Name: "q"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := bySQL(t, db, `{"type":"mail","queue":"q"}`); err != nil {
		t.Error(err)
	}
}

// A call that fails leaves nothing of its own in the transaction, and the settings of the
// session as they were.
func TestEnqueueBySQLIsWhole(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	_, _, err := bySQL(t, d.DB, `{"type":"mail","queue":"q","dedupe_key":"a"}`)
	f.ok(err)
	_, err = d.Exec("UPDATE outlast_queue SET max_pending = 1")
	f.ok(err)
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead} {
		tx, err := d.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
		f.ok(err)
		_, err = tx.Exec("SET SESSION innodb_lock_wait_timeout = 7")
		f.ok(err)
		_, _, err = call(t, tx, `{"type":"mail","queue":"q","dedupe_key":"b"}`)
		if err == nil || !strings.Contains(err.Error(), "has its limit of 1 pending") {
			t.Errorf("%s: %v", level, err)
		}
		if _, existing, err := call(t, tx, `{"type":"mail","queue":"q","dedupe_key":"a"}`); err != nil || !existing {
			t.Errorf("%s: a repeat: %t, %v", level, existing, err)
		}
		var rows, wait int
		f.ok(tx.QueryRow("SELECT (SELECT COUNT(*) FROM outlast_task) + (SELECT COUNT(*) FROM outlast_dedupe), @@SESSION.innodb_lock_wait_timeout").Scan(&rows, &wait))
		if rows != 2 || wait != 7 {
			t.Errorf("%s: %d rows after a refusal, want 2; the session waits %d s, want 7", level, rows, wait)
		}
		_, err = tx.Exec("SET SESSION innodb_lock_wait_timeout = DEFAULT")
		f.ok(err)
		f.ok(tx.Commit())
	}
}

// A call belongs into a transaction, begun or of a session that commits nothing by itself, and
// into none whose reads lock rows.
func TestEnqueueBySQLNeedsATransaction(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	const draft = `{"type":"mail","queue":"q","key":"k"}`
	conn, err := d.Conn(t.Context())
	f.ok(err)
	defer conn.Close()
	do := func(statement string) { t.Helper(); _, err := conn.ExecContext(t.Context(), statement); f.ok(err) }
	refused := func(words string) {
		t.Helper()
		var refusal *driver.MySQLError
		if _, _, err := call(t, conn, draft); !errors.As(err, &refusal) || string(refusal.SQLState[:]) != "0A000" || !strings.HasPrefix(refusal.Message, words) {
			t.Errorf("got %v, want %s", err, words)
		}
	}
	refused("task: no transaction is open (")
	do("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	do("START TRANSACTION")
	refused("task: nodes would wait for what a SERIALIZABLE transaction reads (")
	do("ROLLBACK")
	do("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
	do("SET SESSION autocommit = 0")
	id, _, err := call(t, conn, draft)
	f.ok(err)
	do("COMMIT")
	do("SET SESSION autocommit = 1")
	var found int
	f.ok(d.QueryRow("SELECT COUNT(*) FROM outlast_task WHERE id = UNHEX(REPLACE(?, '-', ''))", id).Scan(&found))
	if found != 1 {
		t.Errorf("%d tasks of %s", found, id)
	}
}

// Nobody waits until a caller commits: neither who enqueues to the same key, nor who settles
// its head.
func TestEnqueueBySQLLocksNoRowsOfOthers(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 1)
	const draft = `{"type":"noop","queue":"q","key":"k"}`
	keyed := func() *task.Task { one := f.task(0); one.Key = "k"; return one }
	begin := func() *sql.Tx {
		tx, err := d.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
		f.ok(err)
		return tx
	}
	head, next := keyed(), keyed()
	f.insert(head, next)
	running := f.claim(head.ID)
	first, second := begin(), begin()
	_, _, err := call(t, first, draft)
	f.ok(err)
	for locked := -1; locked != 0; { // -1: it shows what it saw before this transaction
		f.ok(first.QueryRow("SELECT COALESCE(MAX(trx_rows_locked), -1) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()").Scan(&locked))
		if locked > 0 {
			t.Fatalf("%d rows are locked", locked)
		} else if locked < 0 {
			time.Sleep(200 * time.Millisecond) // sleep: the server looks again once nobody has asked for 100 ms
		}
	}
	f.insert(keyed())
	f.insert(f.task(0))
	_, _, err = call(t, second, draft)
	f.ok(err)
	f.settle(task.OutcomeSucceeded, running...)
	f.settle(task.OutcomeSucceeded, f.claim(next.ID)...)
	f.ok(second.Commit())
	f.ok(first.Commit())
	storetest.CheckInvariants(t, f.s)
}

// The id of a task that has ended is known, also in a snapshot that is older than its end. After
// its window a dedupe key is that of its task while that lives.
func TestEnqueueBySQLKnowsWhatHasEnded(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	named := `{"type":"mail","queue":"q","id":"` + f.task(0).ID.String() + `"}`
	first, _, err := bySQL(t, d.DB, named)
	f.ok(err)
	tx, err := d.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	f.ok(err)
	_, err = tx.Exec("SELECT COUNT(*) FROM outlast_task")
	f.ok(err)
	end := func(id string) {
		t.Helper()
		parsed, err := task.ParseID(id)
		f.ok(err)
		_, err = f.s.Cancel(t.Context(), parsed)
		f.ok(err)
	}
	end(first)
	if id, existing, err := call(t, tx, named); err != nil || !existing || id != first {
		t.Errorf("%s, %t, %v, want %s", id, existing, err, first)
	}
	f.ok(tx.Rollback())

	const keyed = `{"type":"mail","queue":"q","dedupe_key":"k"}`
	first, _, err = bySQL(t, d.DB, keyed)
	f.ok(err)
	_, err = d.Exec("UPDATE outlast_dedupe SET expires = 1")
	f.ok(err)
	if id, existing, err := bySQL(t, d.DB, keyed); err != nil || !existing || id != first {
		t.Errorf("while its task lives: %s, %t, %v", id, existing, err)
	}
	end(first)
	id, existing, err := bySQL(t, d.DB, keyed)
	if err != nil || existing || id == first {
		t.Errorf("after the window: %s, %t, %v", id, existing, err)
	}
	if again, existing, err := bySQL(t, d.DB, keyed); err != nil || !existing || again != id {
		t.Errorf("in the new window: %s, %t, %v", again, existing, err)
	}
}
