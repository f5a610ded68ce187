package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
)

// noRight is the SQLSTATE of a refusal for the want of a right.
const noRight = "42501"

// schemas are scratch places. A schema is held by the connections whose application is
// called as it is: this one, and those of all nodes in it.
type schemas struct {
	url     string
	address Address
	conn    *pgx.Conn
}

func scratch(ctx context.Context, url string) (kind.Scratch, error) {
	address, err := Parse(url)
	if err != nil {
		return nil, err
	}
	first := address.Pool.ConnConfig
	if slices.ContainsFunc(first.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != first.Host || f.Port != first.Port }) {
		return nil, cli.Usagef("the store URL names several hosts; name the one that takes writes")
	}
	conn, err := pgx.ConnectConfig(ctx, first.Copy())
	if err != nil {
		return nil, kind.Unavailable(address, err)
	}
	return &schemas{url, address, conn}, nil
}

func (s *schemas) What(name string) string {
	where := s.address
	where.Schema = ""
	return fmt.Sprintf("schema %s of %s", name, where)
}

func (s *schemas) Server() (network, address string) {
	c := s.address.Pool.ConnConfig
	return pgconn.NetworkAddress(c.Host, c.Port)
}

func (s *schemas) Make(ctx context.Context, name string) (string, error) {
	if _, err := s.conn.Exec(ctx, "SELECT set_config('application_name', $1, false)", name); err != nil {
		return "", err
	}
	_, err := s.conn.Exec(ctx, fmt.Sprintf("CREATE SCHEMA %s; COMMENT ON SCHEMA %[1]s IS '%s'", quoted(name), kind.ScratchMark)) // both, or none
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == noRight {
		c := s.address.Pool.ConnConfig
		return "", kind.NoScratch("a schema", fmt.Sprintf("GRANT CREATE ON DATABASE %s TO %s", quoted(c.Database), quoted(c.User)), err)
	}
	return kind.With(kind.With(kind.With(s.url, "schema", name), "search_path", ""), "application_name", name), err
}

func (s *schemas) Left(ctx context.Context) ([]string, error) {
	rows, err := s.conn.Query(ctx, `SELECT nspname::text FROM pg_namespace WHERE obj_description(oid, 'pg_namespace') = $1 AND pg_has_role(nspowner, 'USAGE')
		AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = nspname) ORDER BY 1`, kind.ScratchMark)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return slices.DeleteFunc(names, func(name string) bool { return !kind.IsScratch(name) }), err
}

// Drop connects anew: the run may have been stopped in the middle of a statement.
func (s *schemas) Drop(ctx context.Context, name string) error {
	conn, err := pgx.ConnectConfig(ctx, s.address.Pool.ConnConfig.Copy())
	if err != nil {
		return kind.Unavailable(s.address, err)
	}
	defer conn.Close(ctx) //nolint:errcheck // all is done
	_, err = conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+quoted(name)+" CASCADE")
	return err
}

func (s *schemas) Close() { _ = s.conn.Close(context.Background()) } // at worst it is gone
