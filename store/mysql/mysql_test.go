package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/mysql"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(servertest.Wrap(tests{m})) }

// tests drops the databases after the tests: the server may be somebody's.
type tests struct{ m *testing.M }

func (t tests) Run() int {
	code := t.m.Run()
	for _, name := range shared.free {
		if err := shared.drop(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	return code
}

// server is the test server with databases that tests use one after the other:
// making one anew costs more than most tests.
type server struct {
	mu    sync.Mutex
	dsn   string // of a database, without its name
	free  []string
	count int
}

var shared server

// connect finds the server, and starts it if no test has done so.
func (s *server) connect(t testing.TB) {
	if s.dsn == "" {
		given := servertest.MariaDB(t)
		s.dsn = given[:strings.LastIndex(given, "/")+1]
	}
}

// options are what mysql.DSN adds.
const options = "?interpolateParams=true&clientFoundRows=true&charset=utf8mb4"

func (s *server) drop(name string) error {
	db, err := sql.Open("mysql", s.dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("DROP DATABASE " + name)
	return err
}

// database is an empty database with the schema, for one test.
type database struct {
	*sql.DB
	name string
	dsn  string

	mu     sync.Mutex
	offset time.Duration
}

func (d *database) advance(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.offset += by
}

func (d *database) clockOffset() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offset
}

// newDatabase is empty, and reached with the given options of the driver.
func newDatabase(t testing.TB, options string) *database {
	t.Helper()
	s := &shared
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connect(t)
	if last := len(s.free) - 1; last >= 0 {
		name := s.free[last]
		s.free = s.free[:last]
		return s.lend(t, name, options)
	}
	s.count++
	name := fmt.Sprintf("outlast_mysql_%d_%d", os.Getpid(), s.count)
	db := openPool(t, s.dsn)
	if _, err := db.Exec("CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"); err != nil {
		t.Fatal(err)
	}
	return s.lend(t, name, options)
}

// openPool opens a pool, which is closed after the test.
func openPool(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if n := db.Stats().OpenConnections; n > 0 {
			t.Errorf("%d connections were not given back", n)
		}
	})
	return db
}

// lend opens a database and takes it back, emptied, after the test.
func (s *server) lend(t testing.TB, name, options string) *database {
	d := &database{name: name, dsn: s.dsn + name + options}
	d.DB = openPool(t, d.dsn)
	t.Cleanup(func() {
		if err := wipe(d.DB); err != nil {
			t.Error(err)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, name)
	})
	return d
}

// wipe deletes all rows but those that the migrations have made.
func wipe(db *sql.DB) error {
	tables, err := tablesOf(db)
	if err != nil {
		return err
	}
	for _, table := range tables {
		query := "DELETE FROM " + table
		switch table {
		case "outlast_migration":
			continue
		case "outlast_counter":
			query = "UPDATE outlast_counter SET value = 0"
		}
		if _, err := db.Exec(query); err != nil {
			return err
		}
	}
	return nil
}

func tablesOf(db *sql.DB) (tables []string, err error) {
	rows, err := db.Query("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'outlast\\_%'")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, rows.Err()
}

// store opens a store of the database, with the same clock as all others.
func (d *database) store(t testing.TB, opts ...mysql.Option) *mysql.Store {
	t.Helper()
	s, err := mysql.Open(context.Background(), d.DB, append([]mysql.Option{mysql.WithClockOffset(d.clockOffset)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
