package mysql

import (
	"database/sql"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/task"
)

// Address is a store URL of MySQL or MariaDB, read.
type Address struct {
	Config *driver.Config // how to connect
	Pool   int            // connections at most
}

// The connections of a node to MySQL: at most so many by default, and at
// least so many, see [mysql.Open].
const (
	defaultPool  = 10
	smallestPool = 3
)

// Parse reads mysql://user:password@host:port/database. Parameters are
// pool_max_conns, socket, and those of the driver, such as tls=true. Messages
// never show the password.
func Parse(address string) (Address, error) {
	where, query, _ := strings.Cut(address, "?")
	params, err := url.ParseQuery(query)
	if err != nil {
		return Address{}, task.Invalid("store", "the parameters of the store URL cannot be read", "write them as ?name=value&name=value, with % and & escaped")
	}
	pool := defaultPool
	if text := params.Get("pool_max_conns"); params.Has("pool_max_conns") {
		if pool, err = strconv.Atoi(text); err != nil || pool < smallestPool || pool > 1000 {
			return Address{}, task.Invalid("store", fmt.Sprintf("pool_max_conns %s in the store URL is not in the range %d to 1000", task.Quote(text), smallestPool),
				"leave it out for "+strconv.Itoa(defaultPool))
		}
		params.Del("pool_max_conns")
	}
	via := params.Get(kind.Via)
	params.Del(kind.Via)
	dsn, err := mysql.DSN(where + "?" + params.Encode())
	if err != nil {
		return Address{}, err
	}
	config, err := driver.ParseDSN(dsn)
	if err != nil { // of the parameters: all else was made just now
		return Address{}, task.Invalid("store", "a parameter of the store URL is wrong: "+err.Error(), "the parameters are those of github.com/go-sql-driver/mysql")
	}
	config.Logger = &driver.NopLogger{} // errors are returned, and logged where they matter
	config.DialFunc = kind.Dial(via)
	return Address{Config: config, Pool: pool}, nil
}

// String names the server without secrets.
func (a Address) String() string { return a.Config.Addr + "/" + a.Config.DBName }

// Open makes a pool, which connects when it is used.
func (a Address) Open() (*sql.DB, error) {
	connector, err := driver.NewConnector(a.Config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(kind.Greeted{Connector: connector})
	db.SetMaxOpenConns(a.Pool)
	db.SetMaxIdleConns(a.Pool)
	return db, nil
}
