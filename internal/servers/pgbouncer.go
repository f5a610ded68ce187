//go:build unix

package servers

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// pgbouncer is PgBouncer in front of a PostgreSQL server. To clients it is one,
// whence the methods of postgres.
type pgbouncer struct {
	postgres
	target *url.URL
}

// PgBouncer starts a pooler in transaction mode before the PostgreSQL server of a
// URL, whose user and password it uses for everybody. [With] gives other settings,
// such as pool_mode=session.
func PgBouncer(ctx context.Context, target string, list ...Option) (*Server, error) {
	at, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	program, found := find("pgbouncer")
	if !found {
		return nil, &Missing{Server: "PgBouncer", Program: "pgbouncer", Debian: "pgbouncer", Brew: "pgbouncer"}
	}
	p, err := newPlace("pgbouncer", "TERM", "postgres")
	if err != nil {
		return nil, err
	}
	return launch(ctx, p, &pgbouncer{postgres{program}, at}, gather(list))
}

// configure writes the file of settings, with the port, before each start.
func (k *pgbouncer) configure(p *place, o options) error {
	var text strings.Builder
	fmt.Fprintf(&text, "[databases]\n* = host=%s port=%s user=%s", k.target.Hostname(),
		cmp.Or(k.target.Port(), "5432"), cmp.Or(k.target.User.Username(), "postgres"))
	if password, _ := k.target.User.Password(); password != "" { // an empty one is an error
		fmt.Fprintf(&text, " password='%s'", strings.ReplaceAll(password, "'", "''"))
	}
	text.WriteString("\n[pgbouncer]\n")
	settings := []string{
		"listen_addr=127.0.0.1", "listen_port=" + strconv.Itoa(p.port), "unix_socket_dir=", "auth_type=any",
		"pool_mode=transaction", "max_client_conn=500",
	}
	each(append(settings, o.settings...), func(name, value string) { fmt.Fprintf(&text, "%s = %s\n", name, value) })
	return p.write(k.file(p), text.String())
}

func (k *pgbouncer) file(p *place) string { return filepath.Join(p.dir, "pgbouncer.ini") }

func (k *pgbouncer) command(p *place, _ options) (string, []string) {
	return k.program, []string{k.file(p)}
}

func (k *pgbouncer) signal(how How) syscall.Signal {
	if how == Graceful {
		return syscall.SIGTERM
	}
	return syscall.SIGKILL
}
