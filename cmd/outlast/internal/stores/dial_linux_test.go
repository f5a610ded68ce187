package stores

import (
	"context"
	"database/sql/driver"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Connections to databases break by themselves when nothing is received any more.
func TestDatabaseConnectionsNoticeSilence(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	postgres, err := ParsePostgres("postgres://u@127.0.0.1:1/d")
	if err != nil {
		t.Fatal(err)
	}
	mysql, err := ParseMySQL("mysql://u@127.0.0.1:1/d")
	if err != nil {
		t.Fatal(err)
	}
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"PostgreSQL": postgres.Pool.ConnConfig.DialFunc, "MySQL": mysql.config.DialFunc,
	} {
		conn, err := dial(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		got := map[int]int{}
		err = raw.Control(func(fd uintptr) {
			for _, option := range []int{tcpUserTimeout, syscall.TCP_KEEPIDLE, syscall.TCP_KEEPINTVL, syscall.TCP_KEEPCNT} {
				got[option], _ = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option)
			}
		})
		if err != nil || got[tcpUserTimeout] != 5000 || got[syscall.TCP_KEEPIDLE] != 5 || got[syscall.TCP_KEEPINTVL] != 1 || got[syscall.TCP_KEEPCNT] != 3 {
			t.Errorf("%s: options %v, %v", name, got, err)
		}
		conn.Close()
	}
}

// mute is a server that accepts and says nothing.
type mute struct{}

func (mute) Driver() driver.Driver { return nil }

func (mute) Connect(ctx context.Context) (driver.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestGreetingIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, err := (greeted{mute{}}).Connect(t.Context()); err == nil || time.Since(began) != connectedAfter {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}
