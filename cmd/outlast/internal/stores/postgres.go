package stores

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
)

var postgresKind = Kind{
	Open:              openPostgres,
	WriteSQL:          writePostgresSQL,
	WriteDistribution: writePostgresDistribution,
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
	address, err := ParsePostgres(url)
	if err != nil {
		return err
	}
	if address.Schema != "" {
		if _, err := fmt.Fprintf(w, first, Quoted(address.Schema)); err != nil {
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
	address, err := ParsePostgres(url)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, address.Pool)
	if err != nil {
		return nil, Unavailable(address, err)
	}
	var options []postgres.Option
	if address.Schema != "" {
		options = append(options, postgres.WithSchema(address.Schema))
	}
	if asItIs {
		options = append(options, postgres.WithoutMigration())
	}
	s, err := postgres.Open(ctx, pool, options...)
	if err != nil {
		pool.Close()
		return nil, Unavailable(address, err)
	}
	return ownPostgres{s, pool}, nil
}

// Quoted is a name as it stands in SQL of PostgreSQL.
func Quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
