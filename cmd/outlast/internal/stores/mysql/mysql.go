// Package mysql is what the program knows of stores on MySQL and MariaDB: their URLs, how
// they are opened, and what outlast doctor looks at.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/task"
)

// Kind is MySQL and MariaDB.
var Kind = kind.Kind{
	Schemes:  []string{"mysql", "mariadb"},
	Form:     "mysql://USER:PASSWORD@HOST/DATABASE",
	Safety:   server.ByDatabaseServer,
	Open:     open,
	Examine:  examine,
	Scratch:  scratch,
	WriteSQL: func(w io.Writer, _ string) error { return mysql.PrintMigrations(w) },
}

// own is a store with the pool that was made for it.
type own struct {
	*mysql.Store
	db *sql.DB
}

func (o own) Close() error { return errors.Join(o.Store.Close(), o.db.Close()) }

// open opens the store of a URL such as
// mysql://user:password@host:3306/database?pool_max_conns=20. Two connections
// of the pool are kept for heartbeats and for what has to come through while
// the others are busy.
func open(ctx context.Context, url string, asItIs bool) (store.Backend, error) {
	address, err := Parse(url)
	if err != nil {
		return nil, err
	}
	db, err := address.Open()
	if err != nil {
		return nil, err
	}
	if err := greet(ctx, db, address); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	options := []mysql.Option{mysql.WithConnections(address.Pool - 2)}
	if asItIs {
		options = append(options, mysql.WithoutMigration())
	}
	s, err := mysql.Open(ctx, db, options...)
	if err != nil {
		return nil, errors.Join(kind.Unavailable(address, err), db.Close())
	}
	return own{s, db}, nil
}

// greet makes the first connection. A server of another kind, such as PostgreSQL,
// waits for its client to begin, and so would this program, once for each try.
func greet(ctx context.Context, db *sql.DB, address Address) error {
	ctx, cancel := context.WithTimeout(ctx, kind.ConnectedAfter)
	defer cancel()
	err := db.PingContext(ctx)
	if err != nil && ctx.Err() != nil {
		err = &task.Error{Code: task.CodeUnavailable, Message: "no greeting of MySQL or MariaDB from this address within " + kind.ConnectedAfter.String(),
			Hint: "check that it runs, that it can be reached from here, and the port; for PostgreSQL, the URL begins with postgres://", Err: err}
	}
	if err != nil {
		return kind.Unavailable(address, mysql.Explain(err))
	}
	return nil
}
