package main

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/task"
)

// postgresAddress is a store URL of PostgreSQL, read.
type postgresAddress struct {
	pool   *pgxpool.Config
	schema string // "" for the first of the search path
}

// parsePostgres reads postgres://user:password@host:port/database?schema=NAME.
// All other parameters are those of pgx, pool_max_conns and its kin among
// them. Messages never show the password.
func parsePostgres(address string) (postgresAddress, error) {
	// The hosts may be several, which net/url does not know.
	where, query, _ := strings.Cut(address, "?")
	params, err := url.ParseQuery(query)
	if err != nil {
		return postgresAddress{}, task.Invalid("store", "the parameters of the store URL cannot be read", "write them as ?name=value&name=value, with % and & escaped")
	}
	schema := params.Get("schema")
	if params.Has("schema") {
		if err := checkSchema(schema); err != nil {
			return postgresAddress{}, err
		}
		params.Del("schema")
	}
	if rest := params.Encode(); rest != "" {
		where += "?" + rest
	}
	pool, err := pgxpool.ParseConfig(where) // it hides the password in its errors
	if err != nil {
		return postgresAddress{}, &task.Error{Code: task.CodeInvalid, Message: "the store URL is not one of PostgreSQL: " + err.Error(),
			Hint: "write it as postgres://user@host:5432/database, with special characters of the password escaped or the password in PGPASSWORD"}
	}
	if pool.ConnConfig.RuntimeParams["application_name"] == "" {
		pool.ConnConfig.RuntimeParams["application_name"] = "outlast"
	}
	return postgresAddress{pool: pool, schema: schema}, nil
}

// checkSchema: names are quoted in statements, so that all that matters is
// that PostgreSQL does not cut them.
func checkSchema(name string) error {
	if name == "" || len(name) > 63 || strings.ContainsRune(name, 0) {
		return task.Invalid("store", "schema "+task.Quote(name)+" in the store URL is not 1 to 63 bytes long", "write it as ?schema=outlast")
	}
	return nil
}

// String names the server without secrets.
func (a postgresAddress) String() string {
	c := a.pool.ConnConfig
	where := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
	if strings.HasPrefix(c.Host, "/") {
		where = c.Host + " " + c.Database
	}
	if a.schema != "" {
		where += ", schema " + a.schema
	}
	return where
}

// mysqlAddress is a store URL of MySQL or MariaDB, read.
type mysqlAddress struct {
	config *mysql.Config
	pool   int // connections at most
}

// defaultMySQLPool is how many connections a node has at most by default.
const defaultMySQLPool = 16

// parseMySQL reads mysql://user:password@host:port/database. Parameters are
// pool_max_conns, socket, and those of the driver, such as tls=true. Messages
// never show the password.
func parseMySQL(address string) (mysqlAddress, error) {
	refuse := func(what, hint string) (mysqlAddress, error) {
		return mysqlAddress{}, task.Invalid("store", what, hint)
	}
	const form = "write it as mysql://user:password@host:3306/database, with special characters of the password escaped"
	u, err := url.Parse(address)
	if err != nil { // its text has the password
		return refuse("the store URL cannot be read", form)
	}
	name := strings.TrimPrefix(u.Path, "/")
	if name == "" || strings.Contains(name, "/") {
		return refuse("the store URL names no database", form)
	}
	params := u.Query()
	pool := defaultMySQLPool
	if text := params.Get("pool_max_conns"); params.Has("pool_max_conns") {
		if pool, err = strconv.Atoi(text); err != nil || pool < 2 || pool > 1000 {
			return refuse("pool_max_conns "+task.Quote(text)+" in the store URL is not 2 to 1000", "leave it out for "+strconv.Itoa(defaultMySQLPool))
		}
	}
	network, host := "tcp", u.Host
	if socket := params.Get("socket"); socket != "" {
		network, host = "unix", socket
	} else if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "3306")
	}
	params.Del("pool_max_conns")
	params.Del("socket")
	config, err := mysql.ParseDSN("/" + "?" + params.Encode()) // without secrets
	if err != nil {
		return refuse("a parameter of the store URL is wrong: "+err.Error(), "the parameters are those of github.com/go-sql-driver/mysql")
	}
	config.Net, config.Addr, config.DBName = network, host, name
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	if config.Timeout == 0 {
		config.Timeout = 10 * time.Second
	}
	return mysqlAddress{config: config, pool: pool}, nil
}

// String names the server without secrets.
func (a mysqlAddress) String() string {
	return a.config.Addr + "/" + a.config.DBName
}
