package postgres

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/task"
)

// Address is a store URL of PostgreSQL, read.
type Address struct {
	Pool   *pgxpool.Config // how to connect, and to how many connections at most
	Schema string          // "" for the first of the search path
}

// Parse reads postgres://user:password@host:port/database?schema=NAME.
// All other parameters are those of pgx, pool_max_conns and its kin among
// them. Messages never show the password.
func Parse(address string) (Address, error) {
	// The hosts may be several, which net/url does not know.
	where, query, _ := strings.Cut(address, "?")
	params, err := url.ParseQuery(query)
	if err != nil {
		return Address{}, task.Invalid("store", "the parameters of the store URL cannot be read", "write them as ?name=value&name=value, with % and & escaped")
	}
	schema := params.Get("schema")
	if params.Has("schema") {
		if err := checkSchema(schema); err != nil {
			return Address{}, err
		}
		params.Del("schema")
	}
	via := params.Get(kind.Via)
	params.Del(kind.Via)
	if rest := params.Encode(); rest != "" {
		where += "?" + rest
	}
	if err := checkParams(params); err != nil {
		return Address{}, err
	}
	pool, err := pgxpool.ParseConfig(where) // it hides the password in its errors
	if err != nil {
		return Address{}, &task.Error{Code: task.CodeInvalid, Message: "the store URL is not one of PostgreSQL: " + kind.OneLine(err.Error()),
			Hint: "write it as postgres://user@host:5432/database; escape special characters of the password, or put it into PGPASSWORD"}
	}
	if pool.ConnConfig.RuntimeParams["application_name"] == "" {
		pool.ConnConfig.RuntimeParams["application_name"] = "outlast"
	}
	if pool.PingTimeout == 0 { // as in postgres.OpenURL
		pool.PingTimeout = 2 * time.Second
	}
	pool.ConnConfig.DialFunc = kind.Dial(via)
	return Address{Pool: pool, Schema: schema}, nil
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
func (a Address) Prepares() bool {
	mode := a.Pool.ConnConfig.DefaultQueryExecMode
	return mode == pgx.QueryExecModeCacheStatement || mode == pgx.QueryExecModeCacheDescribe
}

// String names the server without secrets.
func (a Address) String() string {
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
