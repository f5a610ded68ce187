package mysql

import (
	"context"
	"embed"
	"io"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/migrate"
)

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
		return s.sessions.do(ctx, func(c *session) error { return fn(migrate.Over(c.on, there)) })
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
		all, err = set.Status(ctx, migrate.Over(c.on, there))
		return err
	})
	return all, s.notOurs(err)
}
