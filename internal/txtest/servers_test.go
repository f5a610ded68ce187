package txtest

import (
	"context"
	"database/sql"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/retry/retrypgx"
	"github.com/outlast-dev/outlast/store"
	outlastmysql "github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
)

// dial is a way to the server with a place to cut it.
func (c *cut) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return c.wrap(conn), nil
}

// owned is a store that closes the pool that was made for it.
type owned struct {
	*outlastmysql.Store
	db *sql.DB
}

func (o owned) Close() error {
	err := o.Store.Close()
	_ = o.db.Close()
	return err
}

var mariadbKind = kind{
	name:    "mariadb",
	address: func(t testing.TB) string { return servertest.MariaDB(t) },
	filled:  func(t testing.TB) string { return mariadbs.MariaDB(t) },
	store:   openMariaDB,
	pool:    mariadbPool,
}

// mariadbs and postgreses have databases with all tables.
var (
	mariadbs   = servertest.Shelf{Fill: func(t testing.TB, address string) { fill(t, address, openMariaDB, mariadbPool) }}
	postgreses = servertest.Shelf{Fill: func(t testing.TB, address string) { fill(t, address, openPostgres, postgresPool) }}
)

func openMariaDB(ctx context.Context, address string) (store.Backend, error) {
	db, err := sql.Open("mysql", address)
	if err != nil {
		return nil, err
	}
	s, err := outlastmysql.Open(ctx, db)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return owned{s, db}, nil
}

func mariadbPool(_ context.Context, address string) (pool, error) {
	config, err := mysql.ParseDSN(address)
	if err != nil {
		return nil, err
	}
	cut := &cut{}
	config.DialFunc = cut.dial
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	p := poolOf(sql.OpenDB(connector), plain)
	p.cut, p.isolation = cut, sql.LevelSerializable
	return p, nil
}

func openPostgres(ctx context.Context, address string) (store.Backend, error) {
	return postgres.OpenURL(ctx, address)
}

func postgresPool(_ context.Context, address string) (pool, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	cut := &cut{}
	config.DialFunc = cut.dial
	p := poolOf(stdlib.OpenDB(*config), dollars)
	p.cut, p.isolation = cut, sql.LevelSerializable
	return p, nil
}

// postgresKind is PostgreSQL through database/sql, pgxKind through pgx.
var postgresKind = kind{
	name: "postgres", tells: true,
	address: func(t testing.TB) string { return servertest.Postgres(t) },
	filled:  func(t testing.TB) string { return postgreses.Postgres(t) },
	store:   openPostgres,
	pool:    postgresPool,
}

var pgxKind = kind{
	name: "pgx", tells: true,
	address: postgresKind.address,
	filled:  postgresKind.filled,
	store:   openPostgres,
	pool: func(ctx context.Context, address string) (pool, error) {
		config, err := pgxpool.ParseConfig(address)
		if err != nil {
			return nil, err
		}
		cut := &cut{}
		config.ConnConfig.DialFunc = cut.dial
		config.MaxConns = 10
		made, err := pgxpool.NewWithConfig(ctx, config)
		return &pgxPool{made, cut}, err
	},
}

type pgxPool struct {
	*pgxpool.Pool
	cut *cut
}

func (p *pgxPool) begin(ctx context.Context) (tx, error) {
	begun, err := p.Begin(ctx)
	return &pgxTx{begun}, err
}

func (p *pgxPool) exec(ctx context.Context, statement string, args ...any) error {
	_, err := p.Exec(ctx, dollars(statement), args...)
	return err
}

func (p *pgxPool) number(ctx context.Context, query string, args ...any) (n int, err error) {
	err = p.QueryRow(ctx, dollars(query), args...).Scan(&n)
	return n, err
}

func (p *pgxPool) retried(ctx context.Context, do func(context.Context, tx) error) error {
	policy, option := strict()
	return retrypgx.Tx(ctx, p.Pool, policy, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(ctx context.Context, t pgx.Tx) error {
		return do(ctx, &pgxTx{t})
	}, option)
}

func (p *pgxPool) close()           { p.Close() }
func (p *pgxPool) loseAnswer() bool { return p.cut.arm() }

type pgxTx struct{ pgx.Tx }

func (t *pgxTx) exec(ctx context.Context, statement string, args ...any) error {
	_, err := t.Exec(ctx, dollars(statement), args...)
	return err
}

func (t *pgxTx) number(ctx context.Context, query string, args ...any) (n int, err error) {
	err = t.QueryRow(ctx, dollars(query), args...).Scan(&n)
	return n, err
}

func (t *pgxTx) enqueue(ctx context.Context, client *outlast.Client, drafts ...outlast.Draft) ([]outlast.Receipt, error) {
	return client.EnqueueIn(ctx, t.Tx, drafts...)
}

func (t *pgxTx) complete(ctx context.Context, result any) error {
	return outlast.CompleteIn(ctx, t.Tx, result)
}

func (t *pgxTx) notify(ctx context.Context, client *outlast.Client, receipts ...outlast.Receipt) error {
	return client.NotifyIn(ctx, t.Tx, receipts...)
}

func (t *pgxTx) commit(ctx context.Context) error   { return t.Commit(ctx) }
func (t *pgxTx) rollback(ctx context.Context) error { return t.Rollback(ctx) }
