package classify

import (
	"fmt"
	"reflect"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// TestErrno is the errno table, each as a system call returns it.
func TestErrno(t *testing.T) {
	numbers := map[string]syscall.Errno{}
	var table []string
	for _, row := range errnos {
		numbers[row.name] = row.errno
		table = append(table, row.name)
	}
	checkRows(t, map[sortOf][]string{
		{Unsent, NotSent}: {"ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN", "EHOSTDOWN", "ENOENT", "EINTR",
			"WSAECONNREFUSED", "WSAENETUNREACH", "WSAEHOSTUNREACH", "WSAENETDOWN", "WSAEHOSTDOWN", "WSAEINTR"},
		{Timeout, Maybe}: {"ETIMEDOUT", "WSAETIMEDOUT"},
		{Network, Maybe}: {"ECONNRESET", "ECONNABORTED", "EPIPE", "ENETRESET", "ENOTCONN",
			"WSAECONNRESET", "WSAECONNABORTED", "WSAENETRESET", "WSAENOTCONN", "WSAESHUTDOWN"},
		{Conflict, NotSent}: {"EAGAIN", "EWOULDBLOCK", "EBUSY", "ETXTBSY", "EDEADLK", "ESTALE", "WSAEWOULDBLOCK"},
		{Local, NotSent}: {"EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL", "EADDRINUSE",
			"WSAEMFILE", "WSAENOBUFS", "WSAEADDRNOTAVAIL", "WSAEADDRINUSE"},
		{Local, Maybe}:     {"ENOSPC", "EDQUOT"},
		{Permanent, Maybe}: {"EROFS", "EIO"},
		{Permanent, NotSent}: {"EACCES", "EPERM", "EINVAL", "EAFNOSUPPORT", "EPROTONOSUPPORT", "EMSGSIZE", "ENOTSUP", "EOPNOTSUPP",
			"WSAEACCES", "WSAEINVAL", "WSAEAFNOSUPPORT", "WSAEPROTONOSUPPORT", "WSAEMSGSIZE", "WSAEOPNOTSUPP"},
	}, table, func(name string) Verdict {
		v := of(fmt.Errorf("x: %w", call(numbers[name])))
		if v.Type != "syscall.Errno" || numbers[v.Code] != numbers[name] {
			t.Errorf("%s: %+v", name, v)
		}
		return v
	})
	// A number without a row may still be one of the well-known values.
	if v := of(syscall.ENOTEMPTY); v.Category != Permanent {
		t.Errorf("ENOTEMPTY: %+v", v)
	}
	if v := of(syscall.Errno(9999)); v.Category != Unknown {
		t.Errorf("9999: %+v", v)
	}
}

// TestSQLite is the table of result codes.
func TestSQLite(t *testing.T) {
	numbers := map[string]uint16{}
	var table []string
	for _, row := range sqliteErrors {
		numbers[row.code] = row.number
		table = append(table, row.code)
	}
	checkRows(t, map[sortOf][]string{
		{Conflict, NotSent}: {"SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL", "SQLITE_SCHEMA"},
		{Conflict, Done}:    {"SQLITE_BUSY_SNAPSHOT", "SQLITE_ABORT"},
		{Timeout, Done}:     {"SQLITE_INTERRUPT"},
		{Local, Maybe}:      {"SQLITE_NOMEM", "SQLITE_FULL"},
		{Permanent, Maybe}:  {"SQLITE_IOERR", "SQLITE_CORRUPT"},
		{Bug, Maybe}:        {"SQLITE_INTERNAL"},
		{Bug, NotSent}:      {"SQLITE_MISUSE"},
		{Permanent, NotSent}: {"SQLITE_NOTADB", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_READONLY", "SQLITE_AUTH",
			"SQLITE_RANGE"},
		{Permanent, Done}: {"SQLITE_ERROR", "SQLITE_TOOBIG", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH"},
	}, table, func(code string) Verdict {
		return of(fmt.Errorf("insert: %w", sqlite3.ExtendedErrorCode(numbers[code])))
	})
	// An extended code without a row is that of its primary code.
	if v := of(sqlite3.CONSTRAINT_UNIQUE); v.Category != Permanent || v.Code != "SQLITE_CONSTRAINT" {
		t.Errorf("%+v", v)
	}
	if v := of(sqlite3.BUSY); v.Category != Conflict {
		t.Errorf("%+v", v)
	}
	// Both shapes of an error struct; the name of the package is what makes it one.
	type Error struct {
		error
		Code, ExtendedCode int
	}
	for _, err := range []error{sqliteMethods{517}, &sqliteMethods{517}, Error{nil, 5, 517}, &Error{nil, 5, 517}} {
		made := &errorType{name: "sqlite3.Error"}
		if made.findNumber(reflect.TypeFor[Error]()); !made.has(isSQLite) {
			t.Fatal("not recognized")
		}
		if _, byMethod := err.(interface{ Code() int }); byMethod {
			made.number = nil
		}
		if v, ok := bySQLiteError(err, made); !ok || v.Code != "SQLITE_BUSY_SNAPSHOT" {
			t.Errorf("%T: %+v", err, v)
		}
	}
}

type sqliteMethods struct{ code int }

func (e sqliteMethods) Error() string { return "" }
func (e sqliteMethods) Code() int     { return e.code }
