package badinput

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// call is a row about what surrounds a body: its type, encoding, size, and
// where the request says that it comes from and goes to.
type call struct {
	name         string
	method, path string // POST /v1/tasks when ""
	body         string
	headers      []string
	code         task.Code
	at           string
}

func squeezed(size int) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(bytes.Repeat([]byte{' '}, size)) // to memory
	_ = w.Close()
	return out.String()
}

// sized is a body of exactly so many bytes.
func sized(size int) string {
	const start, end = `{"type":"t","payload":"`, `"}`
	return start + strings.Repeat("p", size-len(start)-len(end)) + end
}

const mediaType task.Code = "unsupported_media_type"

var callRows = []call{
	{name: "text/plain", body: `{"type":"t"}`, headers: []string{"Content-Type", "text/plain"}, code: mediaType, at: "Content-Type"},
	{name: "form", body: `type=t`, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, code: mediaType, at: "Content-Type"},
	{name: "multipart", body: "--x--", headers: []string{"Content-Type", "multipart/form-data; boundary=x"}, code: mediaType, at: "Content-Type"},
	{name: "XML", body: `<task/>`, headers: []string{"Content-Type", "application/xml"}, code: mediaType, at: "Content-Type"},
	{name: "no type", body: `{"type":"t"}`, headers: []string{"Content-Type", ""}, code: mediaType, at: "Content-Type"},
	{name: "two types", body: `{"type":"t"}`, headers: []string{"Content-Type", "application/json, text/plain"}, code: mediaType, at: "Content-Type"},
	{name: "problem+json", body: `{"type":"t"}`, headers: []string{"Content-Type", "application/problem+json"}, code: mediaType, at: "Content-Type"},
	{name: "JSON in UTF-16", body: `{"type":"t"}`, headers: []string{"Content-Type", "application/json; charset=utf-16"}, code: mediaType, at: "Content-Type"},
	{name: "type with a broken parameter", body: `{"type":"t"}`, headers: []string{"Content-Type", "application/json; charset"}, code: mediaType, at: "Content-Type"},
	{name: "no body", code: mediaType, at: "Content-Type"},
	{name: "gzip", body: squeezed(100), headers: []string{"Content-Encoding", "gzip"}, code: mediaType, at: "Content-Encoding"},
	{name: "gzip bomb", body: squeezed(256 << 20), headers: []string{"Content-Encoding", "gzip"}, code: mediaType, at: "Content-Encoding"},
	{name: "gzip twice", body: squeezed(100), headers: []string{"Content-Encoding", "gzip, gzip"}, code: mediaType, at: "Content-Encoding"},
	{name: "deflate", body: "x", headers: []string{"Content-Encoding", "deflate"}, code: mediaType, at: "Content-Encoding"},
	{name: "unknown encoding", body: `{"type":"t"}`, headers: []string{"Content-Encoding", "zip"}, code: mediaType, at: "Content-Encoding"},
	{name: "gzip without saying so", body: squeezed(100), code: task.CodeInvalid, at: "body"},
	{name: "2 MiB and a byte", body: sized(2<<20 + 1), code: task.CodeTooLarge, at: "body"},
	{name: "2 MiB", body: sized(2 << 20), code: task.CodeTooLarge, at: "payload"},
	{name: "2 MiB less a byte", body: sized(2<<20 - 1), code: task.CodeTooLarge, at: "payload"},
	{name: "2 MiB of white space", body: strings.Repeat(" ", 2<<20), code: task.CodeInvalid, at: "body"},
	{name: "batch of 1001 tasks", path: "/v1/tasks/batch", body: `{"tasks":[` + strings.Repeat(`{"type":"t"},`, 1000) + `{"type":"t"}]}`, code: task.CodeTooLarge, at: "tasks"},
	{name: "batch of none", path: "/v1/tasks/batch", body: `{"tasks":[]}`, code: task.CodeInvalid, at: "tasks"},
	{name: "batch of null", path: "/v1/tasks/batch", body: `{"tasks":null}`, code: task.CodeInvalid, at: "tasks"},
	{name: "batch of a list", path: "/v1/tasks/batch", body: `[{"type":"t"}]`, code: task.CodeInvalid, at: "body"},
	{name: "batch with atomic as a text", path: "/v1/tasks/batch", body: `{"tasks":[{"type":"t"}],"atomic":"no"}`, code: task.CodeInvalid, at: "atomic"},
	{name: "batch with atomic twice", path: "/v1/tasks/batch", body: `{"tasks":[{"type":"t"}],"atomic":true,"atomic":false}`, code: task.CodeInvalid, at: "atomic"},
	{name: "batch of a million zeros", path: "/v1/tasks/batch", body: `{"tasks":[` + strings.Repeat("0,", 1_000_000) + `0]}`, code: task.CodeInvalid, at: "tasks"},
	{name: "batch over 16 MiB", path: "/v1/tasks/batch", body: `{"tasks":[` + strings.Repeat(" ", 16<<20) + `]}`, code: task.CodeTooLarge, at: "body"},
	{name: "body of a cancel", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/cancel", body: `{"force":true}`, code: task.CodeInvalid, at: "force"},
	{name: "method override", method: "GET", path: "/v1/dead/purge", headers: []string{"X-HTTP-Method-Override", "POST"}, code: task.CodeInvalid, at: "id"},

	{name: "foreign host", body: `{"type":"t"}`, headers: []string{"Host", "attacker.example"}, code: task.CodeDenied},
	{name: "host that begins well", body: `{"type":"t"}`, headers: []string{"Host", "127.0.0.1.attacker.example"}, code: task.CodeDenied},
	{name: "host localhost of another", body: `{"type":"t"}`, headers: []string{"Host", "localhost.attacker.example:7070"}, code: task.CodeDenied},
	{name: "private host", body: `{"type":"t"}`, headers: []string{"Host", "192.168.0.1:7070"}, code: task.CodeDenied},
	{name: "host in decimal", body: `{"type":"t"}`, headers: []string{"Host", "2130706433"}, code: task.CodeDenied},
	{name: "foreign origin", body: `{"type":"t"}`, headers: []string{"Origin", "https://attacker.example"}, code: task.CodeDenied},
	{name: "origin null", body: `{"type":"t"}`, headers: []string{"Origin", "null"}, code: task.CodeDenied},
	{name: "origin of a file", body: `{"type":"t"}`, headers: []string{"Origin", "file://"}, code: task.CodeDenied},
	{name: "origin on another port", body: `{"type":"t"}`, headers: []string{"Origin", "http://127.0.0.1:1"}, code: task.CodeDenied},
	{name: "cross-site fetch", body: `{"type":"t"}`, headers: []string{"Sec-Fetch-Site", "cross-site"}, code: task.CodeDenied},
	{name: "cross-site read", method: "GET", headers: []string{"Sec-Fetch-Site", "cross-site"}, code: task.CodeDenied},
	{name: "rebound metrics", method: "GET", path: "/metrics", headers: []string{"Host", "attacker.example"}, code: task.CodeDenied},
	{name: "rebound document", method: "GET", path: "/openapi.json", headers: []string{"Host", "attacker.example"}, code: task.CodeDenied},
}

func TestCalls(t *testing.T) {
	for _, row := range callRows {
		t.Run(row.name, func(t *testing.T) {
			before := shared.count(t)
			if row.method == "" {
				row.method = "POST"
			}
			if row.path == "" {
				row.path = "/v1/tasks"
			}
			answer := shared.call(t, row.method, row.path, row.body, row.headers...)
			if row.at == "" {
				answer.problem(t, row.code)
			} else {
				answer.problem(t, row.code, row.at)
			}
			shared.unchanged(t, before)
		})
	}
}

// exchange writes bytes to the server as they are and reads one answer.
func exchange(t *testing.T, raw string, half bool) (answer, bool) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(shared.url, "http://"))
	must(t, err)
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	go func() {
		_, _ = io.WriteString(conn, raw) // the server may have hung up
		if tcp, ok := conn.(*net.TCPConn); ok && half {
			_ = tcp.CloseWrite()
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return answer{}, false
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, body}, true
}

const post = "POST /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"

// The wire itself. What net/http can read as a request is answered by a
// problem; what it cannot, by net/http.
func TestWire(t *testing.T) {
	chunk := "1000\r\n" + strings.Repeat(" ", 0x1000) + "\r\n"
	for _, row := range []struct {
		name, raw string
		half      bool
		code      task.Code // of a problem, or
		status    int       // of net/http
	}{
		{name: "body shorter than its length", raw: post + "Content-Length: 100\r\n\r\n{\"type\":\"t\"}", half: true, code: task.CodeInvalid},
		{name: "body longer than its length", raw: post + "Content-Length: 5\r\n\r\n{\"type\":\"t\"}", code: task.CodeInvalid},
		{name: "length of 10 GB", raw: post + "Content-Length: 10000000000\r\n\r\n{", code: task.CodeTooLarge},
		{name: "chunks without end", raw: post + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat(chunk, 600), code: task.CodeTooLarge},
		{name: "chunks that stop", raw: post + "Transfer-Encoding: chunked\r\n\r\n" + chunk, half: true, code: task.CodeInvalid},
		{name: "chunk of a bad size", raw: post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", code: task.CodeInvalid},
		{name: "chunk of a huge size", raw: post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", code: task.CodeInvalid},
		{name: "host of nobody", raw: "GET /v1/tasks HTTP/1.0\r\n\r\n", code: task.CodeDenied},
		{name: "absolute form of another host", raw: "GET http://attacker.example/v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", code: task.CodeDenied},
		{name: "authority form", raw: "CONNECT attacker.example:443 HTTP/1.1\r\nHost: attacker.example:443\r\n\r\n", code: task.CodeDenied},
		{name: "asterisk form", raw: "GET * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", code: task.CodeNotFound},
		{name: "length and chunks", raw: post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", code: task.CodeInvalid},
		{name: "two lengths", raw: post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{\"a\"}", status: 400},
		{name: "negative length", raw: post + "Content-Length: -1\r\n\r\n", status: 400},
		{name: "unknown transfer encoding", raw: post + "Transfer-Encoding: gzip\r\n\r\n", status: 501},
		{name: "unknown expectation", raw: post + "Expect: tea\r\nContent-Length: 2\r\n\r\n{}", status: 417},
		{name: "no host", raw: "GET /v1/tasks HTTP/1.1\r\n\r\n", status: 400},
		{name: "two hosts", raw: "GET /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: b\r\n\r\n", status: 400},
		{name: "host of control characters", raw: "GET /v1/tasks HTTP/1.1\r\nHost: a\x01b\r\n\r\n", status: 400},
		{name: "header with a space before its colon", raw: "GET /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nA : b\r\n\r\n", status: 400},
		{name: "header of control characters", raw: "GET /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nA: \x00\r\n\r\n", status: 400},
		{name: "headers over 32 KiB", raw: "GET /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nA: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", status: 431},
		{name: "10 000 headers", raw: "GET /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\n" + strings.Repeat("A: b\r\n", 10_000) + "\r\n", status: 431},
		{name: "no HTTP", raw: "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", status: 400},
		{name: "HTTP/3", raw: "GET / HTTP/3.0\r\nHost: 127.0.0.1\r\n\r\n", status: 505},
		{name: "HTTP/2 by surprise", raw: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", code: task.CodeDenied},
		{name: "tunnel to ourselves", raw: "CONNECT 127.0.0.1:7070 HTTP/1.1\r\nHost: 127.0.0.1:7070\r\n\r\n", code: task.CodeNotFound},
		{name: "space in the path", raw: "GET /v1/ta sks HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", status: 400},
		{name: "bad escape in the path", raw: "GET /v1/%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", status: 400},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := shared.count(t)
			answer, ok := exchange(t, row.raw, row.half)
			switch {
			case !ok:
				t.Error("no answer")
			case row.status != 0 && answer.status != row.status:
				t.Errorf("status %d, want %d: %.200s", answer.status, row.status, answer.body)
			case row.status == 0:
				answer.problem(t, row.code)
			}
			shared.unchanged(t, before)
		})
	}
}

// The server is well after all of this.
func TestServerStillAnswers(t *testing.T) {
	if answer := shared.call(t, "GET", "/readyz", ""); answer.status != http.StatusOK {
		t.Errorf("%d %s", answer.status, answer.body)
	}
}

// A traceparent header of somebody else's making does not spoil an enqueue.
func TestForeignTraceParent(t *testing.T) {
	for _, header := range []string{
		"x", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "ff" + traceParent[2:],
		traceParent + "-x", strings.ToUpper(traceParent), strings.Repeat("-", 55), "00-" + strings.Repeat("-", 31) + "a-00f067aa0ba902b7-01", strings.Repeat("a", 9000),
		"01" + traceParent[2:] + strings.Repeat("-a", 500), "----" + traceParent[4:],
	} {
		if answer := shared.call(t, "POST", "/v1/tasks", `{"type":"t"}`, "Traceparent", header); answer.status != http.StatusCreated || bytes.Contains(answer.body, []byte("trace_parent")) {
			t.Errorf("%.80s: %d %s", header, answer.status, answer.body)
		}
	}
}
