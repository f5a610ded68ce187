//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
)

// health asks a server for everything that it checks.
func (p *process) health() (status int, health client.Health) {
	p.t.Helper()
	caller := http.Client{Timeout: 20 * time.Second}
	answer, err := caller.Get(p.url + "/readyz?verbose")
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&health); err != nil {
		p.t.Fatal(err)
	}
	return answer.StatusCode, health
}

// storeURL is the store URL of a database of its own on a server.
func storeURL(t *testing.T, s *servers.Server) string {
	t.Helper()
	if url := s.URL("postgres"); strings.HasPrefix(url, "postgres:") {
		return url
	}
	db, err := sql.Open("mysql", s.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "create database ready"); err != nil {
		t.Fatal(err)
	}
	return s.URL("ready")
}

// A server tells its parts by name; without its database it is not ready, says
// which part is missing and no secret, and is ready again by itself.
func TestReadinessWithoutDatabase(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, ...servers.Option) *servers.Server{"postgres": servertest.PostgresServer, "mariadb": servertest.MariaDBServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := start(t)
			p := startServer(t, "--store", storeURL(t, database))
			awaits(t, p, "all parts are well", func() bool {
				status, health := p.health()
				for _, part := range []string{"store", "migrations", "clock", "pool", "engine", "lanes", "retries"} {
					if check := health.Checks[part]; !check.OK || check.Detail == "" {
						t.Logf("%s: %+v", part, check)
						return false
					}
				}
				return status == http.StatusOK
			})
			database.Stop(servers.Immediate)
			status, health := p.health()
			store := health.Checks["store"]
			if status != http.StatusServiceUnavailable || health.Status != "not ready" || store.OK || strings.Contains(store.Detail, "root") {
				t.Errorf("without database: status %d, %+v", status, health)
			}
			command{t: t, server: p.url}.run("doctor", "--ready").exits(1)
			p.readsWithoutDatabase()
			if err := database.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			for began := time.Now(); ; time.Sleep(100 * time.Millisecond) { // sleep: another process finds its database again
				if status, health = p.health(); status == http.StatusOK {
					return
				}
				if time.Since(began) > 2*time.Minute {
					t.Fatalf("not ready again: %+v", health)
				}
			}
		})
	}
}

// A node that cannot make the tables of the next days says so a day before it
// matters.
func TestReadinessWithoutTomorrow(t *testing.T) {
	url := servertest.Postgres(t)
	p := startServer(t, "--store", url)
	if status, health := p.health(); status != http.StatusOK || !health.Checks["days"].OK || !strings.Contains(health.Checks["days"].Detail, "until 20") {
		t.Errorf("status %d: %+v", status, health)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for days := 1; days < 8; days++ { // tomorrow and all after it
		if _, err := conn.Exec(t.Context(), "drop table if exists outlast_done_"+dayAfter(days)); err != nil {
			t.Fatal(err)
		}
	}
	status, health := p.health()
	if days := health.Checks["days"]; status != http.StatusServiceUnavailable || days.OK || !strings.Contains(days.Detail, "only") {
		t.Errorf("without tomorrow: status %d: %+v", status, health)
	}
	c := command{t: t, server: p.url}
	if got := c.run("doctor").exits(1); !strings.Contains(got.out, "days") {
		t.Errorf("doctor: %s%s", got.out, got.stderr)
	}
}

// dayAfter is a day from this one as it is in the names of tables.
func dayAfter(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format("20060102") }

// readsWithoutDatabase checks that reads say that the store is away, and that what is
// told from memory says how old it is.
func (p *process) readsWithoutDatabase() {
	p.t.Helper()
	answer, err := http.Get(p.url + "/v1/tasks")
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	var problem struct{ Code string }
	if err := json.NewDecoder(answer.Body).Decode(&problem); err != nil || answer.StatusCode != http.StatusServiceUnavailable ||
		problem.Code != "unavailable" || answer.Header.Get("Retry-After") == "" {
		p.t.Errorf("tasks without database: status %d, code %q, Retry-After %q, error %v", answer.StatusCode, problem.Code, answer.Header.Get("Retry-After"), err)
	}
	c := command{t: p.t, server: p.url}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) { // sleep: what another process has in memory grows old
		if got := c.run("node", "list").exits(0); strings.Contains(got.stderr, "cannot reach its store") {
			break
		}
		if time.Since(began) > 2*time.Minute {
			p.t.Error("a list of nodes from memory is not marked as old")
			break
		}
	}
}
