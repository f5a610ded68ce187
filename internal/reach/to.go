package reach

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/targetname"
)

// Place is the one spelling of a host, or of a host and a port. Names of groups
// have one spelling.
func Place(host string) string {
	if strings.HasPrefix(host, accept.GroupTarget) {
		return host
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if address, err := netip.ParseAddr(bare); err == nil {
		return address.String()
	}
	if u := (url.URL{Host: host}); u.Port() != "" {
		return net.JoinHostPort(Place(u.Hostname()), u.Port())
	}
	return strings.ToLower(host)
}

// To is where a request goes: to a URL, for a member of a worker group beside
// the group's name.
type To struct{ URL, Group string }

// Places are where the secret of a destination may stand, the first that is there holds:
// with the group, with the host and port, with the host.
func (d *To) Places() []string {
	var places []string
	if d.Group != "" {
		places = append(places, accept.GroupTarget+d.Group)
	}
	u, err := url.Parse(d.URL)
	if err != nil {
		return places
	}
	host := Place(u.Hostname())
	return append(places, net.JoinHostPort(host, targetname.Port(u)), host)
}

// Secret is what a request is signed with, nil for none.
func (d *To) Secret(secrets map[string][]byte) []byte {
	if len(secrets) == 0 {
		return nil
	}
	for _, place := range d.Places() {
		if secret, known := secrets[place]; known {
			return secret
		}
	}
	return nil
}
