package push

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/internal/safehttp"
)

// partly is what package safehttp makes where some addresses of a host are refused.
type partly struct{ err error }

func (p partly) Error() string { return "no allowed address of the host answered; " + p.err.Error() }
func (p partly) Inside() error { return p.err }

// What a failed call says to whoever enqueued it has no address of the network behind the
// node, and none of who resolves its names.
func TestFailuresTellNothingOfTheNetwork(t *testing.T) {
	private, here := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 443}, &net.TCPAddr{IP: net.IPv4(10, 9, 9, 9), Port: 40000}
	refused := &safehttp.RefusedError{Addr: netip.MustParseAddr("10.1.2.3"), Kind: "private"}
	to, _ := url.Parse("https://wiki.corp.example/secret")
	for says, err := range map[string]error{
		"no such host":                            &net.DNSError{Err: "no such host", Name: "wiki.corp.example", Server: "10.255.255.53:53", IsNotFound: true},
		"resolving the name took too long":        &net.DNSError{Err: "read udp 10.9.9.9:1->10.255.255.53:53: i/o timeout", Name: "wiki.corp.example", Server: "10.255.255.53:53", IsTimeout: true},
		"it cannot be resolved":                   &net.DNSError{Err: "server misbehaving", Name: "wiki.corp.example", Server: "10.255.255.53:53"},
		"refused by the address rules":            &net.OpError{Op: "dial", Net: "tcp", Addr: private, Err: refused},
		"no allowed address of the host answered": partly{errors.Join(refused, &safehttp.RefusedError{Addr: netip.MustParseAddr("10.1.2.4"), Kind: "private"}, &net.OpError{Op: "dial", Net: "tcp", Addr: private, Err: syscall.ECONNREFUSED})},
		"connection refused":                      &net.OpError{Op: "dial", Net: "tcp", Addr: private, Err: syscall.ECONNREFUSED},
		"connection reset by peer":                &net.OpError{Op: "read", Net: "tcp", Source: here, Addr: private, Err: syscall.ECONNRESET},
	} {
		text := outward(&url.Error{Op: "Post", URL: to.String(), Err: err}, to)
		if !strings.Contains(text, says) || strings.Contains(text, "10.") {
			t.Errorf("%v is told as %q, want %q", err, text, says)
		}
	}
	literal, _ := url.Parse("http://10.1.2.3/")
	if text := outward(refused, literal); !strings.Contains(text, "10.1.2.3") {
		t.Errorf("an address that the caller has named: %q", text)
	}
}
