package mysql_test

import (
	"errors"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/task"
)

func TestDSN(t *testing.T) {
	for address, want := range map[string]struct{ user, password, network, at, database string }{
		"mysql://me:secret@db:3307/tasks":                       {"me", "secret", "tcp", "db:3307", "tasks"},
		"mariadb://db/tasks":                                    {"", "", "tcp", "db:3306", "tasks"},
		"mysql://me:p%40s%2Fs%3Aw%3F@[2001:db8::1]/tasks":       {"me", "p@s/s:w?", "tcp", "[2001:db8::1]:3306", "tasks"},
		"mysql://me@localhost/a%20b%3F":                         {"me", "", "tcp", "localhost:3306", "a b?"},
		"mysql://me@/tasks?socket=/run/mysqld/mysqld.sock":      {"me", "", "unix", "/run/mysqld/mysqld.sock", "tasks"},
		"mysql://me:secret@db/tasks?tls=skip-verify&timeout=1s": {"me", "secret", "tcp", "db:3306", "tasks"},
	} {
		dsn, err := mysql.DSN(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		config, err := driver.ParseDSN(dsn)
		if err != nil {
			t.Errorf("%s became %s: %v", address, dsn, err)
			continue
		}
		if config.User != want.user || config.Passwd != want.password || config.Net != want.network || config.Addr != want.at || config.DBName != want.database {
			t.Errorf("%s became %+v", address, config)
		}
		if !config.ClientFoundRows || config.ParseTime || config.MultiStatements || config.Timeout == 0 {
			t.Errorf("%s became %+v", address, config)
		}
	}
}

func TestDSNRefusesWithoutTellingThePassword(t *testing.T) {
	for _, address := range []string{
		"", "postgres://me:secret@db/tasks", "mysql://me:secret@db", "mysql://me:secret@db/", "mysql://me:secret@db/a/b", "mysql://me:secret@/tasks",
		"mysql://me:secret@db:port/tasks", "mysql://me%3Ayou:secret@db/tasks", "mysql://me:secret@db/tasks?multiStatements=true",
		"mysql://me:secret@db/tasks?clientFoundRows=false", "mysql://me:secret@db/tasks?charset=gbk", "me:secret@tcp(db)/tasks",
	} {
		dsn, err := mysql.DSN(address)
		if !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
			t.Errorf("%s became %q, %v", address, dsn, err)
			continue
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error has the password: %v", address, err)
		}
	}
}

func FuzzDSN(f *testing.F) {
	f.Add("mysql://me:secret@db:3307/tasks?tls=true")
	f.Add("mariadb://m%2F:%40@[::1]/%2e")
	f.Fuzz(func(t *testing.T, address string) {
		dsn, err := mysql.DSN(address)
		if err != nil {
			return
		}
		config, err := driver.ParseDSN(dsn)
		if err == nil && (config.MultiStatements || config.DBName == "") {
			t.Errorf("%q became %q: %+v", address, dsn, config)
		}
	})
}
