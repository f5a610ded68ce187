package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// hold opens a session that goes on seeing the place as it is now, and reads no more,
// as a dump or a report does that takes long.
func (p place) hold(ctx context.Context) (release func(context.Context) error, err error) {
	switch address(p.url).scheme() {
	case postgres.scheme():
		return holdInPostgres(ctx, p.url)
	case onMySQL.scheme():
		return holdInMariaDB(ctx, p.url)
	case inFile.scheme():
		return holdInFile(ctx, p.file())
	}
	return nil, fmt.Errorf("nobody can hold a snapshot of %s", p.url)
}

func holdInPostgres(ctx context.Context, text string) (release func(context.Context) error, err error) {
	conn, err := pgx.Connect(ctx, text)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err == nil {
		_, err = tx.Exec(ctx, "SELECT count(*) FROM pg_class")
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return func(ctx context.Context) error { return errors.Join(tx.Rollback(ctx), conn.Close(ctx)) }, nil
}

// holdInMariaDB makes a read view, which lasts as long as its transaction.
func holdInMariaDB(ctx context.Context, text string) (release func(context.Context) error, err error) {
	at, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	db, err := openMariaDB(at)
	if err != nil {
		return nil, err
	}
	return holdBy(ctx, db, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
}

// holdInFile is a reader: what is in the log behind its snapshot cannot go back into
// the file.
func holdInFile(ctx context.Context, path string) (release func(context.Context) error, err error) {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return nil, err
	}
	return holdBy(ctx, db, "PRAGMA busy_timeout = 5000", "BEGIN", "SELECT count(*) FROM sqlite_schema")
}

// holdBy runs the statements on one session, which is closed at the release.
func holdBy(ctx context.Context, db *sql.DB, statements ...string) (release func(context.Context) error, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	end := func() error { return errors.Join(conn.Close(), db.Close()) }
	for _, statement := range statements {
		if _, err := conn.ExecContext(context.WithoutCancel(ctx), statement); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", statement, err), end())
		}
	}
	return func(ctx context.Context) error {
		_, err := conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, end())
	}, nil
}

// extent is what a place occupies.
type extent struct {
	log  int64 // bytes that a server has written so far, or the length of a file's log
	data int64 // bytes
	dead int64 // what the meter calls so
}

func (p place) extent(ctx context.Context) (e extent, err error) {
	if p.meter == nil {
		return p.fileExtent()
	}
	u, err := p.meter.read(ctx)
	if err != nil {
		return e, err
	}
	l, err := p.meter.left(ctx)
	return extent{log: u.log, data: l.bytes + l.undo, dead: l.dead}, err
}

func (p place) fileExtent() (e extent, err error) {
	data, err := os.Stat(p.file())
	if err != nil {
		return e, err
	}
	log, err := os.Stat(p.file() + "-wal")
	if errors.Is(err, os.ErrNotExist) { // nobody has it open
		return extent{data: data.Size()}, nil
	}
	if err != nil {
		return e, err
	}
	return extent{log: log.Size(), data: data.Size()}, nil
}

// file is the path of a SQLite database.
func (p place) file() string { return strings.TrimPrefix(p.url, string(inFile)) }
