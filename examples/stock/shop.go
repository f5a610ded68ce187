package main

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/sqlite"
)

// shop is the application's own tables, in the database of the tasks.
type shop struct {
	db       *sql.DB
	pgx      *pgxpool.Pool // nil unless the database is PostgreSQL
	words    words
	openings []func() error // what was opened

	committed chan int64 // how many transactions of a handler did
}

// words are the statements, which the databases spell differently.
type words struct {
	deduct, record, deducted, remember string
}

var (
	sqliteWords = words{
		deduct:   `UPDATE stock SET pieces = pieces - 1 WHERE item = ?`,
		record:   `INSERT INTO deduction (item, order_number) VALUES (?, ?)`,
		deducted: `SELECT count(*) FROM deduction WHERE item = ?`,
		remember: `INSERT INTO seen (idempotency_key) VALUES (?) ON CONFLICT DO NOTHING`,
	}
	mysqlWords = words{
		deduct:   sqliteWords.deduct,
		record:   sqliteWords.record,
		deducted: sqliteWords.deducted,
		remember: `INSERT IGNORE INTO seen (idempotency_key) VALUES (?)`,
	}
	postgresWords = words{
		deduct:   `UPDATE stock SET pieces = pieces - 1 WHERE item = $1`,
		record:   `INSERT INTO deduction (item, order_number) VALUES ($1, $2)`,
		deducted: `SELECT count(*) FROM deduction WHERE item = $1`,
		remember: `INSERT INTO seen (idempotency_key) VALUES ($1) ON CONFLICT DO NOTHING`,
	}
)

var schema = []string{
	`CREATE TABLE stock (item VARCHAR(100) PRIMARY KEY, pieces INT NOT NULL)`,
	`CREATE TABLE deduction (item VARCHAR(100) NOT NULL, order_number VARCHAR(100) NOT NULL)`,
	`CREATE TABLE seen (idempotency_key VARCHAR(100) PRIMARY KEY)`,
	`INSERT INTO stock (item, pieces) VALUES ('naive', 1000), ('dedupe key', 1000), ('unique index', 1000), ('transaction', 1000), ('pgx transaction', 1000)`,
}

// open opens the store and the application's own pool on the same database.
func open(ctx context.Context, place string) (store.Backend, *shop, error) {
	s := &shop{committed: make(chan int64, copies)}
	backend, err := s.open(ctx, place)
	for _, statement := range schema {
		if err == nil {
			_, err = s.db.ExecContext(ctx, statement)
		}
	}
	if err != nil {
		s.close()
		return nil, nil, err
	}
	return backend, s, nil
}

func (s *shop) open(ctx context.Context, place string) (store.Backend, error) {
	switch kind, _, _ := strings.Cut(place, ":"); kind {
	case "postgres", "postgresql":
		return s.openPostgres(ctx, place)
	case "mysql", "mariadb":
		return s.openMySQL(ctx, place)
	}
	return s.openSQLite(ctx, place)
}

func (s *shop) openSQLite(ctx context.Context, file string) (store.Backend, error) {
	if file == "" {
		folder, err := os.MkdirTemp("", "outlast-stock-")
		if err != nil {
			return nil, err
		}
		s.later(func() error { return os.RemoveAll(folder) })
		file = filepath.Join(folder, "example.db")
	}
	backend, err := sqlite.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	s.later(backend.Close)
	s.words = sqliteWords
	return backend, s.connect("sqlite3", "file:"+file+"?_txlock=immediate&_pragma=busy_timeout(30000)")
}

func (s *shop) openMySQL(ctx context.Context, url string) (store.Backend, error) {
	address, err := mysql.DSN(url)
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open("mysql", address)
	if err != nil {
		return nil, err
	}
	s.later(pool.Close)
	backend, err := mysql.Open(ctx, pool)
	if err != nil {
		return nil, err
	}
	s.later(backend.Close)
	s.words = mysqlWords
	return backend, s.connect("mysql", address)
}

func (s *shop) openPostgres(ctx context.Context, url string) (store.Backend, error) {
	backend, err := postgres.OpenURL(ctx, url)
	if err != nil {
		return nil, err
	}
	s.later(backend.Close)
	s.words = postgresWords
	if s.pgx, err = pgxpool.New(ctx, url); err != nil {
		return nil, err
	}
	s.later(func() error { s.pgx.Close(); return nil })
	return backend, s.connect("pgx", url)
}

// connect opens the application's own pool.
func (s *shop) connect(driver, address string) (err error) {
	if s.db, err = sql.Open(driver, address); err == nil {
		s.db.SetMaxOpenConns(10)
		s.later(s.db.Close)
	}
	return err
}

func (s *shop) later(end func() error) { s.openings = append(s.openings, end) }

// close closes what was opened, last things first.
func (s *shop) close() {
	for i := len(s.openings) - 1; i >= 0; i-- {
		_ = s.openings[i]() // the example ends
	}
}

// inTx commits what do does, unless that has an error.
func (s *shop) inTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// deduct takes a piece out of stock.
func (s *shop) deduct(ctx context.Context, tx *sql.Tx, o Order) error {
	if _, err := tx.ExecContext(ctx, s.words.deduct, o.Item); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, s.words.record, o.Item, o.Number)
	return err
}

// deducted is how many pieces of an item were taken.
func (s *shop) deducted(ctx context.Context, item string) (n int, err error) {
	err = s.db.QueryRowContext(ctx, s.words.deducted, item).Scan(&n)
	return n, err
}

// remember notes a key, and reports whether it is new.
func (s *shop) remember(ctx context.Context, tx *sql.Tx, key string) (fresh bool, err error) {
	result, err := tx.ExecContext(ctx, s.words.remember, key)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// listen serves on a free port of this machine until stop is called.
func listen(handler http.HandlerFunc) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // until Close
	}()
	return "http://" + listener.Addr().String() + "/deduct", func() {
		_ = server.Close()
		<-ended
	}, nil
}
