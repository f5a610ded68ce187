//go:build unix

package servers

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv("OUTLAST_SERVERS_HOLD"); kind != "" {
		hold(kind)
	}
	goleak.VerifyTestMain(m)
}

var starters = map[string]func(context.Context, ...Option) (*Server, error){"postgres": Postgres, "mariadb": MariaDB}

// hold plays a program that starts a server and is killed.
func hold(kind string) {
	s, err := starters[kind](context.Background())
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(s.Addr() + " " + s.dir + "\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func started(t *testing.T, kind string, options ...Option) *Server {
	t.Helper()
	began := time.Now()
	s, err := starters[kind](t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s started in %s", kind, time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func serves(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

func TestLife(t *testing.T) {
	for kind := range starters {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := started(t, kind)
			address, pid := s.Addr(), s.Pid()
			if err := s.Start(t.Context()); err != nil || s.Pid() != pid {
				t.Errorf("a second start: %v, pid %d instead of %d", err, s.Pid(), pid)
			}
			for _, how := range []How{Graceful, Immediate} {
				began := time.Now()
				s.Stop(how)
				if s.Pid() != 0 || serves(address) {
					t.Errorf("it serves after a stop")
				}
				if err := s.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				if s.Addr() != address || s.Pid() == pid || !serves(address) {
					t.Errorf("after a restart it is at %s with pid %d, before at %s with %d", s.Addr(), s.Pid(), address, pid)
				}
				t.Logf("restart %d took %s", how, time.Since(began).Round(time.Millisecond))
			}
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) || serves(address) {
				t.Errorf("something is left after the close: %v", err)
			}
			if err := s.Start(t.Context()); err == nil {
				t.Error("it starts after the close")
			}
		})
	}
}

// A server that does not start says why, and leaves nothing behind.
func TestBadSetting(t *testing.T) {
	if _, err := Postgres(t.Context(), With("shared_buffers=plenty")); err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("got %v", err)
	}
	if _, err := MariaDB(t.Context(), With("no-such-option=1")); err == nil || !strings.Contains(err.Error(), "no-such-option") {
		t.Errorf("got %v", err)
	}
}

// A program that is killed takes its servers with it.
func TestKilled(t *testing.T) {
	for kind := range starters {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "OUTLAST_SERVERS_HOLD="+kind)
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			address, dir, found := strings.Cut(strings.TrimSpace(line), " ")
			if err != nil || !found || !serves(address) {
				t.Fatalf("it says %q, %v", line, err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			for until := time.Now().Add(20 * time.Second); ; {
				_, err := os.Stat(dir)
				if errors.Is(err, os.ErrNotExist) && !serves(address) {
					return
				}
				if time.Now().After(until) {
					t.Fatalf("20 s after the kill there is still %s (%v) or a server at %s", dir, err, address)
				}
				time.Sleep(20 * time.Millisecond) // sleep: what is waited for happens in other processes
			}
		})
	}
}

// The programs of a folder are all from there, and others do not stand in for them.
func TestProgramsOfAFolder(t *testing.T) {
	program, found := find("initdb")
	if !found {
		t.Fatal("there is no initdb")
	}
	s := started(t, "postgres", Programs(filepath.Dir(program)))
	if path, _ := s.kind.command(s.place, s.options); filepath.Dir(path) != filepath.Dir(program) {
		t.Errorf("the server is %s", path)
	}
	folder := t.TempDir()
	if s, err := Postgres(t.Context(), Programs(folder)); err == nil || !strings.Contains(err.Error(), "no program initdb in "+folder) {
		t.Errorf("%v, %v", s, err)
	}
}

func pooled(ctx context.Context, options ...Option) (*Server, error) {
	return PgBouncer(ctx, "postgres://postgres@127.0.0.1:1/", options...)
}

// A pooler serves while its server does, and leaves nothing behind.
func TestPgBouncer(t *testing.T) {
	behind := started(t, "postgres")
	s, err := PgBouncer(t.Context(), behind.URL("postgres"), With("default_pool_size=3"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context(), Immediate); err != nil || !serves(s.Addr()) {
		t.Errorf("after a restart: %v", err)
	}
	if err := s.Close(); err != nil || serves(s.Addr()) {
		t.Errorf("after the close: %v", err)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is left after the close: %v", err)
	}
}

func TestMissing(t *testing.T) {
	was := folders
	t.Cleanup(func() { folders = was })
	folders = nil
	t.Setenv("PATH", t.TempDir())
	for what, start := range map[string]func(context.Context, ...Option) (*Server, error){"postgresql": Postgres, "mariadb-server": MariaDB, "redis-server": Redis, "pgbouncer": pooled} {
		_, err := start(t.Context())
		var missing *Missing
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), "apt-get install "+what) || !strings.Contains(err.Error(), "brew install") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
