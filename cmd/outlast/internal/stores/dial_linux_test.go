package stores_test

import (
	"context"
	"net"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/mysql"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/postgres"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of tcp(7).
const tcpUserTimeout = 18

// Connections to databases break by themselves when nothing is received any more.
func TestDatabaseConnectionsNoticeSilence(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	pg, err := postgres.Parse("postgres://u@127.0.0.1:1/d")
	if err != nil {
		t.Fatal(err)
	}
	my, err := mysql.Parse("mysql://u@127.0.0.1:1/d")
	if err != nil {
		t.Fatal(err)
	}
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"PostgreSQL": pg.Pool.ConnConfig.DialFunc, "MySQL": my.Config.DialFunc,
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
