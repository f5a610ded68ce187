//go:build unix

package mysql

import (
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report/reporttest"
	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Wrap(m).Run()) }

func TestDoctorOfMariaDB(t *testing.T) {
	t.Parallel()
	server := servertest.MariaDBServer(t, servers.Durable())
	admin, err := sql.Open("mysql", server.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := admin.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE DATABASE IF NOT EXISTS doctor")
	do("CREATE USER poor@'127.0.0.1'")
	do("GRANT SELECT, INSERT ON doctor.* TO poor@'127.0.0.1'")
	as := func(user string) func() *report.Report {
		return func() *report.Report {
			address, err := Parse("mysql://" + user + "@" + server.Addr() + "/doctor")
			if err != nil {
				t.Fatal(err)
			}
			db, err := address.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			r := report.New()
			if err := examineServer(t.Context(), r, conn); err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	reporttest.Healthy(t, as("root"), 7)
	reporttest.Until(t, as("poor"), "privileges", report.Fails, "UPDATE, DELETE") // and no tables
	do("GRANT CREATE, ALTER, INDEX ON doctor.* TO poor@'127.0.0.1'")
	migrateUp(t, "mysql://root@"+server.Addr()+"/doctor")
	reporttest.Until(t, as("poor"), "privileges", report.Fails, "no right to UPDATE, DELETE")
	reporttest.Until(t, as("poor"), "purge", report.Warns, "PROCESS")
	if !slices.ContainsFunc(as("poor")().Findings, func(f report.Finding) bool { return strings.Contains(f.Fix, "GRANT UPDATE, DELETE ON doctor.*") }) {
		t.Error("the doctor does not say how to give the rights")
	}
	do("CREATE ROLE works")
	do("GRANT UPDATE, DELETE ON doctor.* TO works")
	do("GRANT works TO poor@'127.0.0.1'")
	do("SET DEFAULT ROLE works FOR poor@'127.0.0.1'")
	reporttest.Until(t, as("poor"), "privileges", report.Fine, "poor") // by a role, which no list of grants shows
	do("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
	reporttest.Until(t, as("root"), "durability", report.Warns, "loss of power")
	do("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
	do("SET GLOBAL max_allowed_packet = 1048576")
	reporttest.Until(t, as("root"), "statements", report.Fails, "max_allowed_packet")
	do("SET GLOBAL max_allowed_packet = 16777216")
	do("SET GLOBAL sql_mode = ''")
	reporttest.Until(t, as("root"), "statements", report.Warns, "strict")
	do("SET GLOBAL read_only = 1")
	reporttest.Until(t, as("root"), "durability", report.Fails, "read-only")
}

// migrateUp makes the tables of a store.
func migrateUp(t *testing.T, url string) {
	t.Helper()
	backend, err := open(t.Context(), url, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := backend.Close(); err != nil {
		t.Fatal(err)
	}
}
