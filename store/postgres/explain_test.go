package postgres_test

import (
	"bufio"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// somethingElse listens and greets as MySQL and MariaDB do.
func somethingElse(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("J\x00\x00\x00\x0a10.11.6-MariaDB\x00" + strings.Repeat("\x01", 80)))
			_, _ = bufio.NewReader(conn).ReadByte()
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return listener.Addr().String()
}

// Who opens a database is told in one line what is wrong, each address once.
func TestOpeningTellsWhatIsWrong(t *testing.T) {
	address := database(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	const closed = "127.0.0.1:9" // a port that was free a moment ago may be somebody's by now
	change := func(change func(u *url.URL)) string {
		changed := *u
		change(&changed)
		return changed.String()
	}
	with := func(param string) string { return address + "&" + param }
	for name, test := range map[string]struct {
		url  string
		code task.Code
		says []string
	}{
		"no database":   {change(func(u *url.URL) { u.Path = "/nosuchdb" }), task.CodeNotFound, []string{`database "nosuchdb" does not exist`, `CREATE DATABASE "nosuchdb"`}},
		"no user":       {change(func(u *url.URL) { u.User = url.User("nobody_here") }), task.CodeDenied, []string{"nobody_here", "check the user"}},
		"a misspelling": {with("sslmod=require"), task.CodeInvalid, []string{"sslmod", "check its name"}},
		"nobody there":  {"postgres://u@" + closed + "/d", task.CodeUnavailable, []string{closed, "refused", "check that it runs"}},
		"no TLS":        {strings.ReplaceAll(address, "sslmode=disable", "sslmode=require"), task.CodeUnavailable, []string{"refused TLS", "sslmode=disable"}},
		"MariaDB there": {"postgres://u@" + somethingElse(t) + "/d?sslmode=disable", task.CodeUnavailable, []string{"not PostgreSQL", "mysql://"}},
	} {
		_, err := postgres.OpenURL(t.Context(), test.url)
		if !errors.Is(err, &task.Error{Code: test.code}) {
			t.Errorf("%s: got %v, want %s", name, err, test.code)
			continue
		}
		for _, word := range test.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v lacks %q", name, err, word)
			}
		}
		if text := err.Error(); strings.ContainsAny(text, "\n\t") || strings.Contains(text, "%!") || strings.Count(text, closed) > 1 {
			t.Errorf("%s: %q", name, text)
		}
	}
}
