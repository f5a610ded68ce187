package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migration is one numbered change of the schema.
type Migration struct {
	Version int
	Name    string
	SQL     string
	Applied bool // only in the answer of [Store.MigrationStatus]
}

// Migrations lists all, in order.
func Migrations() ([]Migration, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var all []Migration
	for _, file := range files {
		text, err := migrationFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, "migrations/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", file, err)
		}
		all = append(all, Migration{Version: version, Name: name, SQL: string(text)})
	}
	return all, nil
}

// PrintMigrations writes the SQL of all migrations, for people who run it
// themselves, each as a transaction that also records itself.
func PrintMigrations(w io.Writer) error {
	all, err := Migrations()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s;\n", createMigrations.sql); err != nil {
		return err
	}
	for _, m := range all {
		_, err := fmt.Fprintf(w, "\n-- %s\nBEGIN IMMEDIATE;\n%s\nINSERT INTO outlast_migration VALUES (%d, '%s', unixepoch() * 1000000);\nCOMMIT;\n",
			m.Name, strings.TrimSpace(m.SQL), m.Version, m.Name)
		if err != nil {
			return err
		}
	}
	return nil
}

// Migrate applies what is missing. Two processes may do so at once: each
// migration checks and applies inside one write transaction.
func (s *Store) Migrate(ctx context.Context) error {
	return s.write(ctx, "migrate", func(tx *tx) error { return applyMissing(tx.conn, s.at) })
}

// MigrationStatus lists all migrations and which are applied.
func (s *Store) MigrationStatus(ctx context.Context) ([]Migration, error) {
	all, err := Migrations()
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, "migrate", func(tx *tx) error {
		applied, err := appliedMigrations(tx.conn)
		for i := range all {
			all[i].Applied = applied[all[i].Version]
		}
		return err
	})
	return all, err
}

var (
	createMigrations = &query{sql: `CREATE TABLE IF NOT EXISTS outlast_migration (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)`}
	selectMigrations = &query{sql: `SELECT version FROM outlast_migration`}
	insertMigration  = &query{sql: `INSERT INTO outlast_migration VALUES (?, ?, ?)`}
)

func appliedMigrations(c *conn) (map[int]bool, error) {
	applied := map[int]bool{}
	if _, err := c.exec(createMigrations); err != nil {
		return nil, err
	}
	err := c.each(selectMigrations, func(r row) error {
		applied[int(r.int(0))] = true
		return nil
	})
	return applied, err
}

func applyMissing(c *conn, at func(point string)) error {
	all, err := Migrations()
	if err != nil {
		return err
	}
	applied, err := appliedMigrations(c)
	if err != nil {
		return err
	}
	newest := all[len(all)-1].Version
	for version := range applied {
		if version > newest {
			return fmt.Errorf("sqlite: the file has migration %d, this program knows %d: update the program", version, newest)
		}
	}
	for _, m := range all {
		if applied[m.Version] {
			continue
		}
		if err := c.script(m.SQL, at); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
		if _, err := c.exec(insertMigration, m.Version, m.Name, time.Now().UnixMicro()); err != nil {
			return err
		}
		at("migrate.statement")
	}
	return nil
}

// script runs several statements, one by one: a semicolon at the end of a
// line ends a statement. at is told of each.
func (c *conn) script(text string, at func(point string)) error {
	for _, part := range strings.Split(text, ";\n") {
		if lines := withoutComments(part); lines != "" {
			stmt, err := c.raw.Prepare(lines)
			if err != nil {
				return fmt.Errorf("%w in %s", err, firstLine(lines))
			}
			_, err = stmt.(prepared).ExecContext(c.ctx, nil)
			if closeErr := stmt.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				return err
			}
			at("migrate.statement")
		}
	}
	return nil
}

func withoutComments(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// migrateUp applies what is missing before the writer runs, in one
// transaction: whatever ends the process midway leaves nothing of it.
func migrateUp(ctx context.Context, c *conn, at func(point string)) error {
	return c.do(ctx, func() error {
		for {
			_, err := c.exec(begin)
			if err == nil {
				break
			}
			if !busy(err) || ctx.Err() != nil {
				return err
			}
		}
		if err := applyMissing(c, at); err != nil {
			_, _ = c.exec(rollback)
			return err
		}
		_, err := c.exec(commit)
		return err
	})
}
