package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// repeat runs fn until it does not fail for a passing reason, as long as ctx
// lasts.
func (s *Store) repeat(ctx context.Context, fn func() error) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := fn()
		if !wire.Passing(err) || !sleep(ctx, pause) {
			return s.explained(err)
		}
	}
}

// sleep waits for d; false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Explain says for people why no connection can be made, and what to do about it:
// a wrong password, a database that is missing, a parameter that nobody knows,
// something else that listens there. It is one line and names each address once.
// Errors that are not of a connection, and nil, are given back as they are.
func Explain(err error) error {
	var failed *pgconn.ConnectError
	if !errors.As(err, &failed) || errors.As(err, new(*task.Error)) {
		return err
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refusedConnection(failed, refused)
	}
	reasons := reasonsOf(failed)
	problem := &task.Error{Code: task.CodeUnavailable, Message: "the database cannot be reached: " + strings.Join(reasons, "; "),
		Hint: "check that it runs, and that its address is reached from here", Err: err}
	switch text := problem.Message; {
	case strings.Contains(text, "unexpected message"), strings.Contains(text, "unknown message type"):
		problem.Message = "what listens there is not PostgreSQL: " + addressesOf(reasons)
		problem.Hint = "check the port; the URL of MySQL and MariaDB begins with mysql://"
	case strings.Contains(text, "refused TLS"):
		problem.Hint = "the server has no TLS: sslmode=disable in the URL goes without, on networks that you trust"
	case strings.Contains(text, "tls: ") || strings.Contains(text, "x509: "):
		problem.Hint = "sslrootcert=FILE in the URL names the authority that signed the server's certificate"
	}
	return problem
}

// refusedConnection is what a server says of a connection.
func refusedConnection(failed *pgconn.ConnectError, refused *pgconn.PgError) error {
	user, database := quote(failed.Config.User), quote(failed.Config.Database)
	problem := &task.Error{Code: task.CodeUnavailable, Message: "the database refuses the connection: " + refused.Message, Err: failed}
	switch refused.Code {
	case wire.CodePassword:
		problem.Code, problem.Hint = task.CodeDenied, "check the user and the password of the URL; special characters are escaped there, such as %40 for @, and PGPASSWORD may hold the password instead"
	case wire.CodeNotAdmitted:
		problem.Code, problem.Hint = task.CodeDenied, "check the user of the URL, and pg_hba.conf of the server: who may connect from where, and how"
	case wire.CodeNoRight:
		problem.Code, problem.Hint = task.CodeDenied, fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s", database, user)
	case wire.CodeNoDatabase:
		problem.Code, problem.Hint = task.CodeNotFound, fmt.Sprintf("make it: CREATE DATABASE %s ENCODING 'UTF8' TEMPLATE template0", database)
	case wire.CodeTooMany:
		problem.Hint = "raise max_connections, or give nodes smaller pools: pool_max_conns in the URL"
	case wire.CodeStarting:
		problem.Hint = "it is starting or stopping: try again"
	case wire.CodeUnknownSetting:
		problem.Code, problem.Hint = task.CodeInvalid, "what is no parameter of the URL goes to the server as a setting: check its name"
	default:
		problem.Hint = "the log of the server says more"
	}
	return problem
}

// reasonsOf are what went wrong at each address, each once. That an address has no
// TLS matters only if nothing else is wrong with it.
func reasonsOf(failed *pgconn.ConnectError) (reasons []string) {
	for _, line := range strings.Split(errors.Unwrap(failed).Error(), "\n") {
		line = dialed.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(line, ": %!w(<nil>)", "")), "${1}: ")
		if line != "" && !slices.Contains(reasons, line) {
			reasons = append(reasons, line)
		}
	}
	return slices.DeleteFunc(slices.Clone(reasons), func(reason string) bool {
		address, _, _ := strings.Cut(reason, ": tls error: server refused TLS")
		return address != reason && slices.ContainsFunc(reasons, func(other string) bool { return other != reason && strings.HasPrefix(other, address) })
	})
}

// dialed is what pgx and package net say of an address before what went wrong, the
// address three times.
var dialed = regexp.MustCompile(`^(\S+) \([^)]*\): (?:dial error: )?(?:dial \w+ \S+: )?(?:connect: )?`)

// addressesOf are the addresses of reasons, each once.
func addressesOf(reasons []string) string {
	var all []string
	for _, reason := range reasons {
		if address, _, found := strings.Cut(reason, ": "); found && !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return strings.Join(all, ", ")
}

// explained makes the want of a right what it is: a refusal with nothing changed,
// which does not pass by itself, and which says what gives the right. Not all
// errors of its class (42) are so: a table that is missing may be restored.
func (s *Store) explained(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, new(*task.Error)) || !errors.As(err, &refused) || refused.Code != wire.CodeNoRight || errors.As(err, new(*pgconn.ConnectError)) {
		return err
	}
	return &task.Error{Code: task.CodeUnavailable, Message: "the database refuses it: " + refused.Message, Hint: s.grant(refused.Message), Err: errors.Join(store.ErrNoRight, err)}
}

// grant is the statement that gives the right which a message asks for. Whatever
// the language of the server, names stand in it.
func (s *Store) grant(message string) string {
	schema, user := quote(s.schema), quote(s.user())
	if s.owner != "" { // the part in it is what is gone, and gives all that is needed
		return fmt.Sprintf("GRANT %s TO %s", quote(s.owner), user)
	}
	switch {
	case strings.Contains(message, "outlast_seq"):
		return fmt.Sprintf("GRANT USAGE ON SEQUENCE %s.outlast_seq TO %s", schema, user)
	case strings.Contains(message, "owner"):
		return "nodes need a part in the role that owns the tables: GRANT the owner TO " + user
	case strings.Contains(message, "outlast_"):
		return fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s", schema, user)
	case strings.Contains(message, "database"):
		return fmt.Sprintf("CREATE SCHEMA %s AUTHORIZATION %s", schema, user)
	}
	return fmt.Sprintf("GRANT USAGE, CREATE ON SCHEMA %s TO %s", schema, user)
}

func (s *Store) user() string { return s.pool.Config().ConnConfig.User }

// lacksRight is the refusal to work without a right.
func lacksRight(message, hint string) error {
	return &task.Error{Code: task.CodeUnavailable, Message: message, Hint: hint, Err: store.ErrNoRight}
}

// asOwner goes on in a transaction as the owner of a table, if this role has a
// part in it: what it makes belongs to that role then, so that every role with a
// part in it may change and drop it.
func (s *Store) asOwner(table string) *wire.Call {
	return &wire.Call{Text: `SELECT set_config('role', pg_get_userbyid(c.relowner)::text, true) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1::text AND c.relname = $2::text AND pg_get_userbyid(c.relowner) <> current_user AND pg_has_role(c.relowner, 'USAGE')`, Args: []any{s.schema, table}}
}

// What a table of our names that is not ours makes migrations fail with.
const (
	codeNoColumn   = "42703"
	codeTableThere = "42P07"
)

// notOurs recognises errors of migrations in a schema of somebody else.
func (s *Store) notOurs(err error) error {
	switch wire.CodeOf(err) {
	case codeNoColumn, codeTableThere:
		return &task.Error{Code: task.CodeConflict, Message: fmt.Sprintf("the schema %s has a table of our names that is not ours: %s", quote(s.schema), wire.MessageOf(err)),
			Hint: "keep ours apart in a schema of their own: ?schema=NAME in the store URL, or postgres.WithSchema", Err: err}
	case wire.CodeNoSchema: // which is there, and out of the search path for who may not use it
		return &task.Error{Code: task.CodeUnavailable, Message: fmt.Sprintf("the role %s may not use the schema %s", quote(s.user()), quote(s.schema)), Hint: s.grant(""), Err: errors.Join(store.ErrNoRight, err)}
	}
	return err
}

// quote is a name as an identifier.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func unusable(message, hint string) error {
	return &task.Error{Code: task.CodeUnavailable, Message: message, Hint: hint}
}

// refusedData is data that cannot be stored.
func refusedData(err error) error {
	return task.Invalid("task", "the database refuses it: "+err.Error(), "")
}
