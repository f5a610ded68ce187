package stores

import (
	"strings"
	"testing"
)

func TestStoreURLs(t *testing.T) {
	for _, test := range []struct{ url, says string }{
		{"postgres://u:secret@h/d", "h:5432/d"},
		{"postgresql://u:secret@h1:1,h2:2/d?target_session_attrs=read-write&pool_max_conns=7&schema=a+b", "h1:1/d, schema a b"},
		{"postgres:///d?host=/run/postgresql&user=u", "/run/postgresql d"},
		{"mysql://u:secret@h/d", "h:3306/d"},
		{"mysql://u:se%40c%2Fret@[::1]:3307/d?tls=true&pool_max_conns=4", "[::1]:3307/d"},
		{"mysql://u@/d?socket=/run/mysqld.sock", "/run/mysqld.sock/d"},

		{"postgres://u:secret@h:5x/d", "postgres://user@host"},
		{"postgres://u:secret@h/d?pool_max_conns=many", "pool_max_conns"},
		{"postgres://u:secret@h/d?schema=", "schema"},
		{"postgres://u:secret@h/d?schema=" + strings.Repeat("x", 64), "63 bytes"},
		{"postgres://u:secret@h/d?%zz", "parameters"},
		{"mysql://u:secret@h:5x/d", "not one of MySQL"},
		{"mysql://u:secret@h", "names no database"},
		{"mysql://u:secret@h/d/e", "names no database"},
		{"mysql://u:secret@h/d?pool_max_conns=1", "3 to 1000"},
		{"mysql://u:secret@h/d?timeout=never", "parameter"},
	} {
		var got string
		if strings.HasPrefix(test.url, "mysql") {
			got = told(ParseMySQL(test.url))
		} else {
			got = told(ParsePostgres(test.url))
		}
		if !strings.Contains(got, test.says) || strings.Contains(got, "secret") || strings.Contains(got, "c/ret") {
			t.Errorf("%s: got %s", test.url, got)
		}
	}
}

func TestStoreURLsAreReadWhole(t *testing.T) {
	pg, err := ParsePostgres("postgresql://u:se%40cret@h1:1,h2:2/d?target_session_attrs=read-write&pool_max_conns=7&schema=s")
	if err != nil {
		t.Fatal(err)
	}
	if c := pg.Pool.ConnConfig; pg.Schema != "s" || pg.Pool.MaxConns != 7 || c.Password != "se@cret" || c.RuntimeParams["schema"] != "" || c.ValidateConnect == nil || c.RuntimeParams["application_name"] != "outlast" {
		t.Errorf("got %+v", pg)
	}
	my, err := ParseMySQL("mysql://u:se%40c%2Fret@h:1/d?pool_max_conns=4&tls=skip-verify&socket=")
	if err != nil {
		t.Fatal(err)
	}
	if c := my.config; c.User != "u" || c.Passwd != "se@c/ret" || c.Addr != "h:1" || c.DBName != "d" || my.Pool != 4 || c.TLSConfig != "skip-verify" {
		t.Errorf("got %+v", c)
	}
}

// told is what people see of an address or an error.
func told(address interface{ String() string }, err error) string {
	if err != nil {
		return err.Error()
	}
	return address.String()
}
