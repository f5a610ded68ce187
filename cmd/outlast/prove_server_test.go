//go:build unix

package main

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/outlast-dev/outlast/internal/servertest"
)

// A run keeps what is promised on each store, drops all that it made, and leaves what the
// user has there as it was. All of them go at once: most of the time they wait.
func TestProve(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	postgres, mariadb := servertest.Postgres(t), servertest.MariaDB(t)
	finish := []func(){
		startProvenSQLite(t),
		startProvenServer(t, "pgx", postgres, postgres, "SELECT nspname || '.' || relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname NOT LIKE 'pg_%' AND nspname <> 'information_schema'"),
		startProvenServer(t, "mysql", mariadb, "mysql://"+strings.NewReplacer("tcp(", "", ")", "").Replace(mariadb),
			`SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables WHERE table_schema = DATABASE() OR table_schema LIKE 'outlast\\_prove%'`),
	}
	for _, one := range finish {
		one()
	}
}

// startProvenServer proves it in a database that has one table, of the user.
func startProvenServer(t *testing.T, driver, dsn, url, tables string) (finish func()) {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err = db.Exec("CREATE TABLE mine (n int)"); err == nil {
		_, err = db.Exec("INSERT INTO mine VALUES (42)")
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := startProven(t, url, "kill", "pause", "reset", "silence", "stop")
	return func() {
		t.Helper()
		ended()
		rows, err := db.Query(tables)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var found []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			found = append(found, name)
		}
		if rows.Err() != nil || len(found) != 1 || !strings.HasSuffix(found[0], ".mine") {
			t.Errorf("%s: there are %v, %v", driver, found, rows.Err())
		}
		var n int
		if err := db.QueryRow("SELECT sum(n) FROM mine").Scan(&n); err != nil || n != 42 {
			t.Errorf("the user's table has %d, %v", n, err)
		}
	}
}

// Who may not make a schema is told the right that is missing, and nothing is made.
func TestProveNeedsARight(t *testing.T) {
	t.Parallel()
	address := servertest.Postgres(t)
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE ROLE prove_poor LOGIN")
	defer do("DROP ROLE prove_poor")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User("prove_poor")
	command{t: t}.run("prove", "--store", u.String()).exits(5).silent().says("GRANT CREATE ON DATABASE").says(`TO "prove_poor"`)
}
