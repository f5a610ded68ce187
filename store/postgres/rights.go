package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// explained makes the want of a right what it is: a refusal with nothing changed,
// which does not pass by itself, and which says what gives the right. Not all
// errors of its class (42) are so: a table that is missing may be restored.
func (s *Store) explained(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, new(*task.Error)) || !errors.As(err, &refused) || refused.Code != codeNoRight || errors.As(err, new(*pgconn.ConnectError)) {
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

// mayMakeDays tells who owns the partitioned tables, and whether this role has a
// part in that one and may make tables in their schema.
var mayMakeDays = newQuery(`SELECT pg_get_userbyid(c.relowner)::text, pg_has_role(c.relowner, 'USAGE'), has_schema_privilege(c.relnamespace, 'CREATE')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1::text AND c.relname = ANY($2::text[])
ORDER BY pg_has_role(c.relowner, 'USAGE') LIMIT 1`)

// mayPartition refuses a role that cannot make the partitions of later days:
// whatever else it may do, it would settle nothing once those that are there
// have passed.
func (s *Store) mayPartition(ctx context.Context) (problem error) {
	err := s.read(ctx, func(c session) error {
		problem = nil
		_, err := one(ctx, c, mayMakeDays, func(r row) {
			user := quote(s.user())
			if r.Bool(1) && r.Text(0) != s.user() {
				s.owner = r.Text(0)
			}
			switch owner := r.Text(0); {
			case !r.Bool(1):
				problem = lacksRight(fmt.Sprintf("the role %s has no part in the role %s, which owns the tables, and cannot make those of later days", user, quote(owner)),
					fmt.Sprintf("GRANT %s TO %s", quote(owner), user))
			case !r.Bool(2):
				problem = lacksRight(fmt.Sprintf("the role %s cannot make the tables of later days in the schema %s", user, quote(s.schema)),
					fmt.Sprintf("GRANT CREATE ON SCHEMA %s TO %s", quote(s.schema), user))
			}
		}, s.schema, partitioned[:])
		return err
	})
	if err != nil {
		return err
	}
	return problem
}

// lacksRight is the refusal to work without a right.
func lacksRight(message, hint string) error {
	return &task.Error{Code: task.CodeUnavailable, Message: message, Hint: hint, Err: store.ErrNoRight}
}

// asOwner goes on in a transaction as the owner of a table, if this role has a
// part in it: what it makes belongs to that role then, so that every role with a
// part in it may change and drop it.
func (s *Store) asOwner(table string) *call {
	return &call{text: `SELECT set_config('role', pg_get_userbyid(c.relowner)::text, true) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1::text AND c.relname = $2::text AND pg_get_userbyid(c.relowner) <> current_user AND pg_has_role(c.relowner, 'USAGE')`, args: []any{s.schema, table}}
}

// What a table of our names that is not ours makes migrations fail with.
const (
	codeNoColumn   = "42703"
	codeTableThere = "42P07"
)

// notOurs recognises errors of migrations in a schema of somebody else.
func (s *Store) notOurs(err error) error {
	switch codeOf(err) {
	case codeNoColumn, codeTableThere:
		return &task.Error{Code: task.CodeConflict, Message: fmt.Sprintf("the schema %s has a table of our names that is not ours: %s", quote(s.schema), messageOf(err)),
			Hint: "keep ours apart in a schema of their own: ?schema=NAME in the store URL, or postgres.WithSchema", Err: err}
	case codeNoSchema: // which is there, and out of the search path for who may not use it
		return &task.Error{Code: task.CodeUnavailable, Message: fmt.Sprintf("the role %s may not use the schema %s", quote(s.user()), quote(s.schema)), Hint: s.grant(""), Err: errors.Join(store.ErrNoRight, err)}
	}
	return err
}

// messageOf is what the server itself says.
func messageOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Message
	}
	return err.Error()
}
