package outlast

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/targetname"
)

// WithTargetSecret signs the requests to a host in the manner of Standard
// Webhooks. The host stands as in a URL: api.example.com means all its ports,
// api.example.com:8443 only that one, which goes before. The port counts also
// where URLs leave it out, because it is the scheme's own. IPv6 addresses need
// brackets before a port. A worker group stands as group:mailers: calls of its members
// are signed with that secret, without one with those of their hosts. The secret is what
// [push.ParseSecret] returns.
func WithTargetSecret(host string, secret []byte) Option {
	return func(o *options) {
		if o.secrets == nil {
			o.secrets = make(map[string][]byte)
		}
		o.secrets[secretPlace(host)] = slices.Clone(secret)
	}
}

// secretPlace is the one spelling of a host, or of a host and a port. Names of groups
// have one spelling.
func secretPlace(host string) string {
	if strings.HasPrefix(host, accept.GroupTarget) {
		return host
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if address, err := netip.ParseAddr(bare); err == nil {
		return address.String()
	}
	if u := (url.URL{Host: host}); u.Port() != "" {
		return net.JoinHostPort(secretPlace(u.Hostname()), u.Port())
	}
	return strings.ToLower(host)
}

// destination is where a request goes: to a URL, for a member of a worker group beside
// the group's name.
type destination struct{ url, group string }

// places are where the secret of a destination may stand, the first that is there holds:
// with the group, with the host and port, with the host.
func (d *destination) places() []string {
	var places []string
	if d.group != "" {
		places = append(places, accept.GroupTarget+d.group)
	}
	u, err := url.Parse(d.url)
	if err != nil {
		return places
	}
	host := secretPlace(u.Hostname())
	return append(places, net.JoinHostPort(host, targetname.Port(u)), host)
}

// secretOf is what a request is signed with, nil for none.
func (c *Client) secretOf(to destination) []byte {
	if len(c.secrets) == 0 {
		return nil
	}
	for _, place := range to.places() {
		if secret, known := c.secrets[place]; known {
			return secret
		}
	}
	return nil
}
