//go:build unix

package servers

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// postgres is PostgreSQL. Its settings are in a file of their own, which
// [Server.Set] changes.
type postgres struct{ program string }

const settingsFile = "outlast.conf"

// Postgres starts PostgreSQL. The superuser postgres needs no password.
func Postgres(ctx context.Context, list ...Option) (*Server, error) {
	o := gather(list)
	initdb, err := o.postgresProgram("initdb")
	if err != nil {
		return nil, err
	}
	p, k, err := o.newPostgres()
	if err != nil {
		return nil, err
	}
	err = p.run(ctx, initdb, "-D", p.data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync")
	if err == nil {
		err = includeSettings(p, o)
	}
	if err != nil {
		return nil, errors.Join(err, p.leave())
	}
	return launch(ctx, p, k, o)
}

func (o options) newPostgres() (*place, *postgres, error) {
	program, err := o.postgresProgram("postgres")
	if err != nil {
		return nil, nil, err
	}
	p, err := newPlace("postgres", "QUIT", "postgres")
	return p, &postgres{program}, err
}

func (o options) postgresProgram(name string) (string, error) {
	if o.programs != "" {
		path := filepath.Join(o.programs, name)
		if !executable(path) {
			return "", fmt.Errorf("servers: there is no program %s in %s", name, o.programs)
		}
		return path, nil
	}
	path, found := find(name)
	if !found {
		return "", &Missing{Server: "PostgreSQL", Program: name, Debian: "postgresql", Brew: "postgresql@17"}
	}
	return path, nil
}

// includeSettings adds the file of our settings to the server's own.
func includeSettings(p *place, o options) error {
	file, err := os.OpenFile(filepath.Join(p.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "\ninclude = '%s'\n", settingsFile)
	return errors.Join(err, file.Close(), writeSettings(p, o))
}

func writeSettings(p *place, o options) error {
	settings := []string{"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "deadlock_timeout=50ms"}
	if !o.durable {
		settings = append(settings, "fsync=off", "full_page_writes=off")
	}
	var text strings.Builder
	each(append(settings, o.settings...), func(name, value string) {
		fmt.Fprintf(&text, "%s = '%s'\n", name, strings.ReplaceAll(value, "'", "''"))
	})
	return p.write(filepath.Join(p.data, settingsFile), text.String())
}

func (k *postgres) command(p *place, _ options) (string, []string) {
	return k.program, []string{"-D", p.data, "-p", strconv.Itoa(p.port)}
}

func (k *postgres) signal(how How) syscall.Signal {
	if how == Graceful {
		return syscall.SIGINT
	}
	return syscall.SIGQUIT
}

func (k *postgres) url(address, database string) string {
	return "postgres://postgres@" + address + "/" + database + "?sslmode=disable"
}

// ready opens a session: the answer begins with R (authentication) if the server
// serves, and with E (error) while it starts or recovers.
// See "Message Formats" in the manual of PostgreSQL: a StartupMessage is its length,
// the number of the protocol, and pairs of strings that end with a NUL.
func (k *postgres) ready(conn net.Conn) error {
	body := binary.BigEndian.AppendUint32(nil, 3<<16)
	body = append(body, "user\x00postgres\x00database\x00postgres\x00\x00"...)
	message := append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
	if _, err := conn.Write(message); err != nil {
		return err
	}
	first, err := bufio.NewReader(conn).ReadByte()
	if err == nil && first != 'R' {
		err = fmt.Errorf("it answers %q", first)
	}
	return err
}

// Set changes settings of a running PostgreSQL server and lets it read them again.
// It takes effect within a moment; those that need a restart take effect then.
func (s *Server) Set(settings ...string) error {
	if _, is := s.kind.(*postgres); !is {
		return errors.New("servers: only settings of PostgreSQL can be changed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.settings = append(s.options.settings, settings...)
	if err := writeSettings(s.place, s.options); err != nil || s.cmd == nil {
		return err
	}
	return s.cmd.Process.Signal(syscall.SIGHUP)
}
