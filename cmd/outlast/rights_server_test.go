//go:build unix

package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/internal/servertest"
)

// TestRightsOnPostgres gives a role one right after the other: the doctor, serve and
// migrate say which is missing, and how it is given.
func TestRightsOnPostgres(t *testing.T) {
	address := servertest.Postgres(t)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.WithoutCancel(t.Context()))
	do := func(statement string) {
		t.Helper()
		if _, err := admin.Exec(context.WithoutCancel(t.Context()), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	do("CREATE ROLE rights_poor LOGIN; CREATE ROLE rights_owner LOGIN; CREATE SCHEMA work AUTHORIZATION rights_owner")
	defer do("DROP OWNED BY rights_poor, rights_owner CASCADE; DROP ROLE rights_poor, rights_owner")
	as := func(user string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.User(user)
		return u.String() + "&schema=work"
	}
	c := command{t: t, server: "http://127.0.0.1:1"}
	finds := func(code int, words ...string) {
		t.Helper()
		got := c.run("doctor", "--store", as("rights_poor")).exits(code)
		for _, word := range words {
			if !strings.Contains(got.out, word) {
				t.Errorf("the doctor does not say %q: %s%s", word, got.out, got.stderr)
			}
		}
	}
	c.run("migrate", "up", "--store", as("rights_poor")).exits(5).says(`GRANT USAGE, CREATE ON SCHEMA "work" TO "rights_poor"`)
	c.run("migrate", "up", "--store", as("rights_owner")).exits(0)
	do("GRANT USAGE ON SCHEMA work TO rights_poor; GRANT SELECT ON ALL TABLES IN SCHEMA work TO rights_poor")
	finds(1, "no right to create tables", "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES", "GRANT USAGE ON SEQUENCE", `GRANT "rights_owner" TO "rights_poor"`)
	c.run("serve", "--listen", "127.0.0.1:0", "--store", as("rights_poor")).exits(5).says(`GRANT "rights_owner" TO "rights_poor"`)
	do("GRANT CREATE ON SCHEMA work TO rights_poor; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA work TO rights_poor; GRANT USAGE ON SEQUENCE work.outlast_seq TO rights_poor")
	finds(1, "not a member of rights_owner")
	do("GRANT rights_owner TO rights_poor")
	finds(1, "tables exist for tasks that end until", "ok      privileges") // the test server is without fsync
	for days := 1; days < 8; days++ {
		do("DROP TABLE IF EXISTS work.outlast_done_" + dayAfter(days)) // of the last of them there is none yet if a day has just begun
	}
	finds(1, "fail    days", " only ")
}

// nobodyAt is an address at which nobody listens, and at which nobody else begins to
// while the test runs: its port is taken.
func nobodyAt(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(socket)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
}

// TestStoresThatCannotBeOpened has a sentence and an exit code for each reason.
func TestStoresThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	postgres, mariadb := servertest.Postgres(t), servertest.MariaDBServer(t)
	u, err := url.Parse(postgres)
	if err != nil {
		t.Fatal(err)
	}
	nobody := nobodyAt(t)
	c := command{t: t, server: "http://127.0.0.1:1"}
	for _, test := range []struct {
		store string
		code  int
		says  []string
	}{
		{strings.ReplaceAll(postgres, u.Path, "/nosuchdb"), 4, []string{`CREATE DATABASE "nosuchdb"`}},
		{strings.ReplaceAll(postgres, u.User.Username()+"@", "nobody_here@"), 5, []string{"nobody_here", "check the user"}},
		{postgres + "&sslmod=require", 2, []string{"did you mean sslmode?"}},
		{postgres + "&pool_max_conns=0", 2, []string{"pool_max_conns", "1 or more"}},
		{postgres + "&no_such_setting=1", 2, []string{"no_such_setting"}},
		{"postgres://u@" + nobody + "/d", 7, []string{nobody, "check that it runs"}},
		{"postgres://u@" + mariadb.Addr() + "/d", 7, []string{"not PostgreSQL", "mysql://"}},
		{"mysql://u@" + u.Host + "/d", 7, []string{"no greeting of MySQL", "postgres://"}},
		{"mysql:outlast", 2, []string{"no // after mysql:"}},
		{"mysql://root@" + mariadb.Addr(), 2, []string{"names no database"}},
		{"mysql://root@" + mariadb.Addr() + "/nosuchdb", 4, []string{"CREATE DATABASE"}},
		{"mysql://root:wrong@" + mariadb.Addr() + "/test", 5, []string{"password"}},
	} {
		for _, command := range [][]string{{"migrate", "up"}, {"doctor"}, {"serve", "--listen", "127.0.0.1:0"}} {
			got := c.run(append(command, "--store", test.store)...)
			if got.code != test.code {
				t.Errorf("%v %s: exit code %d, want %d: %s", command, test.store, got.code, test.code, got.stderr)
			}
			for _, word := range test.says {
				if !strings.Contains(got.out+got.stderr, word) {
					t.Errorf("%v %s lacks %q: %s%s", command, test.store, word, got.out, got.stderr)
				}
			}
			if strings.Contains(got.stderr, `\n`) || strings.Contains(got.stderr, `\u0009`) || strings.Count(got.stderr, nobody) > 1 {
				t.Errorf("%v %s: %s", command, test.store, got.stderr)
			}
		}
	}
}
