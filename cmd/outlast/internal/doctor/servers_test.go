//go:build unix

package doctor

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Wrap(m).Run()) }

// until examines again and again, since settings and standbys take a moment.
func until(t *testing.T, examine func() *report, check, status, says string) {
	t.Helper()
	var last *report
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(50 * time.Millisecond) { // sleep: a server needs a moment
		last = examine()
		if got, detail := last.verdict(check); got == status && strings.Contains(detail, says) {
			for _, f := range last.Findings {
				if f.Status != fine && f.Fix == "" {
					t.Errorf("%s: nothing to do about %q", f.Check, f.Detail)
				}
			}
			return
		}
	}
	t.Errorf("want %s of %s with %q, got %+v", status, check, says, last.Findings)
}

// untilHealthy examines until nothing is wrong: on a busy machine a round trip may be
// slow, and a notification late.
func untilHealthy(t *testing.T, examine func() *report, checks int) {
	t.Helper()
	r := examine()
	for began := time.Now(); r.Status != fine && time.Since(began) < 2*time.Minute; r = examine() {
	}
	if r.Status != fine || len(r.Findings) < checks {
		t.Errorf("a healthy server: %+v", r.Findings)
	}
}

func connectDoctor(t *testing.T, url string) (*pgx.Conn, stores.PostgresAddress) {
	t.Helper()
	address, err := stores.ParsePostgres(url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connectPostgres(t.Context(), address.Pool.ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	return conn, address
}

func TestDoctorOfPostgres(t *testing.T) {
	t.Parallel()
	server := servertest.PostgresServer(t, servers.Durable())
	examine := func() *report {
		conn, address := connectDoctor(t, server.URL("postgres"))
		defer conn.Close(context.WithoutCancel(t.Context()))
		r := &report{Status: fine}
		if err := r.examinePostgres(t.Context(), conn, address); err != nil {
			t.Fatal(err)
		}
		return r
	}
	set := func(settings ...string) {
		t.Helper()
		if err := server.Set(settings...); err != nil {
			t.Fatal(err)
		}
	}
	untilHealthy(t, examine, 9)
	until(t, examine, "wake-ups", fine, "arrive")
	set("fsync=off")
	until(t, examine, "durability", fails, "fsync")
	set("fsync=on", "synchronous_commit=off")
	until(t, examine, "durability", warns, "synchronous_commit")
	set("synchronous_commit=on", "autovacuum=off")
	until(t, examine, "vacuum", warns, "autovacuum")
	set("autovacuum=on", "statement_timeout=9000")
	until(t, examine, "timeouts", warns, "statement_timeout")
	set("statement_timeout=0", "default_transaction_read_only=on")
	until(t, examine, "durability", fails, "read-only")
	set("default_transaction_read_only=off")
	until(t, examine, "durability", fine, "")
}

func TestDoctorOfStandbys(t *testing.T) {
	t.Parallel()
	server := servertest.PostgresServer(t, servers.Durable())
	standby, err := server.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Close(); err != nil {
			t.Error(err)
		}
	})
	of := func(server *servers.Server) func() *report {
		return func() *report {
			conn, _ := connectDoctor(t, server.URL("postgres"))
			defer conn.Close(context.WithoutCancel(t.Context()))
			d := &postgresDoctor{report: &report{Status: fine}, conn: conn}
			for _, examine := range []func(context.Context) error{d.readSettings, d.durability, d.standbys} {
				if err := examine(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			return d.report
		}
	}
	until(t, of(server), "standbys", warns, "asynchronous")
	until(t, of(standby), "durability", fails, "standby")
	if err := server.Synchronous(true); err != nil {
		t.Fatal(err)
	}
	until(t, of(server), "standbys", fine, "synchronous")
	standby.Stop(servers.Immediate)
	until(t, of(server), "standbys", fails, "every commit waits")
}

func TestDoctorOfPostgresPrivileges(t *testing.T) {
	address := servertest.Postgres(t)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.WithoutCancel(t.Context()))
	_, err = admin.Exec(t.Context(), `CREATE SCHEMA "odd name"; CREATE TABLE "odd name".outlast_task (id int); CREATE ROLE doctor_poor LOGIN`)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Exec(context.WithoutCancel(t.Context()), `DROP OWNED BY doctor_poor; DROP ROLE doctor_poor`) //nolint:errcheck // the server ends soon
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User("doctor_poor")
	examine := func() *report {
		conn, address := connectDoctor(t, u.String()+"&schema=odd+name")
		defer conn.Close(context.WithoutCancel(t.Context()))
		r := &report{Status: fine}
		if err := r.examinePostgres(t.Context(), conn, address); err != nil {
			t.Fatal(err)
		}
		return r
	}
	until(t, examine, "privileges", fails, "no right to make tables")
	if _, err := admin.Exec(t.Context(), `GRANT USAGE, CREATE ON SCHEMA "odd name" TO doctor_poor`); err != nil {
		t.Fatal(err)
	}
	until(t, examine, "privileges", fails, "outlast_task (DELETE)")
	if _, err := admin.Exec(t.Context(), `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "odd name" TO doctor_poor`); err != nil {
		t.Fatal(err)
	}
	until(t, examine, "privileges", fine, "odd name")
}

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
	as := func(user string) func() *report {
		return func() *report {
			address, err := stores.ParseMySQL("mysql://" + user + "@" + server.Addr() + "/doctor")
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
			r := &report{Status: fine}
			if err := r.examineMySQL(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	untilHealthy(t, as("root"), 7)
	until(t, as("poor"), "privileges", fails, "UPDATE, DELETE") // and no tables
	do("GRANT CREATE, ALTER, INDEX ON doctor.* TO poor@'127.0.0.1'")
	migrateUp(t, "mysql://root@"+server.Addr()+"/doctor")
	until(t, as("poor"), "privileges", fails, "no right to UPDATE, DELETE")
	until(t, as("poor"), "purge", warns, "PROCESS")
	if !slices.ContainsFunc(as("poor")().Findings, func(f finding) bool { return strings.Contains(f.Fix, "GRANT UPDATE, DELETE ON doctor.*") }) {
		t.Error("the doctor does not say how to give the rights")
	}
	do("CREATE ROLE works")
	do("GRANT UPDATE, DELETE ON doctor.* TO works")
	do("GRANT works TO poor@'127.0.0.1'")
	do("SET DEFAULT ROLE works FOR poor@'127.0.0.1'")
	until(t, as("poor"), "privileges", fine, "poor") // by a role, which no list of grants shows
	do("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
	until(t, as("root"), "durability", warns, "loss of power")
	do("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
	do("SET GLOBAL max_allowed_packet = 1048576")
	until(t, as("root"), "statements", fails, "max_allowed_packet")
	do("SET GLOBAL max_allowed_packet = 16777216")
	do("SET GLOBAL sql_mode = ''")
	until(t, as("root"), "statements", warns, "strict")
	do("SET GLOBAL read_only = 1")
	until(t, as("root"), "durability", fails, "read-only")
}

// migrateUp makes the tables of a store.
func migrateUp(t *testing.T, url string) {
	t.Helper()
	k, err := stores.Durable(url)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := k.Open(t.Context(), url, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := backend.Close(); err != nil {
		t.Fatal(err)
	}
}
