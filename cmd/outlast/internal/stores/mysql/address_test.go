package mysql

import (
	"strings"
	"testing"
)

func TestStoreURLs(t *testing.T) {
	for _, test := range []struct{ url, says string }{
		{"mysql://u:secret@h/d", "h:3306/d"},
		{"mysql://u:se%40c%2Fret@[::1]:3307/d?tls=true&pool_max_conns=4", "[::1]:3307/d"},
		{"mysql://u@/d?socket=/run/mysqld.sock", "/run/mysqld.sock/d"},
		{"mysql://u:secret@h:5x/d", "not one of MySQL"},
		{"mysql://u:secret@h", "names no database"},
		{"mysql://u:secret@h/d/e", "names no database"},
		{"mysql://u:secret@h/d?pool_max_conns=1", "3 to 1000"},
		{"mysql://u:secret@h/d?timeout=never", "parameter"},
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
	address, err := Parse("mysql://u:se%40c%2Fret@h:1/d?pool_max_conns=4&tls=skip-verify&socket=")
	if err != nil {
		t.Fatal(err)
	}
	if c := address.Config; c.User != "u" || c.Passwd != "se@c/ret" || c.Addr != "h:1" || c.DBName != "d" || address.Pool != 4 || c.TLSConfig != "skip-verify" {
		t.Errorf("got %+v", c)
	}
}
