//go:build unix

package servertest

import (
	"database/sql"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/internal/servers"
)

// TestMain looks at what a package does for which nobody has started servers.
func TestMain(m *testing.M) {
	_, _ = os.Unsetenv(postgres.env), os.Unsetenv(mariadb.env)
	goleak.VerifyTestMain(Wrap(m))
}

func TestPostgresDatabases(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		began := time.Now()
		url := Postgres(t)
		t.Logf("%s in %s", url, time.Since(began).Round(time.Millisecond))
		if seen[url] {
			t.Fatal("two tests get one database")
		}
		seen[url] = true
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		var less bool
		if err := conn.QueryRow(t.Context(), "select 'a' < 'B'").Scan(&less); err != nil || !less {
			t.Errorf("a before B: %v, %v", less, err)
		}
		if _, err := conn.Exec(t.Context(), "create table one (id int)"); err != nil {
			t.Error(err)
		}
		// It stays open: the drop at the end must not wait for it.
	}
}

func TestMariaDBDatabases(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		began := time.Now()
		dsn := MariaDB(t)
		t.Logf("%s in %s", dsn, time.Since(began).Round(time.Millisecond))
		if seen[dsn] {
			t.Fatal("two tests get one database")
		}
		seen[dsn] = true
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var same bool
		if err := db.QueryRow("select 'a' = 'A'").Scan(&same); err != nil || !same {
			t.Errorf("a is A: %v, %v", same, err)
		}
		if _, err := db.Exec("create table one (id int)"); err != nil {
			t.Error(err)
		}
	}
}

// A shelf lends a database to one test at a time, filled once, without the rows of those
// who had it before. All are dropped after the tests.
func TestShelf(t *testing.T) {
	for driver, lend := range map[string]func(*Shelf, testing.TB) string{"pgx": (*Shelf).Postgres, "mysql": (*Shelf).MariaDB} {
		t.Run(driver, func(t *testing.T) {
			filled := map[string]bool{}
			shelf := Shelf{Fill: func(t testing.TB, address string) {
				filled[address] = true
				rows(t, driver, address, "create table outlast_migration (n int)", "insert into outlast_migration values (1)",
					"create table outlast_counter (value int)", "insert into outlast_counter values (0)", "create table one (n int)")
			}}
			for range 3 {
				t.Run("one", func(t *testing.T) {
					one, two := lend(&shelf, t), lend(&shelf, t)
					if one == two {
						t.Error("one database is lent twice")
					}
					if n := rows(t, driver, one); n != 0 {
						t.Errorf("it has %d rows of others", n)
					}
					if n := rows(t, driver, one, "insert into one values (1)", "update outlast_counter set value = 1"); n != 2 {
						t.Errorf("it has %d of two rows", n)
					}
				})
			}
			if len(filled) != 2 {
				t.Errorf("filled %v", filled)
			}
		})
	}
	if left := len(kept.drop); left != 4 {
		t.Errorf("%d databases are to be dropped, want 4", left)
	}
	if err := dropKept(); err != nil {
		t.Error(err)
	}
}

// rows runs statements, and counts the rows that a migration has not made.
func rows(t testing.TB, driver, address string, statements ...string) (n int) {
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
	if err := db.QueryRow("select (select count(*) from one) + (select value from outlast_counter) + (select count(*) - 1 from outlast_migration)").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestInServer(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://postgres@h:1/postgres?sslmode=disable": "postgres://postgres@h:1/new?sslmode=disable",
		"root@tcp(h:1)/?parseTime=true":                    "root@tcp(h:1)/new?parseTime=true",
		"root@tcp(h:1)/old":                                "root@tcp(h:1)/new",
	} {
		if got := inServer(address, "new"); got != want {
			t.Errorf("%s becomes %s", address, got)
		}
	}
}

// Acknowledged commits survive an immediate stop even of a fast server, and reach a
// synchronous standby that is promoted.
func TestStandby(t *testing.T) {
	t.Parallel()
	primary := PostgresServer(t)
	standby, err := primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := primary.Synchronous(true); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), primary.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; { // until the setting is read and the standby counts
		var state string
		err := conn.QueryRow(t.Context(), "select coalesce((select sync_state from pg_stat_replication), '')").Scan(&state)
		if err != nil {
			t.Fatal(err)
		}
		if state == "sync" {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("after a minute the standby is %q", state)
		}
		time.Sleep(50 * time.Millisecond) // sleep: the server reads its settings in its own time
	}
	if _, err := conn.Exec(t.Context(), "create table kept as select 42 as n"); err != nil {
		t.Fatal(err)
	}
	primary.Stop(servers.Immediate)
	_ = conn.Close(t.Context())
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := pgx.Connect(t.Context(), standby.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close(t.Context())
	var n int
	if err := after.QueryRow(t.Context(), "select n from kept").Scan(&n); err != nil || n != 42 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := after.Exec(t.Context(), "insert into kept values (43)"); err != nil {
		t.Errorf("a promoted standby refuses a write: %v", err)
	}
	if !strings.Contains(standby.Log(16<<10), "promote") {
		t.Error("the log of the standby does not tell of its promotion")
	}
}
