package postgres

import (
	"context"
	"embed"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/store/internal/migrate"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// oldest is the first version of PostgreSQL that has all that is used here.
const oldest = 130000

var (
	serverFacts = wire.NewQuery(`SELECT current_setting('server_version_num')::bigint, current_setting('server_version'),
 current_setting('server_encoding'), pg_is_in_recovery(),
 coalesce((SELECT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('outlast' || '_migration')),
  current_schema()::text)`)
	schemaExists = wire.NewQuery(`SELECT 1 FROM pg_namespace WHERE nspname = $1::text`)
)

// A connection that the network has forgotten says nothing, and a call on it ends
// with its context. So connections that were idle are tried first, for this long:
// those of heartbeats each time, since a node that cannot beat for 4 s is lost,
// others after a second.
const (
	beatPing = time.Second
	idlePing = 2 * time.Second
)

// Open uses a database through the caller's pool and brings its schema up to
// date. The caller closes the store before the pool.
//
// The store prepares statements on the connections of the pool, unless the
// pool is configured with another [pgx.QueryExecMode] than the default one
// (default_query_exec_mode=exec in the URL): choose that behind a pooler in
// transaction mode.
func Open(ctx context.Context, pool *pgxpool.Pool, opts ...Option) (*Store, error) {
	chosen := options{ahead: daysAhead}
	for _, opt := range opts {
		opt(&chosen)
	}
	s := &Store{pool: pool, clock: chosen.offset, ahead: chosen.ahead, log: claimlog.New(), readAhead: newReadAhead()}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.open(ctx, chosen); err != nil {
		s.end()
		return nil, Explain(err)
	}
	return s, nil
}

// OpenURL is Open with a pool of its own, which Close closes. Unless the URL says
// otherwise (pool_ping_timeout), the pool gives connections two seconds to answer
// after they were idle for a second: one that a firewall has forgotten would be
// waited for as long as the call may take. Pools of callers should do the same.
func OpenURL(ctx context.Context, url string, opts ...Option) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if config.PingTimeout == 0 {
		config.PingTimeout = idlePing
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, pool, opts...)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.opened = true
	return s, nil
}

func (s *Store) open(ctx context.Context, chosen options) (err error) {
	s.book = wire.NewBook("", false)
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
	err := s.read(ctx, func(c wire.Session) error {
		_, err := wire.One(ctx, c, serverFacts, func(r wire.Row) {
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

func checkServer(r wire.Row) error {
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
	return s.read(ctx, func(c wire.Session) error {
		exists, err := wire.One(ctx, c, schemaExists, func(wire.Row) {}, s.schema)
		if err != nil || exists {
			return err
		}
		err = c.Run(ctx, &wire.Call{Text: `CREATE SCHEMA IF NOT EXISTS ` + quote(s.schema)})
		if wire.CodeOf(err) == wire.CodeUnique { // another process makes it
			return nil
		}
		return err
	})
}

// migrating runs fn in a transaction whose search path is the schema alone.
func (s *Store) migrating(ctx context.Context, fn func(migrate.Session) error) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *wire.Conn) error {
			err := c.Run(ctx, &wire.Call{Query: wire.BeginTx},
				&wire.Call{Text: `SELECT set_config('search_path', $1::text, true)`, Args: []any{quote(s.schema)}}, s.asOwner("outlast_migration"))
			if err == nil {
				err = fn(script{c})
			}
			if err == nil {
				return c.Run(ctx, &wire.Call{Query: wire.CommitTx})
			}
			c.Rollback(ctx)
			return err
		})
	})
}

// script runs statements of migrations.
type script struct{ wire.Session }

func (s script) Exec(ctx context.Context, text string) error {
	return s.Run(ctx, &wire.Call{Text: text})
}

func (s script) Query(ctx context.Context, text string) (all [][]int64, err error) {
	err = s.Run(ctx, &wire.Call{Text: text, Scan: func(r wire.Row) error {
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
