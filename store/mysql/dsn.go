package mysql

import (
	"net"
	"net/url"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// dsnParameters are what github.com/go-sql-driver/mysql should do on the
// connections of a store: count rows found, and not hang.
var dsnParameters = map[string]string{
	"clientFoundRows": "true",
	"charset":         "utf8mb4",
	"parseTime":       "false",
	"multiStatements": "false",
	"timeout":         "5s",
}

// DSN turns an address of the form mysql://user:password@host:3306/database,
// or mariadb://…, into the one that github.com/go-sql-driver/mysql takes. The
// port is 3306 unless given; a host that begins with a slash, in the query as
// socket=/run/mysqld/mysqld.sock, is a socket. Other values of the query, such
// as tls=true, are handed on to the driver; those on which the store depends
// cannot be changed.
func DSN(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mysql" && u.Scheme != "mariadb" {
		return "", task.Invalid("store", "the store URL is not one of MySQL or MariaDB", hintDSN) // without the address: it may have a password
	}
	if u.Opaque != "" {
		return "", task.Invalid("store", "the store URL has no // after "+u.Scheme+":", hintDSN)
	}
	database := strings.Trim(u.Path, "/")
	if database == "" || strings.Contains(database, "/") {
		return "", task.Invalid("store", "the store URL names no database", hintDSN)
	}
	query := u.Query()
	network, at := "tcp", u.Host
	switch socket := query.Get("socket"); {
	case socket != "":
		network, at = "unix", socket
		query.Del("socket")
	case u.Hostname() == "":
		return "", task.Invalid("store", "the store URL names no host", hintDSN)
	case u.Port() == "":
		at = net.JoinHostPort(u.Hostname(), "3306")
	}
	for name, value := range dsnParameters {
		if given := query.Get(name); given != "" && given != value && name != "timeout" {
			return "", task.Invalid("store", name+" cannot be "+task.Quote(given), "leave it out")
		}
		if !query.Has(name) {
			query.Set(name, value)
		}
	}
	password, _ := u.User.Password()
	user := u.User.Username()
	if strings.Contains(user, ":") {
		return "", task.Invalid("store", "the user's name contains a colon", "")
	}
	if password != "" {
		user += ":" + password
	}
	if user != "" {
		user += "@"
	}
	return user + network + "(" + at + ")/" + url.PathEscape(database) + "?" + query.Encode(), nil
}

const hintDSN = "write it as mysql://user:password@host:3306/database"
