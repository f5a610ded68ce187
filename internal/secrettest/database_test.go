//go:build unix

package secrettest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/internal/servertest"
)

// database is one to keep tasks in, and how to read all of it without the program.
type database struct {
	url string
	raw func(t *testing.T) []byte
}

func databases(t *testing.T) map[string]func(t *testing.T) database {
	t.Helper()
	return map[string]func(t *testing.T) database{"sqlite": onSQLite, "postgres": onPostgres, "mariadb": onMariaDB}
}

// onSQLite reads the files: the database, its log, and what else is there.
func onSQLite(t *testing.T) database {
	folder := t.TempDir()
	return database{"sqlite:" + filepath.Join(folder, "outlast.db"), func(t *testing.T) []byte {
		files, err := filepath.Glob(filepath.Join(folder, "outlast.db*"))
		if err != nil || len(files) == 0 {
			t.Fatal("there are no files", err)
		}
		var all bytes.Buffer
		for _, file := range files {
			content, err := os.ReadFile(file)
			if errors.Is(err, syscall.EISDIR) {
				continue // the folder of the nodes' locks
			}
			if err != nil {
				t.Fatal(err)
			}
			all.Write(content)
		}
		return all.Bytes()
	}}
}

// onPostgres reads every row of every table, as text.
func onPostgres(t *testing.T) database {
	address := servertest.Postgres(t)
	with, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	with.User = url.UserPassword(with.User.Username(), canaries["store password"])
	return database{with.String(), func(t *testing.T) []byte {
		ctx := context.WithoutCancel(t.Context())
		conn, err := pgx.Connect(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		rows, err := conn.Query(ctx, `SELECT format('SELECT t::text FROM %I.%I t', table_schema, table_name) FROM information_schema.tables
 WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`)
		if err != nil {
			t.Fatal(err)
		}
		queries, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(queries) == 0 {
			t.Fatal("there are no tables", err)
		}
		var all bytes.Buffer
		for _, query := range queries {
			rows, err := conn.Query(ctx, query)
			if err != nil {
				t.Fatal(err)
			}
			texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range texts {
				all.WriteString(text + "\n")
			}
		}
		return all.Bytes()
	}}
}

// onMariaDB reads every row of every table.
func onMariaDB(t *testing.T) database {
	dsn := servertest.MariaDB(t)
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address := url.URL{Scheme: "mysql", User: url.User(config.User), Host: config.Addr, Path: "/" + config.DBName}
	if config.Passwd != "" {
		address.User = url.UserPassword(config.User, config.Passwd)
	}
	return database{address.String(), func(t *testing.T) []byte {
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var all bytes.Buffer
		tables := read(t, db, "SHOW TABLES")
		if len(tables) == 0 {
			t.Fatal("there are no tables")
		}
		for _, table := range tables {
			for _, row := range read(t, db, "SELECT * FROM `"+string(table)+"`") {
				all.Write(append(row, '\n'))
			}
		}
		return all.Bytes()
	}}
}

// read is the rows of a query, each as one text.
func read(t *testing.T, db *sql.DB, query string) (all [][]byte) {
	t.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(t.Context()), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var row []byte
		for _, cell := range cells {
			row = append(row, cell...)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
