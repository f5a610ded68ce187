package badinput

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// target is a body that calls a URL.
func target(url string) string {
	quoted, err := json.Marshal(url)
	if err != nil {
		panic(err)
	}
	return `{"target":{"url":` + string(quoted) + `}}`
}

func header(name, value string) string {
	pair, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		panic(err)
	}
	return `{"target":{"url":"https://example.com/","headers":` + string(pair) + `}}`
}

// seenURLs are refused at the enqueue, because they show what they are, or
// because programs differ in how they read them.
var seenURLs = []string{
	"", "/", "example.com", "//example.com/", "https://", "https:///path", "http:example.com", "mailto:a@b.c", "javascript:alert(1)",
	"file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:6379/_FLUSHALL", "unix:///var/run/docker.sock", "data:text/plain,x",
	"http+unix://%2Fvar%2Frun%2Fdocker.sock/", "ws://example.com/", "dict://127.0.0.1/",
	"http://2130706433/", "http://0/", "http://127.1/", "http://127.0.1/", "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://0x7f000001/",
	"http://017700000001/", "http://127.0.0.01/", "http://3232235777/", "http://0xa9fea9fe/", "http://169.16689662/", "http://1.2.3.4.5/",
	"http://256.0.0.1/", "http://0X7F.1/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::ffff:10.0.0.1]/",
	"http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "http://[fe80::1%25eth0]/", "http://[::1", "http://::1/", "http://[127.0.0.1]/", "http://[v1.a]/",
	"http://localhost./", "http://127.0.0.1./", "http://example.com./", "http://user@example.com/", "http://user:pw@example.com/",
	"http://example.com@127.0.0.1/", "http://127.0.0.1#@example.com/", "http://example.com#frag", "http://example.com\\@127.0.0.1/",
	"http:\\\\127.0.0.1\\", "http://127.0.0.1\t/", "http://127.0.0.1\n/", "http://example.com/\r\nX: y", " http://example.com/",
	"http://example.com/ ", "http://exam ple.com/", "http://%31%32%37.0.0.1/", "http://127.0.0.1%2f@example.com/", "http://ⓔxample.com/",
	"http://１２７.0.0.1/", "http://127。0。0。1/", "http://аpple.com/", "http://example.com:0/", "http://example.com:65536/",
	"http://example.com:-1/", "http://example.com:080/", "http://example.com:/", "http://example.com:http/", "http://.example.com/",
	"http://a..b/", "http://" + strings.Repeat("a", 64) + ".com/", "http://" + strings.Repeat("a.", 130) + "com/",
	"https://example.com/" + strings.Repeat("a", 2048), "http://example.com/\x00", "http://\u202emoc.elpmaxe/", "http://a*b/", "http://${jndi}/",
	"http://[::1]:x/", "http://example.com/%zz",
}

// dialURLs are well formed, and name an address that tasks must not reach: a dial would
// refuse it, so it is refused when it is enqueued.
var dialURLs = []string{
	"http://127.0.0.2/", "http://127.255.255.254:8080/", "http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/",
	"http://192.168.1.1/", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://100.100.100.200/", "http://198.18.0.1/",
	"http://192.0.0.1/", "http://0.0.0.0/", "http://0.0.0.1/", "http://240.0.0.1/", "http://255.255.255.255/", "http://224.0.0.1/",
	"http://168.63.129.16/", "http://192.0.2.1/", "http://[::1]/", "http://[::]/", "http://[fd00:ec2::254]/", "http://[fc00::1]/",
	"http://[fe80::1]/", "http://[fec0::1]/", "http://[ff02::1]/", "http://[64:ff9b::a00:1]/", "http://[64:ff9b::7f00:2]/",
	"http://[2002:7f00:2::]/", "http://[2002:a00:1::]/", "http://[::7f00:2]/", "http://[2001:0:0:0:0:0:80ff:fffd]/", "http://[2001:db8::1]/",
	"https://10.0.0.1/", "http://10.0.0.1:25/", "HTTP://10.0.0.1/",
}

var headerRows = []refusal{
	{name: "CR LF in a value", body: header("A", "b\r\nX-Injected: c"), at: "target.headers"},
	{name: "LF in a value", body: header("A", "b\nc"), at: "target.headers"},
	{name: "NUL in a value", body: header("A", "b\x00c"), at: "target.headers.A", form: true},
	{name: "DEL in a value", body: header("A", "b\x7f"), at: "target.headers"},
	{name: "value of 9 KiB", body: header("A", strings.Repeat("b", 9<<10)), at: "target.headers"},
	{name: "nameless", body: header("", "b"), at: "target.headers"},
	{name: "space in a name", body: header("A b", "c"), at: "target.headers"},
	{name: "colon in a name", body: header("A:", "c"), at: "target.headers"},
	{name: "CR LF in a name", body: header("A\r\nB", "c"), at: "target.headers"},
	{name: "name outside ASCII", body: header("Ä", "c"), at: "target.headers"},
	{name: "name of 129 bytes", body: header(strings.Repeat("A", 129), "c"), at: "target.headers"},
	{name: "Host", body: header("Host", "internal"), at: "target.headers"},
	{name: "host in lower case", body: header("host", "internal"), at: "target.headers"},
	{name: "Content-Length", body: header("Content-Length", "0"), at: "target.headers"},
	{name: "Transfer-Encoding", body: header("Transfer-Encoding", "chunked"), at: "target.headers"},
	{name: "Connection", body: header("Connection", "keep-alive, X-A"), at: "target.headers"},
	{name: "Upgrade", body: header("Upgrade", "h2c"), at: "target.headers"},
	{name: "Proxy-Authorization", body: header("Proxy-Authorization", "Basic x"), at: "target.headers"},
	{name: "Idempotency-Key", body: header("Idempotency-Key", "x"), at: "target.headers"},
	{name: "Webhook-Signature", body: header("webhook-signature", "v1,x"), at: "target.headers"},
	{name: "Outlast-Claim", body: header("Outlast-Claim", "9"), at: "target.headers"},
	{name: "Outlast_Claim", body: header("Outlast_Claim", "9"), at: "target.headers"},
	{name: "names that differ in case", body: `{"target":{"url":"https://example.com/","headers":{"A":"1","a":"2"}}}`, at: "target.headers"},
	{name: "65 headers", body: `{"target":{"url":"https://example.com/","headers":{` + pairs(65) + `}}}`, at: "target.headers"},
	{name: "method in lower case", body: `{"target":{"url":"https://example.com/","method":"post"}}`, at: "target.method"},
	{name: "CONNECT", body: `{"target":{"url":"https://example.com/","method":"CONNECT"}}`, at: "target.method"},
	{name: "TRACE", body: `{"target":{"url":"https://example.com/","method":"TRACE"}}`, at: "target.method"},
	{name: "method with CR LF", body: `{"target":{"url":"https://example.com/","method":"GET / HTTP/1.1\r\nX: y"}}`, at: "target.method"},
}

func seenRows() (rows []refusal) {
	for _, url := range seenURLs {
		rows = append(rows, refusal{name: short(url), body: target(url), at: "target.url"})
	}
	return append(rows,
		refusal{name: "in a fallback", body: `{"type":"t","fallback":{"target":{"url":"http://0x7f.1/"}}}`, at: "fallback.target.url"},
		refusal{name: "in on_success", body: `{"type":"t","on_success":{"target":{"url":"http://[::ffff:10.0.0.1]/"}}}`, at: "on_success.target.url"})
}

func short(text string) string {
	if len(text) > 40 {
		return text[:40]
	}
	return text
}

func TestURLs(t *testing.T)    { refuse(t, seenRows()) }
func TestHeaders(t *testing.T) { refuse(t, headerRows) }

// Private addresses in every notation that is a URL are refused, whoever enqueues.
func TestPrivateAddresses(t *testing.T) {
	var rows []refusal
	for _, url := range dialURLs {
		rows = append(rows, refusal{name: short(url), body: target(url), at: "target.url"})
	}
	refuse(t, rows)
}

// A name is judged by the address that it resolves to.
func TestPrivateName(t *testing.T) {
	node, err := outlast.Open(t.Context(), memory.New(), outlast.WithAllQueues())
	must(t, err)
	must(t, node.Start(t.Context()))
	defer node.Stop(context.WithoutCancel(t.Context()))
	for _, url := range []string{"http://localhost:1/", "http://LOCALHOST/"} {
		receipt, err := node.Enqueue(t.Context(), outlast.Draft{Target: &task.Request{URL: url}})
		must(t, err)
		view := endedOn(t, node, receipt.Task.ID)
		if view.DeadReason != task.Permanent || view.LastError.Code != "refused_address" {
			t.Errorf("%s: %s, %+v", url, view.DeadReason, view.LastError)
		}
	}
}

func ended(t testing.TB, id outlast.ID) *inspect.View {
	t.Helper()
	return endedOn(t, shared.node, id)
}

// endedOn waits for the end of a task.
func endedOn(t testing.TB, node *outlast.Client, id outlast.ID) *inspect.View {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		view, err := node.Inspector().Tasks.Get(t.Context(), id)
		must(t, err)
		if view.State.Final() {
			return view
		}
		wait(10 * time.Millisecond)
	}
	t.Fatalf("task %s has not ended", id)
	return nil
}

func wait(d time.Duration) { <-time.NewTimer(d).C }

// Redirects are not followed, to private addresses or others.
func TestRedirects(t *testing.T) {
	var followed atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer inside.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{inside.URL, "http://10.0.0.1/", "http://169.254.169.254/", "http://[::1]/", "//10.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/"} {
			outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			}))
			one := 1
			receipt, err := shared.node.Enqueue(t.Context(), outlast.Draft{Target: &task.Request{URL: outside.URL}, MaxAttempts: &one})
			must(t, err)
			view := ended(t, receipt.Task.ID)
			if view.State != task.Dead || view.LastError == nil || view.LastError.Code != strconv.Itoa(status) {
				t.Errorf("%d to %s: %s, %+v", status, to, view.State, view.LastError)
			}
			outside.Close()
		}
	}
	if n := followed.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}
