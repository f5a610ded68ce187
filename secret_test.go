package outlast

import (
	"testing"

	"github.com/outlast-dev/outlast/internal/options"
	"github.com/outlast-dev/outlast/internal/reach"
)

// What a host may be called, with and without a port, in secrets and in URLs.
func TestSecretOf(t *testing.T) {
	for _, c := range []struct {
		place, url string
		signs      bool
	}{
		{"api.example.com", "https://API.example.com/x", true},
		{"API.Example.com", "https://api.example.com:8443/x", true},
		{"api.example.com:443", "https://api.example.com/x", true},
		{"api.example.com:443", "http://api.example.com/x", false},
		{"api.example.com:80", "http://api.example.com/x", true},
		{"API.example.com:8443", "https://api.example.com:8443/x", true},
		{"api.example.com:8443", "https://api.example.com/x", false},
		{"2001:DB8::1", "https://[2001:db8:0::1]:8443/x", true},
		{"[2001:db8::1]", "https://[2001:db8::1]/x", true},
		{"[2001:DB8:0::1]:8443", "https://[2001:db8::1]:8443/x", true},
		{"[2001:db8::1]:443", "https://[2001:db8::1]/x", true},
		{"[2001:db8::1]:8443", "https://[2001:db8::1]/x", false},
		{"example.com", "https://api.example.com/x", false},
	} {
		var o options.Options
		WithTargetSecret(c.place, []byte("secret"))(&o)
		to := reach.To{URL: c.url}
		if got := to.Secret(o.Secrets) != nil; got != c.signs {
			t.Errorf("a secret of %s signs %s: %v, want %v", c.place, c.url, got, c.signs)
		}
	}
}
