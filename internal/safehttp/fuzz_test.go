package safehttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

var errReached = errors.New("would be dialed")

// offline resolves nothing but what the hosts file and the text itself give.
var offline = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("offline")
}}

// reached returns the addresses that the guarded dialer would connect to for a
// host; nothing is ever connected.
func reached(t *testing.T, host string) (addrs []netip.Addr) {
	t.Helper()
	guard := newGuard(nil)
	dialer := net.Dialer{Resolver: offline, ControlContext: func(ctx context.Context, network, address string, c syscall.RawConn) error {
		if err := guard.control(ctx, network, address, c); err != nil {
			return err
		}
		addrs = append(addrs, netip.MustParseAddrPort(address).Addr())
		return errReached
	}}
	conn, err := dialer.DialContext(t.Context(), "tcp4", net.JoinHostPort(host, "80"))
	if err == nil {
		conn.Close()
		t.Fatalf("%q connected", host)
	}
	return addrs
}

// openly says by other means than the tables whether an address is public.
func openly(addr netip.Addr) bool {
	addr = addr.Unmap()
	return addr.IsGlobalUnicast() && !addr.IsPrivate() && !netip.MustParsePrefix("100.64.0.0/10").Contains(addr)
}

// FuzzCheckURL: what is accepted has one reading only, and never dials a refused
// address.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/a?b=c", "http://127.0.0.1", "http://2130706433", "http://0x7f.1", "http://[::ffff:127.0.0.1]:80/",
		"http://localhost", "http://localhost.", "http://user@x", "http://a#@b", "http://[fe80::1%25eth0]/", "http://8.8.8.8:8080",
		"http://010.1", "http:\\\\x", "http://a.b:00080", "http://%31", "http://a\x00b", "http://0x", "http://1.2.3.4.5", "http://[::1]:x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := CheckURL(raw)
		if err != nil {
			var bad *InvalidError
			if !errors.As(err, &bad) || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("%q: %q", raw, err)
			}
			return
		}
		again, err := CheckURL(u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q is not stable: %q, %v", raw, u, err)
		}
		host := u.Hostname()
		if addr, err := netip.ParseAddr(host); err == nil {
			if addr.String() != host {
				t.Fatalf("%q: host %q is not canonical", raw, host)
			}
		} else if last := host[strings.LastIndexByte(host, '.')+1:]; last[0] >= '0' && last[0] <= '9' && endsInNumber(host) {
			t.Fatalf("%q: host %q may be read as an address", raw, host)
		}
		if u.User != nil || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q gave %#v", raw, u)
		}
		if plain, err := url.Parse(u.String()); err != nil || plain.Host != u.Host {
			t.Fatalf("%q: another parser sees another host", raw)
		}
		for _, addr := range reached(t, host) {
			if !openly(addr) {
				t.Fatalf("%q dials %s", raw, addr)
			}
		}
	})
}

// FuzzHeader: a header that is accepted arrives as one header, alone.
func FuzzHeader(f *testing.F) {
	for _, seed := range [][2]string{{"X-A", "b"}, {"X-A\r\nHost", "b"}, {"Host", "x"}, {"X", "a\r\nY: z"}, {"outlast_claim", "1"}, {"é", "ü"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		if CheckHeader(name, value) != nil {
			return
		}
		var wire strings.Builder
		if err := (http.Header{name: {value}}).Write(&wire); err != nil {
			t.Fatal(err)
		}
		if strings.Count(wire.String(), "\n") != 1 || !strings.HasPrefix(wire.String(), name+": ") {
			t.Fatalf("%q: %q was written as %q", name, value, wire.String())
		}
		canonical := http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
		for _, prefix := range []string{"Outlast-", "Webhook-", "Proxy-"} {
			if strings.HasPrefix(canonical, prefix) {
				t.Fatalf("%q was accepted", name)
			}
		}
	})
}

// FuzzGuard: the tables refuse at least what the standard library knows to be
// special.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "::1", "fd00::1", "100.64.0.1", "::ffff:10.0.0.1", "2002:7f00:1::"} {
		f.Add(netip.MustParseAddr(seed).AsSlice())
	}
	guard := newGuard(nil)
	f.Fuzz(func(t *testing.T, raw []byte) {
		addr, ok := netip.AddrFromSlice(raw)
		if ok && guard.check(addr) == nil && !openly(addr) {
			t.Fatalf("%s passed", addr)
		}
	})
}
