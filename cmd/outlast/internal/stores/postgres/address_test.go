package postgres

import (
	"strings"
	"testing"
)

func TestStoreURLs(t *testing.T) {
	for _, test := range []struct{ url, says string }{
		{"postgres://u:secret@h/d", "h:5432/d"},
		{"postgresql://u:secret@h1:1,h2:2/d?target_session_attrs=read-write&pool_max_conns=7&schema=a+b", "h1:1/d, schema a b"},
		{"postgres:///d?host=/run/postgresql&user=u", "/run/postgresql d"},
		{"postgres://u:secret@h:5x/d", "postgres://user@host"},
		{"postgres://u:secret@h/d?pool_max_conns=many", "pool_max_conns"},
		{"postgres://u:secret@h/d?schema=", "schema"},
		{"postgres://u:secret@h/d?schema=" + strings.Repeat("x", 64), "63 bytes"},
		{"postgres://u:secret@h/d?%zz", "parameters"},
	} {
		var got string
		if address, err := Parse(test.url); err != nil {
			got = err.Error()
		} else {
			got = address.String()
		}
		if !strings.Contains(got, test.says) || strings.Contains(got, "secret") || strings.Contains(got, "c/ret") {
			t.Errorf("%s: got %s", test.url, got)
		}
	}
}

func TestStoreURLsAreReadWhole(t *testing.T) {
	address, err := Parse("postgresql://u:se%40cret@h1:1,h2:2/d?target_session_attrs=read-write&pool_max_conns=7&schema=s")
	if err != nil {
		t.Fatal(err)
	}
	if c := address.Pool.ConnConfig; address.Schema != "s" || address.Pool.MaxConns != 7 || c.Password != "se@cret" || c.RuntimeParams["schema"] != "" || c.ValidateConnect == nil || c.RuntimeParams["application_name"] != "outlast" {
		t.Errorf("got %+v", address)
	}
}
