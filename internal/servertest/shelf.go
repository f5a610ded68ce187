//go:build unix

package servertest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Shelf keeps databases that tests use one after the other: to make one, with its tables,
// takes longer than most tests. A test that changes more of a database than rows takes one
// of its own.
type Shelf struct {
	// Fill makes what a new database is to have; its connections are closed when it
	// returns. Nil for nothing.
	Fill func(t testing.TB, address string)

	mu   sync.Mutex
	free []string
}

// Postgres lends a database of PostgreSQL until the end of the test, without rows in the
// tables of its first schema.
func (s *Shelf) Postgres(t testing.TB) string {
	t.Helper()
	address, used := s.lend(t, func() string { return makePostgres(t, postgres.address(t, "postgres"), keep) })
	if used {
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.WithoutCancel(t.Context()))
		WipePostgres(t, conn, "public")
	}
	return address
}

// MariaDB lends a database of MariaDB until the end of the test, without rows in its tables.
func (s *Shelf) MariaDB(t testing.TB) string {
	t.Helper()
	address, used := s.lend(t, func() string { return makeMariaDB(t, mariadb.address(t, ""), keep) })
	if used {
		if err := WipeMariaDB(t.Context(), address); err != nil {
			t.Fatal(err)
		}
	}
	return address
}

// lend takes a database from the shelf, or makes one, and puts it back when all else has
// ended that the test cleans up.
func (s *Shelf) lend(t testing.TB, create func() string) (address string, used bool) {
	t.Helper()
	s.mu.Lock()
	if used = len(s.free) > 0; used {
		address = s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
	}
	s.mu.Unlock()
	if !used {
		if address = create(); s.Fill != nil {
			s.Fill(t, address)
		}
	}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, address)
	})
	return address, used
}

// Querier is a connection or a pool of pgx.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// WipePostgres deletes all rows of a schema but those that the store's migrations have made.
func WipePostgres(t testing.TB, on Querier, schema string) {
	t.Helper()
	var wipe string
	err := on.QueryRow(t.Context(), `SELECT coalesce(string_agg(format(CASE r.relname WHEN 'outlast_counter' THEN 'UPDATE %I.%I SET value = 0; ' ELSE 'DELETE FROM %I.%I; ' END, n.nspname, r.relname), ''), '')
		FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace
		WHERE n.nspname = $1 AND r.relkind IN ('r', 'p') AND NOT r.relispartition AND r.relname <> 'outlast_migration'`, schema).Scan(&wipe)
	if err == nil {
		_, err = on.Exec(t.Context(), wipe)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// WipeMariaDB is [WipePostgres] for a database of MariaDB.
func WipeMariaDB(ctx context.Context, address string) error {
	db, err := sql.Open("mysql", address)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SHOW TABLES")
	if err != nil {
		return err
	}
	defer rows.Close()
	var statements []string
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return err
		}
		switch table {
		case "outlast_migration":
		case "outlast_counter":
			statements = append(statements, "UPDATE outlast_counter SET value = 0")
		default:
			statements = append(statements, "DELETE FROM "+table)
		}
	}
	err = rows.Err()
	for _, statement := range statements {
		_, failed := db.ExecContext(ctx, statement)
		err = errors.Join(err, failed)
	}
	return err
}

// kept drops the databases of all shelves.
var kept struct {
	mu   sync.Mutex
	drop []func() error
}

// keep leaves a database until all tests have ended.
func keep(drop func() error) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.drop = append(kept.drop, drop)
}

// dropKept drops what tests have left on shelves.
func dropKept() (err error) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for _, drop := range kept.drop {
		err = errors.Join(err, drop())
	}
	kept.drop = nil
	return err
}
