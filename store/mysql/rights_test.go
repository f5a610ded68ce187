package mysql_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
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
