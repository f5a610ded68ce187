//go:build unix

package postgres

import (
	"context"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report/reporttest"
	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Wrap(m).Run()) }

func connectDoctor(t *testing.T, url string) (*pgx.Conn, Address) {
	t.Helper()
	address, err := Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connect(t.Context(), address.Pool.ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	return conn, address
}

func TestDoctorOfPostgres(t *testing.T) {
	t.Parallel()
	server := servertest.PostgresServer(t, servers.Durable())
	examine := func() *report.Report {
		conn, address := connectDoctor(t, server.URL("postgres"))
		defer conn.Close(context.WithoutCancel(t.Context()))
		r := report.New()
		if err := examineServer(t.Context(), r, conn, address); err != nil {
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
	reporttest.Healthy(t, examine, 9)
	reporttest.Until(t, examine, "wake-ups", report.Fine, "arrive")
	set("fsync=off")
	reporttest.Until(t, examine, "durability", report.Fails, "fsync")
	set("fsync=on", "synchronous_commit=off")
	reporttest.Until(t, examine, "durability", report.Warns, "synchronous_commit")
	set("synchronous_commit=on", "autovacuum=off")
	reporttest.Until(t, examine, "vacuum", report.Warns, "autovacuum")
	set("autovacuum=on", "statement_timeout=9000")
	reporttest.Until(t, examine, "timeouts", report.Warns, "statement_timeout")
	set("statement_timeout=0", "default_transaction_read_only=on")
	reporttest.Until(t, examine, "durability", report.Fails, "read-only")
	set("default_transaction_read_only=off")
	reporttest.Until(t, examine, "durability", report.Fine, "")
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
	of := func(server *servers.Server) func() *report.Report {
		return func() *report.Report {
			conn, _ := connectDoctor(t, server.URL("postgres"))
			defer conn.Close(context.WithoutCancel(t.Context()))
			d := &doctor{Report: report.New(), conn: conn}
			for _, examine := range []func(context.Context) error{d.readSettings, d.durability, d.standbys} {
				if err := examine(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			return d.Report
		}
	}
	reporttest.Until(t, of(server), "standbys", report.Warns, "asynchronous")
	reporttest.Until(t, of(standby), "durability", report.Fails, "standby")
	if err := server.Synchronous(true); err != nil {
		t.Fatal(err)
	}
	reporttest.Until(t, of(server), "standbys", report.Fine, "synchronous")
	standby.Stop(servers.Immediate)
	reporttest.Until(t, of(server), "standbys", report.Fails, "every commit waits")
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
	examine := func() *report.Report {
		conn, address := connectDoctor(t, u.String()+"&schema=odd+name")
		defer conn.Close(context.WithoutCancel(t.Context()))
		r := report.New()
		if err := examineServer(t.Context(), r, conn, address); err != nil {
			t.Fatal(err)
		}
		return r
	}
	reporttest.Until(t, examine, "privileges", report.Fails, "no right to create tables")
	if _, err := admin.Exec(t.Context(), `GRANT USAGE, CREATE ON SCHEMA "odd name" TO doctor_poor`); err != nil {
		t.Fatal(err)
	}
	reporttest.Until(t, examine, "privileges", report.Fails, "outlast_task (DELETE)")
	if _, err := admin.Exec(t.Context(), `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "odd name" TO doctor_poor`); err != nil {
		t.Fatal(err)
	}
	reporttest.Until(t, examine, "privileges", report.Fine, "odd name")
}
