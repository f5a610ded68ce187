package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
)

var postgresKind = kind{
	open:              openPostgres,
	writeSQL:          writePostgresSQL,
	writeDistribution: writePostgresDistribution,
	examine:           examinePostgres,
}

// writePostgresSQL makes the schema of the URL the one in use.
func writePostgresSQL(w io.Writer, url string) error {
	return inSchema(w, url, "CREATE SCHEMA IF NOT EXISTS %s;\nSET search_path TO %[1]s;\n", postgres.PrintMigrations)
}

func writePostgresDistribution(w io.Writer, url string) error {
	return inSchema(w, url, "SET search_path TO %s;\n", postgres.PrintDistribution)
}

// inSchema writes SQL for the schema of a URL, if it names one.
func inSchema(w io.Writer, url, first string, write func(io.Writer) error) error {
	address, err := parsePostgres(url)
	if err != nil {
		return err
	}
	if address.schema != "" {
		if _, err := fmt.Fprintf(w, first, quoted(address.schema)); err != nil {
			return err
		}
	}
	return write(w)
}

// ownPostgres is a store with the pool that was made for it.
type ownPostgres struct {
	*postgres.Store
	pool *pgxpool.Pool
}

func (o ownPostgres) Close() error {
	err := o.Store.Close()
	o.pool.Close()
	return err
}

// openPostgres opens the store of a URL such as
// postgres://user:password@host:5432/database?schema=outlast&pool_max_conns=20.
func openPostgres(ctx context.Context, url string, asItIs bool) (store.Backend, error) {
	address, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, address.pool)
	if err != nil {
		return nil, unavailable(address, err)
	}
	var options []postgres.Option
	if address.schema != "" {
		options = append(options, postgres.WithSchema(address.schema))
	}
	if asItIs {
		options = append(options, postgres.WithoutMigration())
	}
	s, err := postgres.Open(ctx, pool, options...)
	if err != nil {
		pool.Close()
		return nil, unavailable(address, err)
	}
	return ownPostgres{s, pool}, nil
}

// besidePool is how many connections a node has beside its pool: two for
// heartbeats, and one that listens.
const besidePool = 3

// examinePostgres looks at the server of a store URL.
func examinePostgres(ctx context.Context, r *report, url string) (proceed bool, err error) {
	address, err := parsePostgres(url)
	if err != nil {
		return false, err
	}
	conn, err := connectPostgres(ctx, address.pool.ConnConfig)
	if err != nil {
		return false, r.unreachable(unavailable(address, postgres.Explain(err)))
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	r.add("store", fine, "postgres, "+address.String(), "")
	r.pool = int(address.pool.MaxConns) + besidePool
	return true, r.examinePostgres(ctx, conn, address)
}
