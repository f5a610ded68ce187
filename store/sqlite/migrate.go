package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/migrate"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

var migrations = sync.OnceValues(func() (*migrate.Set, error) {
	return migrate.Load(migrate.SQLite, migrationFiles, "migrations")
})

var _ store.Migrator = (*Store)(nil)

// PrintMigrations writes the SQL of all migrations, for people who run it
// themselves, each as a transaction that also records itself.
func PrintMigrations(w io.Writer) error {
	set, err := migrations()
	if err != nil {
		return err
	}
	return set.Print(w)
}

// Migrate applies what is missing; see [store.Migrator]. Each migration checks
// and applies inside one write transaction.
func (s *Store) Migrate(ctx context.Context) error {
	set, err := migrations()
	if err != nil {
		return err
	}
	return set.Up(ctx, func(ctx context.Context, fn func(migrate.Session) error) error {
		return s.write(ctx, "migrate", func(tx *tx) error { return fn(statements{tx.conn}) })
	}, s.at)
}

// Migrations lists all migrations and which are applied; see [store.Migrator].
func (s *Store) Migrations(ctx context.Context) (all []store.Migration, err error) {
	set, err := migrations()
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(c *conn) error {
		all, err = set.Status(ctx, statements{c})
		return err
	})
	return all, err
}

// migrateUp applies what is missing before the writer runs, each migration in
// one transaction: whatever ends the process midway leaves nothing of it.
func migrateUp(ctx context.Context, c *conn, at func(point string)) error {
	set, err := migrations()
	if err != nil {
		return err
	}
	return set.Up(ctx, func(ctx context.Context, fn func(migrate.Session) error) error {
		return c.do(ctx, func() error { return c.exclusively(ctx, func() error { return fn(statements{c}) }) })
	}, at)
}

// exclusively runs fn in a write transaction, outside of the writer.
func (c *conn) exclusively(ctx context.Context, fn func() error) error {
	for {
		_, err := c.exec(begin)
		if err == nil {
			break
		}
		if !busy(err) || ctx.Err() != nil {
			return err
		}
	}
	if err := fn(); err != nil {
		_, _ = c.exec(rollback)
		return err
	}
	_, err := c.exec(commit)
	return err
}

// statements runs statements that are not prepared for later. Inside
// [conn.do] only.
type statements struct{ conn *conn }

func (s statements) Exec(ctx context.Context, text string) (err error) {
	stmt, err := s.prepare(text)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	_, err = stmt.ExecContext(ctx, nil)
	return err
}

func (s statements) Query(_ context.Context, text string) (all [][]int64, err error) {
	q := &query{sql: text}
	defer func() {
		if stmt, kept := s.conn.stmts[q]; kept {
			delete(s.conn.stmts, q)
			err = errors.Join(err, stmt.Close())
		}
	}()
	err = s.conn.each(q, func(r row) error {
		numbers := make([]int64, len(r))
		for i := range r {
			numbers[i] = r.Int(i)
		}
		all = append(all, numbers)
		return nil
	})
	return all, err
}

func (s statements) prepare(text string) (prepared, error) {
	inner, err := s.conn.raw.Prepare(text)
	if err != nil {
		return nil, err
	}
	stmt, ok := inner.(prepared)
	if !ok {
		return nil, fmt.Errorf("sqlite: a statement of the driver is a %T", inner)
	}
	return stmt, nil
}
