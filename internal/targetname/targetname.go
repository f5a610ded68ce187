// Package targetname names what requests call, for the durable engine, the HTTP
// adapter and the simulator alike: what is learned of one service must not be
// held against another one on the same host.
package targetname

import (
	"net/netip"
	"net/url"
	"strings"
)

// Of is the host of a URL in lower case, with its port unless that is the
// scheme's own: 80 of http, 443 of https. An IPv6 address has one spelling, and
// brackets only before a port. It is "" for a URL without a host.
func Of(u *url.URL) string {
	host := spelt(u.Hostname())
	port := u.Port()
	switch {
	case port == "" || host == "" || port == defaultPort(u.Scheme):
		return host
	case strings.Contains(host, ":"):
		return "[" + host + "]:" + port
	case len(host)+1+len(port) == len(u.Host) && strings.HasPrefix(u.Host, host):
		return u.Host // as it stands, without an allocation
	}
	return host + ":" + port
}

// Port is the port that a URL leads to: the one given, else the scheme's own,
// "" where there is neither.
func Port(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return defaultPort(u.Scheme)
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// spelt is the one spelling of a host.
func spelt(host string) string {
	if strings.Contains(host, ":") {
		if address, err := netip.ParseAddr(host); err == nil {
			return address.String()
		}
	}
	return strings.ToLower(host)
}
