package main

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// On every database, each remedy deducts once, and the control a hundred times.
func TestStock(t *testing.T) {
	for name, place := range map[string]func(t *testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return servertest.Postgres(t) },
		"mariadb":  mariadb,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			backend, s, err := open(ctx, place(t))
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			if err := run(ctx, backend, s); err != nil {
				t.Fatal(err)
			}
			want := map[string]int{"naive": copies, "dedupe key": 1, "unique index": 1, "transaction": 1}
			if s.pgx != nil {
				want["pgx transaction"] = 1
			}
			for item, n := range want {
				if deducted, err := s.deducted(ctx, item); err != nil || deducted != n {
					t.Errorf("%s: deducted %d times, want %d: %v", item, deducted, n, err)
				}
			}
		})
	}
}

// mariadb is an empty database as a URL.
func mariadb(t *testing.T) string {
	config, err := mysql.ParseDSN(servertest.MariaDB(t))
	if err != nil {
		t.Fatal(err)
	}
	user := config.User
	if config.Passwd != "" {
		user += ":" + config.Passwd
	}
	address := config.Addr
	if _, _, err := net.SplitHostPort(address); err != nil || !strings.HasPrefix(config.Net, "tcp") {
		t.Fatalf("the test server is at %s", address)
	}
	return "mysql://" + user + "@" + address + "/" + config.DBName
}
