//go:build unix

package historytest_test

import (
	"database/sql"
	"testing"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
)

func TestMain(m *testing.M) { servertest.Main(m) }

func init() { openers["MariaDB"], openers["PostgreSQL"] = openMariaDB, openPostgres }

func openPostgres(t *testing.T, handles int) []store.Backend {
	url := servertest.Postgres(t)
	all := make([]store.Backend, handles)
	for i := range all {
		s, err := postgres.OpenURL(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		all[i] = s
	}
	return all
}

func openMariaDB(t *testing.T, handles int) []store.Backend {
	db, err := sql.Open("mysql", servertest.MariaDB(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(10 * handles)
	all := make([]store.Backend, handles)
	for i := range all {
		s, err := mysql.Open(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		all[i] = s
	}
	return all
}
