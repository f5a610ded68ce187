//go:build unix

package servertest

import (
	"context"
	"database/sql"
	"net/url"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver mysql
	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/internal/servers"
)

// Postgres returns the URL of an empty database of the test's own, which is dropped
// at its end. Its collation is that of people, en-US: what needs the order of bytes
// has to ask for it.
func Postgres(t testing.TB) string {
	t.Helper()
	return PostgresDatabase(t, postgres.address(t, "postgres"))
}

// PostgresDatabase is [Postgres] on a given server.
func PostgresDatabase(t testing.TB, admin string) string {
	t.Helper()
	return makePostgres(t, admin, atEnd(t))
}

// atEnd drops a database at the end of a test, which may have stopped its server.
func atEnd(t testing.TB) func(drop func() error) {
	return func(drop func() error) {
		t.Cleanup(func() {
			if err := drop(); err != nil {
				t.Logf("servertest: %v", err)
			}
		})
	}
}

// makePostgres makes a database, and hands over what drops it.
func makePostgres(t testing.TB, admin string, dropped func(drop func() error)) string {
	t.Helper()
	name := newName()
	do := func(ctx context.Context, statement string) error {
		conn, err := pgx.Connect(ctx, admin)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, statement)
		return err
	}
	if err := do(t.Context(), "create database "+name+" template template0 locale_provider icu icu_locale 'en-US' locale 'C' strategy file_copy"); err != nil {
		t.Fatalf("servertest: %v", err)
	}
	dropped(func() error { return do(context.Background(), "drop database if exists "+name+" with (force)") })
	return inServer(admin, name)
}

// PostgresServer starts a server for one test, which may stop and restart it.
func PostgresServer(t testing.TB, options ...servers.Option) *servers.Server {
	t.Helper()
	return own(t, servers.Postgres, options)
}

// PgBouncer starts a pooler in transaction mode for one test, and returns the URL of
// the same database through it.
func PgBouncer(t testing.TB, database string, options ...servers.Option) string {
	t.Helper()
	s := own(t, func(ctx context.Context, options ...servers.Option) (*servers.Server, error) {
		return servers.PgBouncer(ctx, database, options...)
	}, options)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = s.Addr()
	return u.String()
}

// MariaDB returns the address, in the form of github.com/go-sql-driver/mysql, of an
// empty database of the test's own, which is dropped at its end. Its collation
// ignores case: what compares byte for byte has to ask for it.
func MariaDB(t testing.TB) string {
	t.Helper()
	return MariaDBDatabase(t, mariadb.address(t, ""))
}

// MariaDBDatabase is [MariaDB] on a given server.
func MariaDBDatabase(t testing.TB, admin string) string {
	t.Helper()
	return makeMariaDB(t, admin, atEnd(t))
}

// makeMariaDB makes a database, and hands over what drops it.
func makeMariaDB(t testing.TB, admin string, dropped func(drop func() error)) string {
	t.Helper()
	name := newName()
	do := func(ctx context.Context, statement string) error {
		db, err := sql.Open("mysql", admin)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.ExecContext(ctx, statement)
		return err
	}
	if err := do(t.Context(), "create database "+name+" character set utf8mb4 collate utf8mb4_general_ci"); err != nil {
		t.Fatalf("servertest: %v", err)
	}
	dropped(func() error { return do(context.Background(), "drop database if exists "+name) })
	return inServer(admin, name)
}

// MariaDBServer starts a server for one test, which may stop and restart it.
func MariaDBServer(t testing.TB, options ...servers.Option) *servers.Server {
	t.Helper()
	return own(t, servers.MariaDB, options)
}
