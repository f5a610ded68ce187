//go:build unix

package servertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/internal/servers"
)

// Main runs the tests, stops the servers and ends the process.
func Main(m *testing.M) { os.Exit(Wrap(m).Run()) }

// Runner runs tests and stops the servers that they started.
type Runner struct{ m interface{ Run() int } }

// Wrap is for a TestMain that has to do more than [Main]:
//
//	goleak.VerifyTestMain(servertest.Wrap(m))
func Wrap(m interface{ Run() int }) *Runner {
	wrapped = true
	return &Runner{m}
}

// wrapped says that somebody will stop the servers.
var wrapped bool

// Run runs the tests and stops the servers.
func (r *Runner) Run() int {
	code := r.m.Run()
	if err := errors.Join(dropKept(), postgres.close(), mariadb.close()); err != nil {
		fmt.Fprintln(os.Stderr, "servertest:", err)
		return max(code, 1)
	}
	return code
}

// shared is one server for all tests of the binary.
type shared struct {
	start func(context.Context, ...servers.Option) (*servers.Server, error)
	env   string // names a server to use instead

	mu     sync.Mutex
	server *servers.Server
	err    error
}

var (
	postgres = shared{start: servers.Postgres, env: "OUTLAST_TEST_POSTGRES"}
	mariadb  = shared{start: servers.MariaDB, env: "OUTLAST_TEST_MARIADB"}
)

// address returns how a database of the server is reached. A start that failed is
// not tried again: the next test would wait for the same error.
func (s *shared) address(t testing.TB, database string) string {
	t.Helper()
	if given := os.Getenv(s.env); given != "" {
		return inServer(given, database)
	}
	if !wrapped {
		t.Fatal("servertest: add func TestMain(m *testing.M) { servertest.Main(m) } to the package: nobody would stop the server")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil && s.err == nil {
		s.server, s.err = s.start(context.WithoutCancel(t.Context()))
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.server.DSN(database)
}

func (s *shared) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}

// inServer replaces the database in an address.
func inServer(address, database string) string {
	address, query, hasQuery := strings.Cut(address, "?")
	address = address[:strings.LastIndex(address, "/")+1] + database
	if hasQuery {
		address += "?" + query
	}
	return address
}

// newName is a name for a database that no other test has.
func newName() string { return "outlast_test_" + strings.ToLower(rand.Text()[:16]) }

// own starts a server for one test.
func own(t testing.TB, start func(context.Context, ...servers.Option) (*servers.Server, error), options []servers.Option) *servers.Server {
	t.Helper()
	s, err := start(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last words of the server:\n%s", s.Log(3000))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
