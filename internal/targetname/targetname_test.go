package targetname_test

import (
	"net/url"
	"testing"

	"github.com/outlast-dev/outlast/internal/targetname"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct{ name, port string }{
		"https://API.Example.com/x":            {"api.example.com", "443"},
		"https://api.example.com:443/":         {"api.example.com", "443"},
		"http://api.example.com:443/":          {"api.example.com:443", "443"},
		"http://Api.example.com:80/":           {"api.example.com", "80"},
		"https://api.example.com:80/":          {"api.example.com:80", "80"},
		"http://api.example.com:8080/?a=b":     {"api.example.com:8080", "8080"},
		"http://API.example.com:8080/":         {"api.example.com:8080", "8080"},
		"http://127.0.0.1:30080/":              {"127.0.0.1:30080", "30080"},
		"http://localhost:":                    {"localhost", "80"},
		"http://[2001:db8::1]/":                {"2001:db8::1", "80"},
		"http://[2001:DB8:0::1]:80/":           {"2001:db8::1", "80"},
		"http://[2001:DB8:0:0::1]:8080/":       {"[2001:db8::1]:8080", "8080"},
		"http://[fe80::1%25eth0]:8080/":        {"[fe80::1%eth0]:8080", "8080"},
		"http://user:word@example.com:8080/":   {"example.com:8080", "8080"},
		"ftp://example.com:80":                 {"example.com:80", "80"},
		"ftp://example.com":                    {"example.com", ""},
		"/path":                                {"", ""},
		"http://:8080/":                        {"", "8080"},
		"mailto:someone@example.com":           {"", ""},
		"https://api.example.com:0443/strange": {"api.example.com:0443", "0443"},
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := targetname.Of(u); got != want.name {
			t.Errorf("%s is named %q, want %q", raw, got, want.name)
		}
		if got := targetname.Port(u); got != want.port {
			t.Errorf("%s leads to port %q, want %q", raw, got, want.port)
		}
	}
}

// The name is made for every request.
func TestOfDoesNotAllocate(t *testing.T) {
	for _, raw := range []string{"https://api.example.com/x", "http://api.example.com:8080/x", "http://127.0.0.1:80/"} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(100, func() { targetname.Of(u) }); got != 0 {
			t.Errorf("%s: %g allocations", raw, got)
		}
	}
}
