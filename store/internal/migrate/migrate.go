// Package migrate brings the schema of a database up to date by numbered SQL
// files. Several processes may do so at once, and a process that is killed at
// any statement leaves what the next one completes.
//
// Migrations only add: a program that knows migrations up to N works with a
// database at N or N+1, so that two releases run side by side while one
// replaces the other.
package migrate

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Migration is one numbered change of the schema.
type Migration struct {
	Version    int
	Name       string // of its file, such as "0001_init"
	Statements []string
}

// Set is the migrations of one database, in order. It is safe for concurrent
// use.
type Set struct {
	dialect *Dialect
	all     []Migration
}

// Session is one connection that runs statements one after the other.
type Session interface {
	// Exec runs one statement; rows that it returns are dropped.
	Exec(ctx context.Context, statement string) error
	// Query returns rows whose columns are whole numbers.
	Query(ctx context.Context, query string) ([][]int64, error)
}

// Forgiving is implemented by sessions of databases that commit changes of
// the schema by themselves.
type Forgiving interface {
	// Already reports whether a statement failed because what it makes is
	// there already.
	Already(err error) bool
	// Denied reports whether it failed for the want of a right.
	Denied(err error) bool
}

// Run calls fn with a session: in one transaction, which commits if fn
// returns nil, or, on databases that commit changes of the schema by
// themselves, on one connection outside of any transaction.
type Run func(ctx context.Context, fn func(Session) error) error

// Up applies what is missing. It tells at of "migrate.statement" after every
// statement, for tests that end the process there. An error says nothing of
// what was done; Up may be called again.
func (s *Set) Up(ctx context.Context, run Run, at func(point string)) error {
	for {
		var applied bool
		err := run(ctx, func(session Session) (err error) {
			applied, err = s.next(ctx, session, at)
			return err
		})
		if err != nil || !applied {
			return err
		}
	}
}

// next applies the first migration that is missing, and reports whether there
// was one. A database that has all of them is not written to, so that a
// program without the right to change the schema can start.
func (s *Set) next(ctx context.Context, session Session, at func(point string)) (applied bool, err error) {
	records, err := s.records(ctx, session)
	if err != nil || len(s.missing(records)) == 0 {
		return false, err
	}
	end, err := s.dialect.exclusive(ctx, session)
	if err != nil {
		return false, err
	}
	defer end()
	if err := session.Exec(ctx, s.dialect.create); err != nil {
		return false, err
	}
	if records, err = s.records(ctx, session); err != nil { // it may have waited
		return false, err
	}
	missing := s.missing(records)
	if len(missing) == 0 {
		return false, nil
	}
	m := missing[0]
	if err := s.apply(ctx, session, m, records, at); err != nil {
		return false, fmt.Errorf("migration %s: %w", m.Name, err)
	}
	return true, nil
}

func (s *Set) apply(ctx context.Context, session Session, m Migration, records map[int]record, at func(point string)) error {
	before, begun := records[m.Version]
	done := -1
	if begun {
		done = before.done
	}
	// The statement at which another process ended may be done, uncounted.
	var doubtful string
	if begun && done < len(m.Statements) {
		doubtful = m.Statements[done]
	}
	for _, statement := range s.dialect.script(m, done) {
		err := session.Exec(ctx, statement)
		if again, ok := session.(Forgiving); ok && err != nil && (statement == doubtful && again.Already(err) || isRoutine(statement) && again.Denied(err)) {
			err = nil
		}
		if err != nil {
			if s.dialect.stepwise { // the connection may serve others
				last(ctx, func(ctx context.Context) { _ = session.Exec(ctx, "ROLLBACK") })
			}
			return fmt.Errorf("%w in %s", err, firstLine(statement))
		}
		at("migrate.statement")
	}
	return nil
}

// isRoutine recognises a statement that makes a stored procedure: where the right to is
// missing, the store does without.
func isRoutine(statement string) bool { return strings.HasPrefix(statement, "CREATE PROCEDURE ") }

// record is what the database says of one migration.
type record struct {
	done    int // statements
	applied bool
}

func (s *Set) records(ctx context.Context, session Session) (map[int]record, error) {
	tables, err := session.Query(ctx, s.dialect.exists)
	if err != nil || len(tables) == 0 || tables[0][0] == 0 {
		return nil, err
	}
	rows, err := session.Query(ctx, s.dialect.record)
	if err != nil {
		return nil, err
	}
	records := map[int]record{}
	newest, known := 0, s.all[len(s.all)-1].Version
	for _, row := range rows {
		records[int(row[0])] = record{done: int(row[1]), applied: row[2] != 0}
		newest = max(newest, int(row[0]))
	}
	if newest > known+1 {
		return nil, &task.Error{Code: task.CodeUnavailable,
			Message: fmt.Sprintf("the database has migration %d, this program knows migrations up to %d", newest, known),
			Hint:    "update the program: it works with a database that is one migration ahead, no further"}
	}
	return records, nil
}

func (s *Set) missing(records map[int]record) []Migration {
	var missing []Migration
	for _, m := range s.all {
		if !records[m.Version].applied {
			missing = append(missing, m)
		}
	}
	return missing
}

// Status lists all migrations that the program knows and says which of them
// the database has. It changes nothing.
func (s *Set) Status(ctx context.Context, session Session) ([]store.Migration, error) {
	records, err := s.records(ctx, session)
	if err != nil {
		return nil, err
	}
	all := make([]store.Migration, len(s.all))
	for i, m := range s.all {
		all[i] = store.Migration{Version: m.Version, Name: m.Name, Applied: records[m.Version].applied}
	}
	return all, nil
}

// Print writes what Up runs on an empty database, for people who run it
// themselves. Each migration records itself. The lines of before are repeated
// at the beginning of each transaction, or once where there are none.
func (s *Set) Print(w io.Writer, before ...string) error {
	var text strings.Builder
	put := func(statements ...string) {
		for _, statement := range statements {
			switch {
			case isRoutine(statement): // has semicolons of its own
				text.WriteString("DELIMITER ;;\n" + statement + "\n;;\nDELIMITER ;\n")
			case statement != "":
				text.WriteString(statement + ";\n")
			}
		}
	}
	if s.dialect.stepwise {
		put(append(before, s.dialect.create)...)
	}
	for _, m := range s.all {
		text.WriteString("\n-- " + m.Name + "\n")
		if s.dialect.stepwise {
			put(s.dialect.script(m, -1)...)
			continue
		}
		put(s.dialect.begin, s.dialect.lock)
		put(before...)
		put(s.dialect.create)
		put(s.dialect.script(m, -1)...)
		put(s.dialect.commit)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
