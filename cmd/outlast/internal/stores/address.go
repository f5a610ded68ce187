package stores

import (
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/task"
)

// PostgresAddress is a store URL of PostgreSQL, read.
type PostgresAddress struct {
	Pool   *pgxpool.Config // how to connect, and to how many connections at most
	Schema string          // "" for the first of the search path
}

// ParsePostgres reads postgres://user:password@host:port/database?schema=NAME.
// All other parameters are those of pgx, pool_max_conns and its kin among
// them. Messages never show the password.
func ParsePostgres(address string) (PostgresAddress, error) {
	// The hosts may be several, which net/url does not know.
	where, query, _ := strings.Cut(address, "?")
	params, err := url.ParseQuery(query)
	if err != nil {
		return PostgresAddress{}, task.Invalid("store", "the parameters of the store URL cannot be read", "write them as ?name=value&name=value, with % and & escaped")
	}
	schema := params.Get("schema")
	if params.Has("schema") {
		if err := checkSchema(schema); err != nil {
			return PostgresAddress{}, err
		}
		params.Del("schema")
	}
	if rest := params.Encode(); rest != "" {
		where += "?" + rest
	}
	if err := checkParams(params); err != nil {
		return PostgresAddress{}, err
	}
	pool, err := pgxpool.ParseConfig(where) // it hides the password in its errors
	if err != nil {
		return PostgresAddress{}, &task.Error{Code: task.CodeInvalid, Message: "the store URL is not one of PostgreSQL: " + oneLine(err.Error()),
			Hint: "write it as postgres://user@host:5432/database, with special characters of the password escaped or the password in PGPASSWORD"}
	}
	if pool.ConnConfig.RuntimeParams["application_name"] == "" {
		pool.ConnConfig.RuntimeParams["application_name"] = "outlast"
	}
	if pool.PingTimeout == 0 { // as in postgres.OpenURL
		pool.PingTimeout = 2 * time.Second
	}
	pool.ConnConfig.DialFunc = databaseDialer().DialContext
	return PostgresAddress{Pool: pool, Schema: schema}, nil
}

// checkSchema: names are quoted in statements, so that all that matters is
// that PostgreSQL does not cut them.
func checkSchema(name string) error {
	if name == "" || len(name) > 63 || strings.ContainsRune(name, 0) {
		return task.Invalid("store", "schema "+task.Quote(name)+" in the store URL is not 1 to 63 bytes long", "write it as ?schema=outlast")
	}
	return nil
}

// Prepares reports whether the store prepares statements on its connections.
func (a PostgresAddress) Prepares() bool {
	mode := a.Pool.ConnConfig.DefaultQueryExecMode
	return mode == pgx.QueryExecModeCacheStatement || mode == pgx.QueryExecModeCacheDescribe
}

// String names the server without secrets.
func (a PostgresAddress) String() string {
	c := a.Pool.ConnConfig
	where := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
	if strings.HasPrefix(c.Host, "/") {
		where = c.Host + " " + c.Database
	}
	if a.Schema != "" {
		where += ", schema " + a.Schema
	}
	return where
}

// MySQLAddress is a store URL of MySQL or MariaDB, read.
type MySQLAddress struct {
	config *driver.Config
	Pool   int // connections at most
}

// The connections of a node to MySQL: at most so many by default, and at
// least so many, see [mysql.Open].
const (
	defaultMySQLPool  = 10
	smallestMySQLPool = 3
)

// ParseMySQL reads mysql://user:password@host:port/database. Parameters are
// pool_max_conns, socket, and those of the driver, such as tls=true. Messages
// never show the password.
func ParseMySQL(address string) (MySQLAddress, error) {
	where, query, _ := strings.Cut(address, "?")
	params, err := url.ParseQuery(query)
	if err != nil {
		return MySQLAddress{}, task.Invalid("store", "the parameters of the store URL cannot be read", "write them as ?name=value&name=value, with % and & escaped")
	}
	pool := defaultMySQLPool
	if text := params.Get("pool_max_conns"); params.Has("pool_max_conns") {
		if pool, err = strconv.Atoi(text); err != nil || pool < smallestMySQLPool || pool > 1000 {
			return MySQLAddress{}, task.Invalid("store", fmt.Sprintf("pool_max_conns %s in the store URL is not %d to 1000", task.Quote(text), smallestMySQLPool),
				"leave it out for "+strconv.Itoa(defaultMySQLPool))
		}
		params.Del("pool_max_conns")
	}
	dsn, err := mysql.DSN(where + "?" + params.Encode())
	if err != nil {
		return MySQLAddress{}, err
	}
	config, err := driver.ParseDSN(dsn)
	if err != nil { // of the parameters: all else was made just now
		return MySQLAddress{}, task.Invalid("store", "a parameter of the store URL is wrong: "+err.Error(), "the parameters are those of github.com/go-sql-driver/mysql")
	}
	config.Logger = &driver.NopLogger{} // errors are returned, and logged where they matter
	config.DialFunc = databaseDialer().DialContext
	return MySQLAddress{config: config, Pool: pool}, nil
}

// String names the server without secrets.
func (a MySQLAddress) String() string { return a.config.Addr + "/" + a.config.DBName }

// Open makes a pool, which connects when it is used.
func (a MySQLAddress) Open() (*sql.DB, error) {
	connector, err := driver.NewConnector(a.config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(greeted{connector})
	db.SetMaxOpenConns(a.Pool)
	db.SetMaxIdleConns(a.Pool)
	return db, nil
}
