package mysql

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/migrate"
	"github.com/outlast-dev/outlast/store/internal/newest"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// defaultConnections is how many connections a store uses unless told.
const defaultConnections = 8

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	connections int
	offset      func() time.Duration
	hook        func(point string)
	noMigrate   bool
}

// WithConnections sets how many connections of the pool the store uses at
// most, beside the one of its heartbeats: 8 unless told, and never more than
// the pool allows. It keeps those that it has used, with settings of its own,
// until it is closed.
func WithConnections(n int) Option {
	return func(o *options) { o.connections = n }
}

// WithClockOffset adds to the database's clock, in tests.
func WithClockOffset(offset func() time.Duration) Option {
	return func(o *options) { o.offset = offset }
}

// WithHook calls hook at "enqueue.before_commit", "enqueue.after_commit" and
// the like for claim, settle and recover, and at "migrate.statement" after
// every statement of a migration, so that tests can kill the process there.
func WithHook(hook func(point string)) Option {
	return func(o *options) { o.hook = hook }
}

// WithoutMigration opens the database as it is, for programs that may not change
// the schema; see [Store.Migrate]. A node refuses to start on one that lacks a
// migration.
func WithoutMigration() Option {
	return func(o *options) { o.noMigrate = true }
}

// Open checks the server and brings the schema up to date, in the database
// that the connections of db use. The caller closes the store, and then db.
//
// The pool must allow at least three connections: one is for heartbeats alone,
// so that a node whose other connections are all busy is not taken for dead,
// and one must be free while a caller's transaction holds another.
func Open(ctx context.Context, db *sql.DB, opts ...Option) (*Store, error) {
	chosen := options{connections: defaultConnections, offset: func() time.Duration { return 0 }, hook: func(string) {}}
	for _, opt := range opts {
		opt(&chosen)
	}
	if chosen.connections < 1 {
		return nil, task.Invalid("connections", fmt.Sprintf("%d is less than 1", chosen.connections), "the default is 8")
	}
	if most := db.Stats().MaxOpenConnections; most > 0 {
		if most < 3 {
			return nil, task.Invalid("max_open_connections", fmt.Sprintf("a pool of %d is less than 3", most), "SetMaxOpenConns(10) is a good size")
		}
		chosen.connections = min(chosen.connections, most-2)
	}
	s := &Store{
		sessions: newSessions(db, chosen.connections), beats: newSessions(db, 1),
		offset: chosen.offset, hook: chosen.hook,
	}
	s.cold, s.members, s.steps = sqlstore.New(database{s}, &own), sqlstore.NewMembers(database{s}, freeLane), steps{s}
	s.taskGroups = sqlstore.NewTaskGroups(database{s})
	s.spotter = newest.New(func(ctx context.Context, after task.ID, most int) (all []task.ID, err error) {
		err = s.read(ctx, func(c *session) (err error) {
			all, err = c.newest(after, most)
			return err
		})
		return all, err
	})
	err := s.accountOf(ctx)
	if err == nil {
		err = s.checkServer(ctx)
	}
	if err == nil && !chosen.noMigrate {
		err = s.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(Explain(err), s.Close())
	}
	return s, nil
}

// serverFacts reads what the store needs of a server: its version, and the
// largest statement that it takes.
const serverFacts = `SELECT VERSION(), @@max_allowed_packet, DATABASE()`

// checkServer refuses servers that are too old or take too little.
func (s *Store) checkServer(ctx context.Context) error {
	var version string
	var packet int64
	var database sql.NullString
	err := s.read(ctx, func(c *session) error {
		return c.one(serverFacts, &version, &packet, &database)
	})
	if err != nil {
		return err
	}
	if !database.Valid {
		return task.Invalid("store", "the connection names no database", "mysql://user:password@host:3306/database")
	}
	if packet < 2*maxStatement {
		return &task.Error{Code: task.CodeUnavailable, Message: fmt.Sprintf("the server's max_allowed_packet is %d", packet),
			Hint: fmt.Sprintf("set it to %d or more", 2*maxStatement)}
	}
	return checkVersion(version)
}

// checkVersion refuses versions older than those that the store is made for.
func checkVersion(version string) error {
	name, oldest := "MySQL", [2]int{8, 0}
	if strings.Contains(strings.ToLower(version), "mariadb") {
		name, oldest = "MariaDB", [2]int{10, 6}
		version = strings.TrimPrefix(version, "5.5.5-") // put before the version for old replicas
	}
	var got [2]int
	if _, err := fmt.Sscanf(version, "%d.%d", &got[0], &got[1]); err != nil {
		return fmt.Errorf("mysql: the version %s: %w", task.Quote(version), err)
	}
	if got[0] < oldest[0] || got[0] == oldest[0] && got[1] < oldest[1] {
		return &task.Error{Code: task.CodeUnavailable, Message: fmt.Sprintf("%s %s is too old", name, version),
			Hint: fmt.Sprintf("%s %d.%d or later is needed", name, oldest[0], oldest[1])}
	}
	return nil
}

var _ store.Prober = (*Store)(nil)

// Probe implements [store.Prober]. Connections are those that the store may use of
// the pool; it waits while all are busy.
func (s *Store) Probe(ctx context.Context) (store.Probe, error) {
	probe := store.Probe{
		InUse: len(s.sessions.slots) + len(s.beats.slots),
		Most:  cap(s.sessions.slots) + cap(s.beats.slots),
	}
	err := s.read(ctx, func(c *session) error {
		var micro int64
		began := time.Now()
		err := c.one(`SELECT `+clock, &micro)
		probe.Took = time.Since(began)
		probe.Ahead = stored.Time(micro).Add(s.offset()).Sub(began.Add(probe.Took / 2))
		return err
	})
	return probe, err
}

//go:embed migrations/*.sql
var migrationFiles embed.FS

var migrations = sync.OnceValues(func() (*migrate.Set, error) {
	return migrate.Load(migrate.MySQL, migrationFiles, "migrations")
})

// PrintMigrations writes the SQL of all migrations, for people who run it
// themselves. Each migration also records itself.
func PrintMigrations(w io.Writer) error {
	set, err := migrations()
	if err != nil {
		return err
	}
	return set.Print(w)
}

// Migrate applies what is missing; see [store.Migrator]. A change of the
// schema commits by itself here, so what is done is counted statement by
// statement, and a named lock of the server keeps processes apart.
func (s *Store) Migrate(ctx context.Context) error {
	set, err := migrations()
	if err != nil {
		return err
	}
	err = set.Up(ctx, func(ctx context.Context, fn func(migrate.Session) error) error {
		return s.sessions.do(ctx, func(c *session) error { return fn(migrate.Over(c.on, there, lacksRight)) })
	}, s.hook)
	return s.notOurs(s.explained(err))
}

// Migrations lists all migrations and which are applied; see [store.Migrator].
func (s *Store) Migrations(ctx context.Context) (all []store.Migration, err error) {
	set, err := migrations()
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(c *session) error {
		all, err = set.Status(ctx, migrate.Over(c.on, there, lacksRight))
		return err
	})
	return all, s.notOurs(err)
}
