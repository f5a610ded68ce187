package migrate_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/store/internal/migrate"
	"github.com/outlast-dev/outlast/task"
)

// three migrations, as one release after the other knows them.
var releases = []string{
	"0001_init.sql", "CREATE TABLE a (b INTEGER);\nCREATE INDEX a_b ON a (b);\nINSERT INTO a VALUES (1);\n",
	"0002_more.sql", "ALTER TABLE a ADD COLUMN c INTEGER;\nINSERT INTO a VALUES (2, 2);\n",
	"0003_most.sql", "CREATE TABLE d (e INTEGER);\n",
}

// known are the migrations that the n-th release knows.
func known(t *testing.T, dialect *migrate.Dialect, n int) *migrate.Set {
	t.Helper()
	set, err := migrate.Load(dialect, files(releases[:2*n]...), "migrations")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func openSQLite(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "a.db")+"?_pragma=busy_timeout(60000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// inTransaction runs sessions as transactions of db.
func inTransaction(db *sql.DB) migrate.Run {
	return func(ctx context.Context, fn func(migrate.Session) error) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := fn(migrate.Over(tx, nil, nil)); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	}
}

func nowhere(string) {}

// applied counts the migrations that a database has.
func applied(t *testing.T, set *migrate.Set, run migrate.Run) (n int) {
	t.Helper()
	err := run(t.Context(), func(session migrate.Session) error {
		all, err := set.Status(t.Context(), session)
		for _, m := range all {
			if m.Applied {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestManyAtOnceApplyEachOnce(t *testing.T) {
	db := openSQLite(t)
	set := known(t, migrate.SQLite, 3)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if err := set.Up(t.Context(), inTransaction(db), nowhere); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := applied(t, set, inTransaction(db)); n != 3 {
		t.Errorf("%d are applied", n)
	}
	var rows int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM a").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestNeighbouringReleasesShareADatabase(t *testing.T) {
	for _, test := range []struct{ database, program int }{{0, 1}, {0, 3}, {1, 1}, {1, 3}, {2, 1}, {3, 2}, {3, 1}} {
		db := openSQLite(t)
		run := inTransaction(db)
		if test.database > 0 {
			if err := known(t, migrate.SQLite, test.database).Up(t.Context(), run, nowhere); err != nil {
				t.Fatal(err)
			}
		}
		program := known(t, migrate.SQLite, test.program)
		missing := func() (n int, err error) {
			err = run(t.Context(), func(session migrate.Session) error {
				all, err := program.Status(t.Context(), session)
				for _, m := range all {
					if !m.Applied {
						n++
					}
				}
				return err
			})
			return n, err
		}
		tooNew, tooOld := test.database > test.program+1, test.database < test.program
		if n, err := missing(); (err != nil) != tooNew || tooNew && !says(err, "update the program") || (n > 0) != tooOld {
			t.Errorf("%+v: %d are missing, %v", test, n, err)
		}
		if err := program.Up(t.Context(), run, nowhere); (err != nil) != tooNew || tooNew && !says(err, "update the program") {
			t.Errorf("%+v: Up says %v", test, err)
		}
		if n, err := missing(); (err != nil) != tooNew || n > 0 {
			t.Errorf("%+v: after Up %d are missing, %v", test, n, err)
		}
	}
}

// says reports whether err is a typed error for operators with the text.
func says(err error, text string) bool {
	return errors.Is(err, &task.Error{Code: task.CodeUnavailable}) && strings.Contains(err.Error(), text)
}

// TestNothingMissingWritesNothing: a program may start without the right to
// change the schema.
func TestNothingMissingWritesNothing(t *testing.T) {
	db := openSQLite(t)
	set := known(t, migrate.SQLite, 2)
	if err := set.Up(t.Context(), inTransaction(db), nowhere); err != nil {
		t.Fatal(err)
	}
	refusing := func(ctx context.Context, fn func(migrate.Session) error) error {
		return inTransaction(db)(ctx, func(session migrate.Session) error { return fn(reader{session}) })
	}
	if err := set.Up(t.Context(), refusing, nowhere); err != nil {
		t.Error(err)
	}
	if err := known(t, migrate.SQLite, 3).Up(t.Context(), refusing, nowhere); !errors.Is(err, errReadOnly) {
		t.Errorf("got %v: the session is not what is used", err)
	}
}

type reader struct{ migrate.Session }

var errReadOnly = errors.New("it may only read")

func (reader) Exec(context.Context, string) error { return errReadOnly }

// TestFailedStatementUndoesItsMigration and names itself.
func TestFailedStatementUndoesItsMigration(t *testing.T) {
	db := openSQLite(t)
	broken := fstest.MapFS{}
	for name, file := range files(releases...) {
		broken[name] = file
	}
	broken["migrations/0002_more.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE half (x);\nINSERT INTO nowhere VALUES (1);\n")}
	set, err := migrate.Load(migrate.SQLite, broken, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	err = set.Up(t.Context(), inTransaction(db), nowhere)
	if err == nil || !strings.Contains(err.Error(), "0002_more") || !strings.Contains(err.Error(), "INSERT INTO nowhere") {
		t.Errorf("got %v", err)
	}
	if n := applied(t, set, inTransaction(db)); n != 1 {
		t.Errorf("%d are applied", n)
	}
	if err := known(t, migrate.SQLite, 3).Up(t.Context(), inTransaction(db), nowhere); err != nil {
		t.Error(err)
	}
}

func TestPrintedStatementsRecordThemselves(t *testing.T) {
	db := openSQLite(t)
	set := known(t, migrate.SQLite, 3)
	var text bytes.Buffer
	if err := set.Print(&text); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), text.String()); err != nil {
		t.Fatalf("%v in\n%s", err, &text)
	}
	if n := applied(t, set, inTransaction(db)); n != 3 {
		t.Errorf("%d are applied by\n%s", n, &text)
	}
}
