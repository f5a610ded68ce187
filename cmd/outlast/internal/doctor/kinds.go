package doctor

import (
	"context"
	"errors"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
)

// examiners look at what a store is on, before it is opened, by the schemes of store
// URLs. When one reports false, the store cannot be opened, and the report says why.
var examiners = map[string]func(ctx context.Context, r *report, url string) (proceed bool, err error){
	"sqlite":     examineSQLite,
	"postgres":   examinePostgres,
	"postgresql": examinePostgres,
	"mysql":      examineMySQL,
	"mariadb":    examineMySQL,
}

// examineMySQL looks at the server of a store URL.
func examineMySQL(ctx context.Context, r *report, url string) (proceed bool, err error) {
	address, err := stores.ParseMySQL(url)
	if err != nil {
		return false, err
	}
	db, err := address.Open()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := stores.Greet(ctx, db, address); err != nil {
		return false, r.unreachable(err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, r.unreachable(stores.Unavailable(address, mysql.Explain(err)))
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	r.add("store", fine, "mysql, "+address.String(), "")
	r.pool = address.Pool
	return true, r.examineMySQL(ctx, conn)
}

// besidePool is how many connections a node has beside its pool: two for
// heartbeats, and one that listens.
const besidePool = 3

// examinePostgres looks at the server of a store URL.
func examinePostgres(ctx context.Context, r *report, url string) (proceed bool, err error) {
	address, err := stores.ParsePostgres(url)
	if err != nil {
		return false, err
	}
	conn, err := connectPostgres(ctx, address.Pool.ConnConfig)
	if err != nil {
		return false, r.unreachable(stores.Unavailable(address, postgres.Explain(err)))
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	r.add("store", fine, "postgres, "+address.String(), "")
	r.pool = int(address.Pool.MaxConns) + besidePool
	return true, r.examinePostgres(ctx, conn, address)
}
