package safehttp

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckURLAccepts(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://example.com":                        "https://example.com",
		"HTTPS://EXAMPLE.com/A?b=C":                  "https://example.com/A?b=C",
		"http://localhost:8080/hook":                 "http://localhost:8080/hook",
		"http://127.0.0.1:9/":                        "http://127.0.0.1:9/",
		"http://127.0.0.1:7070/":                     "http://127.0.0.1:7070/",
		"http://[::1]:7070/":                         "http://[::1]:7070/",
		"http://[0:0:0:0:0:0:0:1]/":                  "http://[::1]/",
		"http://[2606:4700::1111]":                   "http://[2606:4700::1111]",
		"http://my_service.internal/":                "http://my_service.internal/",
		"http://xn--fsqu00a.xn--0zwm56d/":            "http://xn--fsqu00a.xn--0zwm56d/",
		"http://a.b/%20%0d%0a?x=%23&y=a:b@c":         "http://a.b/%20%0d%0a?x=%23&y=a:b@c",
		"http://1.example.com/":                      "http://1.example.com/",
		"http://0x7f.example/":                       "http://0x7f.example/",
		"http://example.com:443":                     "http://example.com:443",
		"http://a/" + strings.Repeat("x", 2048-9):    "http://a/" + strings.Repeat("x", 2048-9),
		"http://a/" + strings.Repeat("x", 2048-9+1):  "",
		"http://" + strings.Repeat("a.", 126) + "a/": "http://" + strings.Repeat("a.", 126) + "a/",
		"http://" + strings.Repeat("a.", 127) + "a/": "",
	} {
		u, err := CheckURL(raw)
		if want == "" {
			if err == nil {
				t.Errorf("%s was accepted", raw)
			}
		} else if err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v", raw, u, err)
		}
	}
}

// TestCheckURLRefuses covers the class B17 of the bad-input matrix. Each row is
// a URL and a part of the reason or remedy that a person must see.
func TestCheckURLRefuses(t *testing.T) {
	t.Parallel()
	for raw, reason := range map[string]string{
		"": "empty", "example.com": "no scheme", "//example.com": "no scheme", "/path": "no scheme",
		"ftp://example.com": "use https or http", "file:///etc/passwd": "not supported", "gopher://x:70/_": "not supported",
		"unix:///var/run/docker.sock": "not supported", "javascript:alert(1)": "not supported", "data:text/plain,x": "not supported",
		"http:example.com": "no host", "http:///path": "no host", "http://": "no host", "http://:80": "no host", "http://?x": "no host",
		"http://user@example.com": "Authorization", "http://user:pw@example.com": "Authorization", "http://@example.com": "Authorization",
		"http://example.com@127.0.0.1/": "Authorization", "http://a.b/#x": "fragment", "http://a.b#@evil": "fragment", "http://a.b/#": "fragment",
		`http://good.com\@evil.com`: "backslash", `http:\\evil.com`: "backslash",
		"http://a b/": "space", "http://a.b/ x": "space", "http://a.b\t/": "control", "http://a.b\r\nHost: x/": "control", "http://a.b/\x00": "control", "http://a.b/\x7f": "control",
		"http://例え.jp/": "xn--", "http://１２７.0.0.1/": "ASCII", "http://127。0。0。1/": "ASCII", "http://a.b/é": "percent-encode", "http://ⓛocalhost": "ASCII", "http://a.b/\u202e": "ASCII",
		"http://a.b:0/": "1 to 65535", "http://a.b:65536/": "1 to 65535", "http://a.b:080/": "write 80", "http://a.b:/": "colon", "http://a.b:x/": "malformed", "http://a.b:-1/": "malformed",
		"http://2130706433/": "write 127.0.0.1", "http://0x7f000001/": "write 127.0.0.1", "http://017700000001/": "write 127.0.0.1",
		"http://0177.0.0.1/": "write 127.0.0.1", "http://0x7f.0.0.1": "write 127.0.0.1", "http://0X7F.1": "write 127.0.0.1", "http://127.1/": "write 127.0.0.1", "http://127.0.1/": "write 127.0.0.1", "http://0/": "write 0.0.0.0", "http://0x": "write 0.0.0.0", "http://0x.0x": "write 0.0.0.0",
		"http://127.0.0.01/": "write 127.0.0.1", "http://010.0.0.1": "write 8.0.0.1", "http://3232235777": "write 192.168.1.1", "http://2852039166/": "write 169.254.169.254", "http://0251.0376.0251.0376": "write 169.254.169.254",
		"http://127.0.0.1./": "final dot", "http://localhost./": "final dot", "http://a.b../": "final dot",
		"http://256.0.0.1/": "is none", "http://1.2.3.4.5/": "is none", "http://4294967296/": "is none", "http://1.2.3.": "final dot", "http://09.0.0.1": "is none", "http://a.0x7f/": "is none", "http://99999999999999999999": "is none", "http://a.1": "is none",
		"http://[::ffff:127.0.0.1]/": "write 127.0.0.1", "http://[::ffff:7f00:1]/": "write 127.0.0.1", "http://[0:0:0:0:0:ffff:a00:1]": "write 10.0.0.1",
		"http://[fe80::1%25eth0]/": "zones", "http://[fe80::1%eth0]/": "malformed", "http://[127.0.0.1]/": "malformed", "http://[::1": "malformed", "http://::1/": "", "http://[]/": "", "http://[v1.x]/": "malformed",
		"http://%31%32%37.0.0.1/": "malformed", "http://loc%61lhost/": "malformed", "http://a%2eb/": "malformed", "http://%E4%BE%8B.jp": "percent",
		"http://a..b/": "empty", "http://.a/": "empty", "http://" + strings.Repeat("a", 64): "63", "http://a,b/": "contains", "http://a*b": "contains", "http://a!b": "contains", "http://$(id)": "contains", "http://a/%zz": "malformed",
	} {
		u, err := CheckURL(raw)
		var bad *InvalidError
		if !errors.As(err, &bad) {
			t.Errorf("%q was accepted as %v (%v)", raw, u, err)
			continue
		}
		if !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %q does not mention %q", raw, err, reason)
		}
		if strings.ContainsAny(err.Error(), "\x00\t\r\n\x7f\u202e") {
			t.Errorf("%q: raw control characters in %q", raw, err)
		}
	}
}

func TestCheckHeader(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"X-Tenant": "a", "authorization": "Bearer x", "Content-Type": "text/plain; charset=utf-8", "Accept": "*/*",
		"X-Empty": "", "X-Tab": "a\tb", "X-Utf8": "é", "tracestate": "a=b", "User-Agent": "me", "x!#$%&'*+.^_`|~9": "odd",
		"Hosts": "x", "Outlastx": "y", "X-Outlast-Claim": "1",
	}
	for name, value := range good {
		if err := CheckHeader(name, value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckHeaders(good); err != nil {
		t.Error(err)
	}
	for _, name := range []string{
		"", " ", "X A", "X-A ", "X:A", "X\r\nY", "X\x00", "é", "X\u202e", "(x)", `"x"`, "x/y", "x[1]", "x@y", strings.Repeat("x", 129),
		"host", "HOST", "Content-Length", "content-length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Trailer",
		"Upgrade", "Expect", "Proxy-Authorization", "Proxy-Connection", "Accept-Encoding", "HTTP2-Settings",
		"Idempotency-Key", "idempotency-key", "Idempotency_Key", "Webhook-Id", "webhook-signature", "Webhook-Anything", "webhook_id",
		"Outlast-Claim", "outlast-x", "OUTLAST-ATTEMPT", "Outlast_Claim", "traceparent", ":authority",
	} {
		var bad *InvalidError
		if err := CheckHeader(name, "v"); !errors.As(err, &bad) {
			t.Errorf("%q was accepted", name)
		} else if strings.ContainsAny(err.Error(), "\x00\r\n\u202e") {
			t.Errorf("%q: raw text in %q", name, err)
		}
	}
	for _, value := range []string{"a\r\nX: y", "a\nb", "a\rb", "\x00", "\x1b[31m", "\x7f", strings.Repeat("s", MaxHeaderValue+1)} {
		if err := CheckHeader("X-Secret", value); err == nil {
			t.Errorf("%q was accepted", value)
		} else if strings.Contains(err.Error(), value) {
			t.Errorf("the value stands in %q", err)
		}
	}
}

func TestCheckHeadersTogether(t *testing.T) {
	t.Parallel()
	many, large := map[string]string{}, map[string]string{}
	for i := range MaxHeaders + 1 {
		many["X-"+strings.Repeat("a", i+1)] = ""
	}
	for _, name := range []string{"A", "B", "C"} {
		large[name] = strings.Repeat("x", MaxHeaderValue)
	}
	for name, headers := range map[string]map[string]string{"many": many, "large": large, "twice": {"X-A": "1", "x-a": "2"}, "bad": {"A": "1", "Host": "x"}} {
		if err := CheckHeaders(headers); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := CheckHeaders(nil); err != nil {
		t.Error(err)
	}
}

func TestCheckMethod(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if err := CheckMethod(method); err != nil {
			t.Error(err)
		}
	}
	for _, method := range []string{"", "post", "CONNECT", "TRACE", "GET /", "POST\r\n", "PROPFIND"} {
		if err := CheckMethod(method); err == nil {
			t.Errorf("%q was accepted", method)
		}
	}
}
