// Package postgres is what the program knows of stores on PostgreSQL: their URLs, how they
// are opened, and what outlast doctor looks at.
package postgres

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
)

// Kind is PostgreSQL, distributed by Citus or not.
var Kind = kind.Kind{
	Schemes:           []string{"postgres", "postgresql"},
	Form:              "postgres://USER:PASSWORD@HOST/DATABASE",
	Safety:            server.ByDatabaseServer,
	Open:              open,
	Examine:           examine,
	Scratch:           scratch,
	WriteSQL:          writeSQL,
	WriteDistribution: writeDistribution,
}

// writeSQL makes the schema of the URL the one in use.
func writeSQL(w io.Writer, url string) error {
	return inSchema(w, url, "CREATE SCHEMA IF NOT EXISTS %s;\nSET search_path TO %[1]s;\n", postgres.PrintMigrations)
}

func writeDistribution(w io.Writer, url string) error {
	return inSchema(w, url, "SET search_path TO %s;\n", postgres.PrintDistribution)
}

// inSchema writes SQL for the schema of a URL, if it names one.
func inSchema(w io.Writer, url, first string, write func(io.Writer) error) error {
	address, err := Parse(url)
	if err != nil {
		return err
	}
	if address.Schema != "" {
		if _, err := fmt.Fprintf(w, first, quoted(address.Schema)); err != nil {
			return err
		}
	}
	return write(w)
}

// own is a store with the pool that was made for it.
type own struct {
	*postgres.Store
	pool *pgxpool.Pool
}

func (o own) Close() error {
	err := o.Store.Close()
	o.pool.Close()
	return err
}

// open opens the store of a URL such as
// postgres://user:password@host:5432/database?schema=outlast&pool_max_conns=20.
func open(ctx context.Context, url string, asItIs bool) (store.Backend, error) {
	address, err := Parse(url)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, address.Pool)
	if err != nil {
		return nil, kind.Unavailable(address, err)
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
		return nil, kind.Unavailable(address, err)
	}
	return own{s, pool}, nil
}

// quoted is a name as it stands in SQL of PostgreSQL.
func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
