//go:build unix

package migrate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/internal/migrate"
)

// server is a database server, and how to get schemas on it.
type server struct {
	dialect *migrate.Dialect
	driver  string
	admin   *sql.DB
	dsn     func(schema string) string
	create  string // of a schema
	cut     string // ends the connection with a number
	self    string // reads the number of a connection
}

func postgres(t *testing.T) *server {
	url := servertest.Postgres(t)
	return &server{
		dialect: migrate.PostgreSQL, driver: "pgx", admin: openServer(t, "pgx", url),
		dsn:    func(schema string) string { return url + "&search_path=" + schema },
		create: "CREATE SCHEMA %s", cut: "SELECT pg_terminate_backend(%d)", self: "SELECT pg_backend_pid()",
	}
}

func mariaDB(t *testing.T) *server {
	dsn := servertest.MariaDB(t)
	return &server{
		dialect: migrate.MySQL, driver: "mysql", admin: openServer(t, "mysql", dsn),
		dsn:    func(schema string) string { return dsn[:strings.LastIndex(dsn, "/")+1] + schema },
		create: "CREATE DATABASE %s", cut: "KILL CONNECTION %d", self: "SELECT CONNECTION_ID()",
	}
}

func openServer(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// schema makes a new schema and returns its address.
func (s *server) schema(t *testing.T, name string) string {
	t.Helper()
	if _, err := s.admin.ExecContext(t.Context(), fmt.Sprintf(s.create, name)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // on MariaDB it is a database, which outlives the test's own
		drop := strings.Replace(fmt.Sprintf(s.create, name), "CREATE", "DROP", 1)
		if s.dialect == migrate.PostgreSQL {
			drop += " CASCADE"
		}
		if _, err := s.admin.ExecContext(context.WithoutCancel(t.Context()), drop); err != nil {
			t.Error(err)
		}
	})
	return s.dsn(name)
}

// sessions run as the store of the dialect runs them.
func sessions(driver string, db *sql.DB) migrate.Run {
	if driver == "pgx" {
		return inTransaction(db)
	}
	return func(ctx context.Context, fn func(migrate.Session) error) error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		return errors.Join(fn(migrate.Over(conn, func(err error) bool {
			var refused *mysql.MySQLError
			return errors.As(err, &refused) && migrate.There(refused.Number)
		}, nil)), conn.Close())
	}
}

// complete checks that everything is there exactly once.
func complete(t *testing.T, set *migrate.Set, db *sql.DB, run migrate.Run, when string) {
	t.Helper()
	if n := applied(t, set, run); n != 3 {
		t.Errorf("%s: %d are applied", when, n)
	}
	var rows, filled int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*), count(c) FROM a").Scan(&rows, &filled); err != nil || rows != 2 || filled != 1 {
		t.Errorf("%s: %d rows, %d with the new column, %v; statements ran twice or never", when, rows, filled, err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO d VALUES (1)"); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

func TestServersTakeManyAtOnce(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		set := known(t, s.dialect, 3)
		for _, name := range []string{"first", "second"} { // two schemas do not disturb each other
			db := openServer(t, s.driver, s.schema(t, name))
			var wait sync.WaitGroup
			for range 6 {
				wait.Go(func() {
					if err := set.Up(t.Context(), sessions(s.driver, db), nowhere); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			complete(t, set, db, sessions(s.driver, db), name)
		}
	})
}

func TestServersWaitNoLongerThanTheContext(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		set, db := known(t, s.dialect, 3), openServer(t, s.driver, s.schema(t, "waits"))
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		err := set.Up(t.Context(), sessions(s.driver, db), func(string) {
			if ctx.Err() == nil {
				if err := set.Up(ctx, sessions(s.driver, db), nowhere); err == nil || ctx.Err() == nil {
					t.Errorf("a second one did not wait: %v", err)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		complete(t, set, db, sessions(s.driver, db), "afterwards")
	})
}

// TestServersLoseConnections ends the connection after each statement in turn.
func TestServersLoseConnections(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		set := known(t, s.dialect, 3)
		for n, more := 1, true; more; n++ {
			db := openServer(t, s.driver, s.schema(t, "cut"+strconv.Itoa(n)))
			var number, seen int
			run := sessions(s.driver, db)
			err := set.Up(t.Context(), func(ctx context.Context, fn func(migrate.Session) error) error {
				return run(ctx, func(session migrate.Session) error {
					rows, err := session.Query(ctx, s.self)
					if err != nil {
						return err
					}
					number = int(rows[0][0])
					return fn(session)
				})
			}, func(string) {
				if seen++; seen == n {
					if _, err := s.admin.ExecContext(t.Context(), fmt.Sprintf(s.cut, number)); err != nil {
						t.Error(err)
					}
				}
			})
			if more = seen >= n; more && err == nil && s.driver == "pgx" {
				t.Errorf("nothing happened when the connection was cut after statement %d", n)
			}
			if err := set.Up(t.Context(), run, nowhere); err != nil {
				t.Errorf("after a cut at statement %d: %v", n, err)
			}
			complete(t, set, db, run, fmt.Sprintf("cut after statement %d", n))
		}
	})
}

// What a child process that is to die needs.
const (
	killAt     = "OUTLAST_TEST_KILL_AT"
	killDriver = "OUTLAST_TEST_KILL_DRIVER"
	killDSN    = "OUTLAST_TEST_KILL_DSN"
)

// TestServersLoseProcesses kills a process after each statement in turn, then
// the next one as well.
func TestServersLoseProcesses(t *testing.T) {
	if n, err := strconv.Atoi(os.Getenv(killAt)); err == nil {
		migrateAndDie(t, n)
		return
	}
	both(t, func(t *testing.T, s *server) {
		set := known(t, s.dialect, 3)
		for n, died := 1, true; died; n++ {
			dsn := s.schema(t, "kill"+strconv.Itoa(n))
			if died = dies(t, s.driver, dsn, n); died {
				dies(t, s.driver, dsn, 2)
			} else if n < 9 {
				t.Errorf("the migration ended before statement %d: the kill does not work", n)
			}
			db := openServer(t, s.driver, dsn)
			run := sessions(s.driver, db)
			if err := set.Up(t.Context(), run, nowhere); err != nil {
				t.Errorf("killed at statement %d: %v", n, err)
			}
			complete(t, set, db, run, fmt.Sprintf("killed at statement %d", n))
		}
	})
}

// dies migrates in a process that dies after n statements, and reports
// whether there were so many.
func dies(t *testing.T, driver, dsn string, n int) bool {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServersLoseProcesses$")
	child.Env = append(os.Environ(), killAt+"="+strconv.Itoa(n), killDriver+"="+driver, killDSN+"="+dsn)
	out, err := child.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() == 1) {
		t.Fatalf("at statement %d: %v\n%s", n, err, out)
	}
	return err != nil
}

func migrateAndDie(t *testing.T, n int) {
	dialect, driver := migrate.PostgreSQL, os.Getenv(killDriver)
	if driver == "mysql" {
		dialect = migrate.MySQL
	}
	seen := 0
	err := known(t, dialect, 3).Up(t.Context(), sessions(driver, openServer(t, driver, os.Getenv(killDSN))), func(string) {
		if seen++; seen == n {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			t.Log(err)
			select {} // until the kill comes
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) {
	_ = mysql.SetLogger(log.New(io.Discard, "", 0)) // it tells of every connection that is cut
	servertest.Main(m)
}

// both runs a test on both servers.
func both(t *testing.T, test func(t *testing.T, s *server)) {
	t.Run("PostgreSQL", func(t *testing.T) { test(t, postgres(t)) })
	t.Run("MariaDB", func(t *testing.T) { test(t, mariaDB(t)) })
}
