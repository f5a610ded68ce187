package main

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// mariadbServer is a server of MariaDB or MySQL on which places are databases of
// their own. The user of its URL must be allowed to make them.
type mariadbServer struct {
	url   *url.URL
	root  int // the process, 0 when it is not on this host
	admin *sql.DB
	about settings
}

// mariadbConnections is how many a node may have.
const mariadbConnections = 16

// openMariaDB reads mysql://user:password@host:port/database.
func openMariaDB(at *url.URL) (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", at.Host, strings.TrimPrefix(at.Path, "/")
	if at.Port() == "" {
		config.Addr = net.JoinHostPort(at.Hostname(), "3306")
	}
	config.User = at.User.Username()
	config.Passwd, _ = at.User.Password()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(mariadbConnections)
	return db, nil
}

func connectMariaDB(ctx context.Context, text string) (*mariadbServer, error) {
	at, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	admin, err := openMariaDB(at)
	if err != nil {
		return nil, err
	}
	server := &mariadbServer{url: at, admin: admin, about: settings{}}
	var process string
	for _, name := range []string{"version", "innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "innodb_buffer_pool_size", "pid_file"} {
		var value string
		if err := admin.QueryRowContext(ctx, "SELECT @@"+name).Scan(&value); err != nil {
			return nil, errors.Join(err, admin.Close())
		}
		server.about[name], process = value, value
	}
	delete(server.about, "pid_file")
	if number, err := os.ReadFile(process); err == nil { // elsewhere there is none
		id, _ := strconv.Atoi(strings.TrimSpace(string(number)))
		server.root = procNamed(id, "mariadbd").id
	}
	return server, nil
}

// place makes a database.
func (m *mariadbServer) place(ctx context.Context) (place, error) {
	name := placeName()
	if _, err := m.admin.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return place{}, err
	}
	at := *m.url
	at.Path = "/" + name
	return place{url: at.String(), meter: &mariadbMeter{m, name}, drop: func(ctx context.Context) error {
		_, err := m.admin.ExecContext(ctx, "DROP DATABASE "+name)
		return err
	}}, nil
}

func (m *mariadbServer) close(context.Context) error { return m.admin.Close() }

// mariadbMeter reads the counters of the server, so they are true only while nothing
// else uses it.
type mariadbMeter struct {
	server *mariadbServer
	name   string
}

func (m *mariadbMeter) read(ctx context.Context) (u use, err error) {
	u.cpu = treeTime(m.server.root)
	for name, value := range map[string]*int64{"Innodb_lsn_current": &u.log, "Com_commit": &u.commits} {
		if err = m.status(ctx, name, value); err != nil {
			return u, err
		}
	}
	return u, nil
}

func (m *mariadbMeter) status(ctx context.Context, name string, value *int64) error {
	return m.server.admin.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&name, value)
}

// left counts the transactions whose old row versions are not yet purged, for dead
// rows.
func (m *mariadbMeter) left(ctx context.Context) (l leftovers, err error) {
	err = m.server.admin.QueryRowContext(ctx, `
		SELECT COALESCE(SUM(IF(name LIKE CONCAT(?, '/%'), file_size, 0)), 0), COALESCE(SUM(IF(name LIKE 'innodb_system' OR name LIKE 'innodb_undo%', file_size, 0)), 0)
		FROM information_schema.innodb_sys_tablespaces`, m.name).Scan(&l.bytes, &l.undo)
	if err != nil {
		return l, err
	}
	return l, m.status(ctx, "Innodb_history_list_length", &l.dead)
}

func (m *mariadbMeter) settle(context.Context) error { return nil }
