//go:build servers

package servertest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Postgres starts a PostgreSQL server and returns a URL of its database postgres.
func Postgres(t testing.TB) string {
	t.Helper()
	dir, as := directory(t, "postgres")
	run(t, as, "initdb", "-D", dir, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
	port := freePort(t)
	start(t, as, port, syscall.SIGINT, "postgres", "-D", dir, "-p", port, "-k", dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "deadlock_timeout=50ms")
	return "postgres://postgres@127.0.0.1:" + port + "/postgres?sslmode=disable"
}

// MariaDB starts a MariaDB server and returns the address of its database test in
// the form of github.com/go-sql-driver/mysql.
func MariaDB(t testing.TB) string {
	t.Helper()
	dir, as := directory(t, "mysql")
	run(t, as, "mariadb-install-db", "--no-defaults", "--datadir="+dir, "--auth-root-authentication-method=normal")
	port := freePort(t)
	start(t, as, port, syscall.SIGTERM, "mariadbd", "--no-defaults", "--datadir="+dir, "--port="+port,
		"--bind-address=127.0.0.1", "--socket="+filepath.Join(dir, "socket"), "--innodb-flush-log-at-trx-commit=0")
	return "root@tcp(127.0.0.1:" + port + ")/test"
}

// directory makes a data directory. Servers refuse to run as root, so that root
// becomes the named user.
func directory(t testing.TB, name string) (string, *syscall.SysProcAttr) {
	t.Helper()
	dir, err := os.MkdirTemp("", "servertest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if os.Getuid() != 0 {
		return dir, nil
	}
	owner, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, gid := number(t, owner.Uid), number(t, owner.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return dir, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func number(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// freePort is a port that was free a moment ago.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// run runs a program to its end.
func run(t testing.TB, as *syscall.SysProcAttr, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr, cmd.Dir = as, os.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// start starts a server, waits until it listens, and stops it with the signal at
// the end of the test.
func start(t testing.TB, as *syscall.SysProcAttr, port string, stop syscall.Signal, program string, args ...string) {
	t.Helper()
	cmd, out := exec.Command(program, args...), &bytes.Buffer{}
	cmd.SysProcAttr, cmd.Dir, cmd.Stdout, cmd.Stderr = as, os.TempDir(), out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(stop)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", program, out)
		}
	})
	patient, err := retry.New(retry.Fixed(50*time.Millisecond), retry.NoJitter(), retry.Attempts(600))
	if err != nil {
		t.Fatal(err)
	}
	err = retry.Do(context.Background(), patient, func(context.Context) error {
		select {
		case err := <-ended:
			ended <- err
			return fmt.Errorf("%s ended: %w", program, err)
		default:
		}
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
