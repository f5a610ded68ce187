package stores

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/task"
)

var mysqlKind = Kind{
	Open:     openMySQL,
	WriteSQL: func(w io.Writer, _ string) error { return mysql.PrintMigrations(w) },
}

// ownMySQL is a store with the pool that was made for it.
type ownMySQL struct {
	*mysql.Store
	db *sql.DB
}

func (o ownMySQL) Close() error { return errors.Join(o.Store.Close(), o.db.Close()) }

// openMySQL opens the store of a URL such as
// mysql://user:password@host:3306/database?pool_max_conns=20. Two connections
// of the pool are kept for heartbeats and for what has to come through while
// the others are busy.
func openMySQL(ctx context.Context, url string, asItIs bool) (store.Backend, error) {
	address, err := ParseMySQL(url)
	if err != nil {
		return nil, err
	}
	db, err := address.Open()
	if err != nil {
		return nil, err
	}
	if err := Greet(ctx, db, address); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	options := []mysql.Option{mysql.WithConnections(address.Pool - 2)}
	if asItIs {
		options = append(options, mysql.WithoutMigration())
	}
	s, err := mysql.Open(ctx, db, options...)
	if err != nil {
		return nil, errors.Join(Unavailable(address, err), db.Close())
	}
	return ownMySQL{s, db}, nil
}

// Greet makes the first connection. A server of another kind, such as PostgreSQL,
// waits for its client to begin, and so would this program, once for each try.
func Greet(ctx context.Context, db *sql.DB, address MySQLAddress) error {
	ctx, cancel := context.WithTimeout(ctx, connectedAfter)
	defer cancel()
	err := db.PingContext(ctx)
	if err != nil && ctx.Err() != nil {
		err = &task.Error{Code: task.CodeUnavailable, Message: "what listens there does not greet as MySQL and MariaDB do within " + connectedAfter.String(),
			Hint: "check that it runs and can be reached from here, and the port: the URL of PostgreSQL begins with postgres://", Err: err}
	}
	if err != nil {
		return Unavailable(address, mysql.Explain(err))
	}
	return nil
}

// Unavailable says what is wrong with a server, which it names unless the error
// does.
func Unavailable(address interface{ String() string }, err error) error {
	var typed *task.Error
	if !errors.As(err, &typed) {
		typed = &task.Error{Code: task.CodeUnavailable, Message: cli.Short(oneLine(err.Error()), longestReason),
			Hint: "check that it runs and can be reached from here, and the port of the store URL", Err: err}
	}
	if len(typed.Fields) > 0 { // about the URL or the pool
		return typed
	}
	named, name := *typed, address.String()
	if where, _, _ := strings.Cut(name, "/"); !strings.Contains(named.Message, where) {
		named.Message = name + ": " + named.Message
	}
	return &named
}

// longestReason is how much is told of an error that is not ours, in runes.
const longestReason = 400

// oneLine is a text without what would move a terminal's line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
