package safehttp

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

func TestSpecialAddressesAreRefused(t *testing.T) {
	t.Parallel()
	guard := newGuard(nil)
	for text, kind := range map[string]string{
		"0.0.0.0": "unspecified", "0.1.2.3": "unspecified",
		"10.0.0.1": "private", "10.255.255.255": "private",
		"100.64.0.1": "carrier-grade NAT", "100.100.100.200": "carrier-grade NAT", "100.127.255.255": "carrier-grade NAT",
		"127.0.0.1": "loopback", "127.255.255.254": "loopback",
		"168.63.129.16":   "cloud platform",
		"169.254.169.254": "link-local", "169.254.170.2": "link-local",
		"172.16.0.1": "private", "172.31.255.255": "private",
		"192.0.0.192": "protocol assignment", "192.0.2.1": "documentation", "192.88.99.1": "6to4 relay",
		"192.168.1.1": "private", "198.18.0.1": "benchmarking", "198.19.255.255": "benchmarking",
		"198.51.100.7": "documentation", "203.0.113.9": "documentation",
		"224.0.0.1": "multicast", "239.255.255.250": "multicast",
		"240.0.0.1": "reserved", "255.255.255.255": "reserved",
		"::": "unspecified", "::1": "loopback", "::127.0.0.1": "IPv4-compatible", "::8.8.8.8": "IPv4-compatible",
		"::ffff:127.0.0.1": "loopback", "::ffff:169.254.169.254": "link-local",
		"::ffff:0:127.0.0.1": "IPv4-translated",
		"64:ff9b::127.0.0.1": "NAT64", "64:ff9b::8.8.8.8": "NAT64", "64:ff9b:1::a00:1": "local NAT64",
		"100::1": "discard", "2001::1": "Teredo", "2001:2::1": "protocol assignment",
		"2001:db8::1": "documentation", "2002:7f00:1::": "6to4", "2002:808:808::": "6to4", "3fff::1": "documentation",
		"fc00::1": "unique-local", "fd00:ec2::254": "unique-local", "fe80::1": "link-local", "fe80::1%eth0": "link-local",
		"fec0::1": "site-local", "ff02::1": "multicast", "5f00::1": "reserved", "4000::1": "reserved", "1::1": "reserved",
	} {
		err := guard.check(netip.MustParseAddr(text))
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Kind != kind {
			t.Errorf("%s: got %v, want a refusal as %s", text, err, kind)
			continue
		}
		if !strings.Contains(err.Error(), "outlast.WithAllowedTargets") || !strings.Contains(err.Error(), "--allow-target "+refused.Addr.WithZone("").String()+"/") {
			t.Errorf("%s: no remedy in %q", text, err)
		}
		want := retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent, Type: "*safehttp.RefusedError", Code: "refused_address"}
		if got := retry.Classify(err); got != want {
			t.Errorf("%s: verdict %+v", text, got)
		}
	}
	if err := guard.check(netip.Addr{}); err == nil {
		t.Error("the zero address passed")
	}
}

func TestPublicAddressesPass(t *testing.T) {
	t.Parallel()
	guard := newGuard(nil)
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
		"172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"::ffff:8.8.8.8", "2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888",
	} {
		if err := guard.check(netip.MustParseAddr(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAllow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		allow, addr string
		open        bool
	}{
		{"127.0.0.0/8", "127.0.0.1", true},
		{"127.0.0.0/8", "::1", false},
		{"127.0.0.0/8", "::ffff:127.0.0.1", true},
		{"127.0.0.1", "127.0.0.2", false},
		{"::ffff:10.0.0.0/104", "10.1.2.3", true},
		{"10.0.0.0/8", "64:ff9b::10.0.0.1", true},
		{"10.0.0.0/8", "2002:a00:1::", true},
		{"10.0.0.0/8", "64:ff9b::127.0.0.1", false},
		{"64:ff9b::/96", "64:ff9b::8.8.8.8", true},
		{"64:ff9b::/96", "64:ff9b::10.0.0.1", false}, // RFC 6052 §3.1
		{"64:ff9b:1::/48", "64:ff9b:1::a00:1", true},
		{"2002::/16", "2002:7f00:1::", false},
		{"fe80::/10", "fe80::1%eth0", true},
		{"0.0.0.0/0", "255.255.255.255", true},
		{"0.0.0.0/0", "::1", false},
		{"::/0", "::1", true},
		{"::/0", "127.0.0.1", false},
	} {
		allow, err := parseAllowed(row.allow)
		if err != nil && !strings.HasPrefix(row.allow, "::ffff") {
			t.Fatal(err)
		} else if err != nil {
			allow = netip.MustParsePrefix(row.allow)
		}
		if err := newGuard([]netip.Prefix{allow}).check(netip.MustParseAddr(row.addr)); (err == nil) != row.open {
			t.Errorf("allow %s, %s: %v", row.allow, row.addr, err)
		}
	}
}

func TestParseAllow(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "10.0.0.0", "10/8", "10.0.0.1/8", "10.0.0.0/33", "localhost", "fe80::1%eth0", "10.0.0.0/8 ", "\x1b[31m"} {
		_, err := ParseAllow([]string{text})
		var bad *InvalidError
		if text == "10.0.0.0" {
			if err != nil {
				t.Error(err)
			}
		} else if !errors.As(err, &bad) || bad.Hint == "" || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
