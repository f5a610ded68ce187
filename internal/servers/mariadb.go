//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"syscall"
)

// mariadb is MariaDB.
type mariadb struct{ program string }

// MariaDB starts MariaDB. The user root needs no password.
func MariaDB(ctx context.Context, list ...Option) (*Server, error) {
	program, err := mariadbProgram("mariadbd")
	if err != nil {
		return nil, err
	}
	install, err := mariadbProgram("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	p, err := newPlace("mariadb", "KILL", "mysql")
	if err != nil {
		return nil, err
	}
	err = p.run(ctx, install, "--no-defaults", "--datadir="+p.data, "--auth-root-authentication-method=normal",
		"--skip-test-db", "--innodb-flush-method=nosync", "--tmpdir="+p.dir)
	if err != nil {
		return nil, errors.Join(err, p.leave())
	}
	return launch(ctx, p, &mariadb{program}, gather(list))
}

func mariadbProgram(name string) (string, error) {
	path, found := find(name)
	if !found {
		return "", &Missing{Server: "MariaDB", Program: name, Debian: "mariadb-server", Brew: "mariadb"}
	}
	return path, nil
}

func (k *mariadb) command(p *place, o options) (string, []string) {
	args := []string{"--no-defaults", "--datadir=" + p.data, "--port=" + strconv.Itoa(p.port), "--bind-address=127.0.0.1",
		"--socket=" + filepath.Join(p.dir, "socket"), "--pid-file=" + filepath.Join(p.dir, "pid"), "--tmpdir=" + p.dir, "--skip-name-resolve", "--max-connections=500"}
	if !o.durable {
		args = append(args, "--innodb-flush-log-at-trx-commit=2", "--innodb-flush-method=nosync", "--innodb-doublewrite=0")
	}
	each(o.settings, func(name, value string) { args = append(args, "--"+name+"="+value) })
	return k.program, args
}

func (k *mariadb) signal(how How) syscall.Signal {
	if how == Graceful {
		return syscall.SIGTERM
	}
	return syscall.SIGKILL
}

func (k *mariadb) url(address, database string) string {
	return "mysql://root@" + address + "/" + database
}

// ready reads the greeting: three bytes of length, a number, and the version of the
// protocol, which is 10; 255 begins an error. The connection is then given up, for
// which a server that skips name resolution shuts nobody out.
func (k *mariadb) ready(conn net.Conn) error {
	var greeting [5]byte
	if _, err := io.ReadFull(conn, greeting[:]); err != nil {
		return err
	}
	if greeting[4] != 10 {
		return fmt.Errorf("it greets with %v", greeting)
	}
	return nil
}

// DSN is the address of a database in the form of github.com/go-sql-driver/mysql;
// for other servers it is [Server.URL].
func (s *Server) DSN(database string) string {
	if _, is := s.kind.(*mariadb); is {
		return "root@tcp(" + s.address() + ")/" + database
	}
	return s.URL(database)
}
