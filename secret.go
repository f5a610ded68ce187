package outlast

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/targetname"
	"github.com/outlast-dev/outlast/task"
)

// WithTargetSecret signs the requests to a host in the manner of Standard
// Webhooks. The host stands as in a URL: api.example.com means all its ports,
// api.example.com:8443 only that one, which goes before. The port counts also
// where URLs leave it out, because it is the scheme's own. IPv6 addresses need
// brackets before a port. The secret is what [push.ParseSecret] returns.
func WithTargetSecret(host string, secret []byte) Option {
	return func(o *options) {
		if o.secrets == nil {
			o.secrets = make(map[string][]byte)
		}
		o.secrets[secretPlace(host)] = slices.Clone(secret)
	}
}

// secretPlace is the one spelling of a host, or of a host and a port.
func secretPlace(host string) string {
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if address, err := netip.ParseAddr(bare); err == nil {
		return address.String()
	}
	if u := (url.URL{Host: host}); u.Port() != "" {
		return net.JoinHostPort(secretPlace(u.Hostname()), u.Port())
	}
	return strings.ToLower(host)
}

// secretOf is what a request is signed with: the secret of its host and port,
// else that of its host, nil without either.
func (c *Client) secretOf(request *task.Request) []byte {
	if len(c.secrets) == 0 || request == nil {
		return nil
	}
	u, err := url.Parse(request.URL)
	if err != nil {
		return nil
	}
	host := secretPlace(u.Hostname())
	if secret, known := c.secrets[net.JoinHostPort(host, targetname.Port(u))]; known {
		return secret
	}
	return c.secrets[host]
}
