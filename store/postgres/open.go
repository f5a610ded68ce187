package postgres

import (
	"context"
	"embed"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/migrate"
	"github.com/outlast-dev/outlast/task"
)

// oldest is the first version of PostgreSQL that has all that is used here.
const oldest = 130000

var (
	serverFacts = newQuery(`SELECT current_setting('server_version_num')::bigint, current_setting('server_version'),
 current_setting('server_encoding'), pg_is_in_recovery(),
 coalesce((SELECT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('outlast' || '_migration')),
  current_schema()::text)`)
	schemaExists = newQuery(`SELECT 1 FROM pg_namespace WHERE nspname = $1::text`)
)

// A connection that the network has forgotten says nothing, and a call on it ends
// with its context. So connections that were idle are tried first, for this long:
// those of heartbeats each time, since a node that cannot beat for 4 s is lost,
// others after a second.
const (
	beatPing = time.Second
	idlePing = 2 * time.Second
)

func (s *Store) open(ctx context.Context, chosen options) (err error) {
	s.texts = texts("", false)
	if err := s.look(ctx, chosen.schema); err != nil {
		return err
	}
	if err := s.detect(ctx); err != nil {
		return err
	}
	config := s.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 2, 0, 0
	config.PingTimeout = beatPing
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > beatPing/4 }
	if s.own, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	if chosen.noMigrate {
		return nil
	}
	if err = s.Migrate(ctx); err == nil {
		err = s.distributedWhole()
	}
	if err != nil {
		s.own.Close()
	}
	return err
}

// look checks what the server is, and finds the schema.
func (s *Store) look(ctx context.Context, schema string) error {
	var problem error
	err := s.read(ctx, func(c session) error {
		_, err := one(ctx, c, serverFacts, func(r row) {
			problem = checkServer(r)
			s.schema = r.Text(4)
		})
		return err
	})
	if err != nil {
		return err
	}
	if schema != "" {
		s.schema = schema
	}
	if problem == nil && s.schema == "" {
		problem = unusable("no schema of the search path exists", "create one, or name a schema")
	}
	if len(s.schema) > 63 || strings.ContainsRune(s.schema, 0) {
		problem = task.Invalid("schema", "the name of the schema is longer than 63 bytes or contains a NUL", "")
	}
	return problem
}

func checkServer(r row) error {
	switch {
	case r.Int(0) < oldest:
		return unusable("the server is PostgreSQL "+r.Text(1), "use PostgreSQL 13 or later")
	case r.Text(2) != "UTF8":
		return unusable("the encoding of the database is "+r.Text(2), "create the database with ENCODING 'UTF8'")
	case r.Bool(3):
		return unusable("the server is a standby, which only reads", "connect to the primary: target_session_attrs=read-write in the URL")
	}
	return nil
}

func unusable(message, hint string) error {
	return &task.Error{Code: task.CodeUnavailable, Message: message, Hint: hint}
}

// quote is a name as an identifier.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

//go:embed migrations/*.sql
var migrationFiles embed.FS

var migrations = sync.OnceValues(func() (*migrate.Set, error) {
	return migrate.Load(migrate.PostgreSQL, migrationFiles, "migrations")
})

var _ store.Migrator = (*Store)(nil)

// PrintMigrations writes the SQL of all migrations and of the partitions of the
// next days, for people who run it themselves in the schema that their search
// path begins with. Whoever runs it owns the tables: nodes need a part in that
// role.
func PrintMigrations(w io.Writer) error {
	set, err := migrations()
	if err == nil {
		err = set.Print(w)
	}
	if err == nil {
		_, err = io.WriteString(w, firstDays)
	}
	return err
}

// Migrate applies what is missing, each migration in one transaction, and
// makes the partitions of the next days; see [store.Migrator].
func (s *Store) Migrate(ctx context.Context) error {
	set, err := migrations()
	if err != nil {
		return err
	}
	if err := s.makeSchema(ctx); err != nil {
		return err
	}
	if err := alone(ctx, s, set); err != nil {
		return err
	}
	if err := set.Up(ctx, s.migrating, func(string) {}); err != nil {
		return s.notOurs(err)
	}
	if s.spread { // where nothing is partitioned
		return nil
	}
	if err := s.mayPartition(ctx); err != nil {
		return err
	}
	return s.makePartitions(ctx, s.ahead)
}

// lastProtocol is the last migration after which older programs must not work any more.
const lastProtocol = 9

// alone fails if a node beats that knows another protocol.
func alone(ctx context.Context, s *Store, set *migrate.Set) error {
	applied := 0
	err := s.migrating(ctx, func(session migrate.Session) error {
		all, err := set.Status(ctx, session)
		for _, one := range all {
			if one.Applied {
				applied = one.Version
			}
		}
		return err
	})
	if err != nil {
		return s.notOurs(err)
	}
	if applied == 0 || applied >= lastProtocol {
		return nil
	}
	return s.unused(ctx, beatWithin)
}

// makeSchema makes the schema, but asks first: to make one needs a right that
// an application should not need.
func (s *Store) makeSchema(ctx context.Context) error {
	return s.read(ctx, func(c session) error {
		exists, err := one(ctx, c, schemaExists, func(row) {}, s.schema)
		if err != nil || exists {
			return err
		}
		err = c.run(ctx, &call{text: `CREATE SCHEMA IF NOT EXISTS ` + quote(s.schema)})
		if codeOf(err) == codeUnique { // another process makes it
			return nil
		}
		return err
	})
}

// migrating runs fn in a transaction whose search path is the schema alone.
func (s *Store) migrating(ctx context.Context, fn func(migrate.Session) error) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *conn) error {
			err := c.run(ctx, &call{query: beginTx},
				&call{text: `SELECT set_config('search_path', $1::text, true)`, args: []any{quote(s.schema)}}, s.asOwner("outlast_migration"))
			if err == nil {
				err = fn(script{c})
			}
			if err == nil {
				return c.run(ctx, &call{query: commitTx})
			}
			c.rollback(ctx)
			return err
		})
	})
}

// script runs statements of migrations.
type script struct{ session }

func (s script) Exec(ctx context.Context, text string) error { return s.run(ctx, &call{text: text}) }

func (s script) Query(ctx context.Context, text string) (all [][]int64, err error) {
	err = s.run(ctx, &call{text: text, scan: func(r row) error {
		numbers := make([]int64, len(r))
		for i := range r {
			numbers[i] = r.Int(i)
		}
		all = append(all, numbers)
		return nil
	}})
	return all, err
}

// Migrations lists all migrations and which are applied; see
// [store.Migrator].
func (s *Store) Migrations(ctx context.Context) (all []store.Migration, err error) {
	set, err := migrations()
	if err != nil {
		return nil, err
	}
	err = s.migrating(ctx, func(session migrate.Session) error {
		all, err = set.Status(ctx, session)
		return err
	})
	if err != nil {
		return nil, s.notOurs(err)
	}
	return all, nil
}
