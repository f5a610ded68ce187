package mysql_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/mysql"
)

// usable fails the test unless the schema is whole.
func (d *database) usable(t testing.TB) {
	t.Helper()
	s := d.store(t, mysql.WithoutMigration())
	all, err := s.Migrations(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, m := range all {
		if !m.Applied {
			t.Errorf("%s is not applied", m.Name)
		}
	}
	if wrong, err := s.Check(t.Context()); err != nil || len(wrong) > 0 {
		t.Errorf("%v, %v", wrong, err)
	}
}

func TestMigrationsOfManyAtOnce(t *testing.T) {
	d := at(t, servertest.MariaDB(t), options)
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			s, err := mysql.Open(t.Context(), d.DB)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	d.usable(t)
}

// TestMigrationsThatAreCutOff ends the process that migrates after a few
// statements, again and again, in that its context ends and its connection is
// closed.
func TestMigrationsThatAreCutOff(t *testing.T) {
	d := at(t, servertest.MariaDB(t), options)
	cuts := 0
	for open := false; !open; {
		ctx, cancel := context.WithCancel(t.Context())
		statements := 0
		s, err := mysql.Open(ctx, d.DB, mysql.WithHook(func(point string) {
			// Four statements are one of the schema with its bookkeeping.
			if statements++; point == "migrate.statement" && statements == 2+cuts%4 {
				cancel()
			}
		}))
		cancel()
		if open = err == nil; open {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			break
		}
		if cuts++; cuts > 200 {
			t.Fatal(err)
		}
	}
	if cuts < 20 {
		t.Errorf("only %d cuts: too few to show anything", cuts)
	}
	d.usable(t)
}

func TestPrintedMigrationsAreWhatRuns(t *testing.T) {
	d := at(t, servertest.MariaDB(t), options)
	var text bytes.Buffer
	if err := mysql.PrintMigrations(&text); err != nil {
		t.Fatal(err)
	}
	conn, err := d.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements(text.String()) {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%v in %s", err, statement)
		}
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	d.usable(t)
}

// statements takes a script apart as the client of the server does.
func statements(script string) (all []string) {
	delimiter, statement := ";", ""
	for line := range strings.Lines(script) {
		if next, found := strings.CutPrefix(line, "DELIMITER "); found {
			delimiter = strings.TrimSpace(next)
			continue
		}
		statement += line
		code, _, _ := strings.Cut(line, "-- ") // the client sees no delimiter in a comment
		if strings.HasSuffix(strings.TrimSpace(code), delimiter) {
			all, statement = append(all, strings.TrimSuffix(strings.TrimSpace(statement), delimiter)), ""
		}
	}
	return all
}
