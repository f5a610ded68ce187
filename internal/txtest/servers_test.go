package txtest

import (
	"context"
	"database/sql"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	outlastmysql "github.com/outlast-dev/outlast/store/mysql"
)

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
	store: func(ctx context.Context, address string) (store.Backend, error) {
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
	},
	pool: func(_ context.Context, address string) (pool, error) {
		config, err := mysql.ParseDSN(address)
		if err != nil {
			return nil, err
		}
		cut := &cut{}
		config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return cut.wrap(conn), nil
		}
		connector, err := mysql.NewConnector(config)
		if err != nil {
			return nil, err
		}
		p := poolOf(sql.OpenDB(connector), plain)
		p.cut, p.isolation = cut, sql.LevelSerializable
		return p, nil
	},
}
