package main

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// As long as a snapshot is held the server, or the file, knows of a reader, and of none
// after the release.
func TestSnapshotIsHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts servers")
	}
	for kind, readers := range map[address]func(t *testing.T, at place) bool{postgres: readInPostgres, onMySQL: readInMariaDB, inFile: readInFile} {
		t.Run(kind.scheme(), func(t *testing.T) {
			t.Parallel()
			ctx := context.WithoutCancel(t.Context())
			started := &servers{config: config{fast: true, dir: t.TempDir()}}
			defer func() {
				if err := started.stop(ctx); err != nil {
					t.Error(err)
				}
			}()
			at, err := started.place(ctx, kind)
			if err != nil {
				t.Fatal(err)
			}
			backend, err := at.open(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := backend.Close(); err != nil { // nobody else reads
				t.Fatal(err)
			}
			release, err := at.hold(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !readers(t, at) {
				t.Error("nobody reads while the snapshot is held")
			}
			if err := release(ctx); err != nil {
				t.Fatal(err)
			}
			if readers(t, at) {
				t.Error("somebody reads after the release")
			}
			if e, err := at.extent(ctx); err != nil || e.data == 0 || e.log == 0 && at.meter != nil {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
}

func readInPostgres(t *testing.T, at place) (reads bool) {
	conn, err := pgx.Connect(t.Context(), at.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	err = conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
		WHERE datname = current_database() AND backend_xmin IS NOT NULL AND state = 'idle in transaction')`).Scan(&reads)
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

func readInMariaDB(t *testing.T, at place) bool {
	var kind, name, text string
	admin := at.meter.(*mariadbMeter).server.admin
	if err := admin.QueryRowContext(t.Context(), "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &text); err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(text, "\n0 read views open")
}

// readInFile asks for a checkpoint: somebody who reads keeps what has been
// written since in the log.
func readInFile(t *testing.T, at place) bool {
	db, err := sql.Open("sqlite3", "file:"+at.file())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{"CREATE TABLE IF NOT EXISTS later (n)", "INSERT INTO later VALUES (1)"} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	var busy, log, moved int
	if err := db.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &log, &moved); err != nil {
		t.Fatal(err)
	}
	return moved < log
}
