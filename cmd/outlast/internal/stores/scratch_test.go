//go:build linux || darwin

package stores_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver mysql
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// Names that are not those of scratch places, and one that is, by chance.
const (
	mine     = "outlast_prove_mine"
	byChance = "outlast_prove_abcdefghij27"
	inUpper  = "OUTLAST_PROVE_ABCDEFGHIJ22"
)

// What others have made is not taken for a scratch place, nor is one that somebody holds.
func TestScratchLeft(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		folder := t.TempDir()
		for _, name := range []string{mine, byChance, inUpper} {
			if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{mine, inUpper} {
			if err := os.WriteFile(filepath.Join(folder, name, "held"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		testLeft(t, "sqlite:"+filepath.Join(folder, "mine.db"))
		if found, err := os.ReadDir(folder); err != nil || len(found) != 3 {
			t.Errorf("the folder has %v, %v", found, err)
		}
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		address := servertest.Postgres(t)
		plant(t, "pgx", address, `CREATE SCHEMA `+mine, `COMMENT ON SCHEMA `+mine+` IS 'outlast prove'`, `CREATE SCHEMA `+byChance,
			`CREATE SCHEMA "`+inUpper+`"`, `COMMENT ON SCHEMA "`+inUpper+`" IS 'outlast prove'`)
		testLeft(t, address)
	})
	t.Run("MariaDB", func(t *testing.T) {
		server := servertest.MariaDBServer(t) // others look for scratch places on the common one
		for _, name := range []string{mine, byChance, inUpper} {
			plant(t, "mysql", server.DSN(""), "CREATE DATABASE "+name, "CREATE TABLE "+name+".prove_mark (n int)")
		}
		for _, name := range []string{mine, inUpper} {
			plant(t, "mysql", server.DSN(""), "ALTER TABLE "+name+".prove_mark COMMENT 'outlast prove'")
		}
		testLeft(t, "mysql://root@"+server.Addr()+"/"+mine)
	})
}

func plant(t *testing.T, driver, address string, statements ...string) {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

func testLeft(t *testing.T, url string) {
	t.Helper()
	known, err := stores.Durable(url)
	if err != nil {
		t.Fatal(err)
	}
	open := func() kind.Scratch {
		t.Helper()
		place, err := known.Scratch(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { place.Close() })
		return place
	}
	holder, cleaner, name := open(), open(), kind.NewScratch()
	if _, err := holder.Make(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	left := func() []string {
		t.Helper()
		names, err := cleaner.Left(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if found := left(); len(found) > 0 {
		t.Errorf("left, while it is held: %v", found)
	}
	holder.Close()
	for len(left()) == 0 { // the server learns of it a moment later
		time.Sleep(time.Millisecond) // sleep: a server tells nobody of it
	}
	if found := left(); !slices.Equal(found, []string{name}) {
		t.Errorf("left: %v", found)
	}
	if err := cleaner.Drop(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if found := left(); len(found) > 0 {
		t.Errorf("left, after the drop: %v", found)
	}
}

// A lock and a drop are of one server: several are refused, with and without TLS.
func TestScratchIsOnOneServer(t *testing.T) {
	for _, url := range []string{"postgres://u@127.0.0.1:1,127.0.0.2:1/d", "postgres://u@127.0.0.1:1,127.0.0.1:2/d?sslmode=prefer", "postgres://u@127.0.0.1:1,127.0.0.2:1/d?sslmode=disable"} {
		known, err := stores.Durable(url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := known.Scratch(t.Context(), url); err == nil || !strings.Contains(err.Error(), "several hosts") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
