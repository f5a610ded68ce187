package mysql_test

import (
	"context"
	"database/sql"
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

func TestMain(m *testing.M) { goleak.VerifyTestMain(servertest.Wrap(m)) }

// shelf has databases with the tables of the store.
var shelf = servertest.Shelf{Fill: func(t testing.TB, address string) {
	db, err := sql.Open("mysql", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := mysql.Open(t.Context(), db)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}}

// given names in the environment a database that has the tables, for tests one after the
// other.
const given = "OUTLAST_MUTANT_DATABASE"

// options are what mysql.DSN adds.
const options = "?clientFoundRows=true&charset=utf8mb4"

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

// newDatabase is empty, and reached with the given options of the driver. Who changes
// its tables takes one from package servertest.
func newDatabase(t testing.TB, options string) *database {
	t.Helper()
	if address := os.Getenv(given); address != "" {
		if err := servertest.WipeMariaDB(t.Context(), address); err != nil {
			t.Fatal(err)
		}
		return at(t, address, options)
	}
	return at(t, shelf.MariaDB(t), options)
}

// at is the database at an address.
func at(t testing.TB, address, options string) *database {
	t.Helper()
	return &database{DB: openPool(t, address+options), name: address[strings.LastIndex(address, "/")+1:], dsn: address + options}
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
