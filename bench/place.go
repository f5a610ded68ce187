package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/mysql"
	pg "github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/sqlite"
)

// address says where stores are made: a kind and, but for what this program
// starts itself, where the server is.
type address string

// The kinds of stores. An address that is only a scheme means a server of our
// own, a temporary file, or the memory of this process.
const (
	inMemory address = "memory:"
	inFile   address = "sqlite:"
	postgres address = "postgres:"
	onMySQL  address = "mysql:"
	onCitus  address = "citus:" // never started: --citus names it
)

func (a address) scheme() string {
	scheme, _, _ := strings.Cut(string(a), ":")
	if scheme == "postgresql" {
		return "postgres"
	}
	return scheme
}

// own reports whether this program starts the server.
func (a address) own() bool { return strings.HasSuffix(string(a), ":") }

func (a address) check() error {
	if a.scheme() == "postgres" || a.scheme() == "mysql" || a == inFile || a == inMemory || a == "" {
		return nil
	}
	return usage("--store is sqlite:, memory:, or postgres: or mysql: with or without the rest of a URL, not %q", string(a))
}

// storeOf is the store of a bench. Benches of files and of Citus stay there.
func (c config) storeOf(b bench) address {
	switch {
	case c.store == "" || b.store == onCitus || b.store == inFile && c.store != inMemory:
		return b.store
	}
	return c.store
}

// place is where one system keeps its tasks, empty when made.
type place struct {
	url    string
	schema string        // "" for that of the connection
	dir    string        // "" when nothing is in a directory of its own
	memory *memory.Store // kept between nodes, since nothing else keeps it
	meter  meter         // of the server, nil without one
	drop   func(context.Context) error
}

func newPlace(kind address, under string) (place, error) {
	if kind == inMemory {
		return place{url: string(kind), memory: memory.New()}, nil
	}
	dir, err := os.MkdirTemp(under, "outlast-bench-")
	if err != nil {
		return place{}, err
	}
	return place{url: "sqlite:" + filepath.Join(dir, "bench.db"), dir: dir}, nil
}

// placeName is a name for a database that no other run has, in this process or
// another.
func placeName() string { return "outlast_bench_" + strings.ToLower(rand.Text()) }

// shared reports whether other processes can open the place.
func (p place) shared() bool { return p.memory == nil }

func (p place) remove(ctx context.Context) error {
	if p.drop != nil {
		return p.drop(ctx)
	}
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// open opens Outlast's store.
func (p place) open(ctx context.Context) (store.Backend, error) {
	if p.memory != nil {
		return keptOpen{p.memory}, nil
	}
	switch address(p.url).scheme() {
	case "sqlite":
		return sqlite.Open(ctx, p.file())
	case "mysql":
		return openInMariaDB(ctx, p.url)
	default:
		return openInPostgres(ctx, p.url, p.schema)
	}
}

// postgresConnections is how many a node of Outlast may have.
const postgresConnections = 16

func openInPostgres(ctx context.Context, text, schema string) (store.Backend, error) {
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, err
	}
	config.MaxConns = postgresConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	var options []pg.Option
	if schema != "" {
		options = append(options, pg.WithSchema(schema))
	}
	backend, err := pg.Open(ctx, pool, options...)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return withPool{backend, pool}, nil
}

// withPool is a store that closes its connections too.
type withPool struct {
	*pg.Store
	pool *pgxpool.Pool
}

func (w withPool) Close() error {
	defer w.pool.Close()
	return w.Store.Close()
}

func openInMariaDB(ctx context.Context, text string) (store.Backend, error) {
	at, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	db, err := openMariaDB(at)
	if err != nil {
		return nil, err
	}
	backend, err := mysql.Open(ctx, db, mysql.WithConnections(mariadbConnections-2))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return withDB{backend, db}, nil
}

// withDB is a store that closes its connections too.
type withDB struct {
	*mysql.Store
	db *sql.DB
}

func (w withDB) Close() error { return errors.Join(w.Store.Close(), w.db.Close()) }

// keptOpen is a store in memory that outlives its nodes.
type keptOpen struct{ *memory.Store }

func (keptOpen) Close() error { return nil }
