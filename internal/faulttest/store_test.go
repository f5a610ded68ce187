package faulttest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	_ "github.com/go-sql-driver/mysql"       // the driver of store/mysql
	_ "github.com/jackc/pgx/v5/stdlib"       // the driver pgx
	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/sqlite"
)

// storeOptions are how a node opens its store.
type storeOptions struct {
	connections int                // to a server, 0 for a few
	hook        func(point string) // nil for none
}

// openStore opens the store of a URL. What it returns beside it closes the store, and
// then its pool.
func openStore(ctx context.Context, url string, o storeOptions) (store.Backend, func() error, error) {
	if o.hook == nil {
		o.hook = func(string) {}
	}
	if o.connections == 0 {
		o.connections = 6
	}
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		s, err := sqlite.Open(ctx, rest, sqlite.WithHook(o.hook))
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	case "postgres":
		sign := "?"
		if strings.Contains(url, "?") {
			sign = "&"
		}
		s, err := postgres.OpenURL(ctx, fmt.Sprintf("%s%spool_max_conns=%d", url, sign, o.connections))
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	case "mysql":
		dsn, err := mysql.DSN(url)
		if err != nil {
			return nil, nil, err
		}
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			return nil, nil, err
		}
		db.SetMaxOpenConns(o.connections + 2)
		s, err := mysql.Open(ctx, db, mysql.WithHook(o.hook), mysql.WithConnections(o.connections))
		if err != nil {
			return nil, nil, errors.Join(err, db.Close())
		}
		return s, func() error { return errors.Join(s.Close(), db.Close()) }, nil
	}
	return nil, nil, fmt.Errorf("no store has the URL %q", url)
}

// openers are the same for package app, which closes the store and not its pool: the
// process ends soon.
func openers(o storeOptions) app.Openers {
	all := app.Openers{}
	for _, scheme := range []string{"sqlite", "postgres", "mysql"} {
		all[scheme] = app.Opener{Open: func(ctx context.Context, rest string) (store.Backend, error) {
			s, _, err := openStore(ctx, scheme+":"+rest, o)
			return s, err
		}}
	}
	return all
}

// lossyStore makes store calls fail, and loses the answers of others.
type lossyStore struct {
	Seed       uint64
	Lose, Fail float64 // of all calls, from the first on
}

// errUnanswered is no error that a driver knows.
var errUnanswered = errors.New("the answer was lost")

// wrap also loses one answer to every method, after the function that it returns was
// called: before that a node that has not started yet would rather end.
func (l *lossyStore) wrap(backend store.Backend) (store.Backend, func()) {
	if l == nil {
		return backend, func() {}
	}
	wrapped, _ := faulty.Wrap(backend, l.Seed,
		faulty.Rule{Kind: faulty.Lose, Probability: l.Lose, Err: errUnanswered},
		faulty.Rule{Kind: faulty.Fail, Probability: l.Fail, Err: errUnanswered},
		faulty.Rule{Kind: faulty.Delay, Probability: l.Fail, Wait: 50 * time.Millisecond})
	var once []faulty.Rule
	all := reflect.TypeFor[store.Backend]()
	for i := range all.NumMethod() {
		if name := all.Method(i).Name; name != "Close" {
			once = append(once, faulty.Rule{Kind: faulty.Lose, Methods: []string{name}, Probability: 1, Limit: 1, Err: errUnanswered})
		}
	}
	wrapped, faults := faulty.Wrap(wrapped, l.Seed, once...)
	faults.Heal()
	return wrapped, faults.Resume
}
