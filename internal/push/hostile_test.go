package push

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
)

// hostile is a receiver that misbehaves and what must be made of it.
type hostile struct {
	name     string
	script   func(net.Conn)
	category retry.Category // "" for success
	effect   retry.Effect
	reason   string // part of the message
}

// answering takes the request, says the text and closes.
func answering(text string) func(net.Conn) {
	return func(conn net.Conn) { takeRequest(conn); say(conn, text) }
}

// forever takes the request, says the head and repeats the text until the other
// side has enough.
func forever(head, text string) func(net.Conn) {
	return func(conn net.Conn) {
		takeRequest(conn)
		for ok := say(conn, head); ok; ok = say(conn, text) {
		}
	}
}

// dripping sends one byte each time a read has timed out.
func dripping(head string, each time.Duration) func(net.Conn) {
	return func(conn net.Conn) {
		takeRequest(conn)
		ticker := time.NewTicker(each)
		defer ticker.Stop()
		for ok := say(conn, head); ok; ok = say(conn, "x") {
			<-ticker.C
		}
	}
}

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

var hostiles = []hostile{
	{"hangs before reading", wait, retry.Timeout, retry.Maybe, "deadline exceeded"},
	{"hangs before the header", func(c net.Conn) { takeRequest(c); wait(c) }, retry.Timeout, retry.Maybe, "deadline exceeded"},
	{"hangs inside the header", func(c net.Conn) { takeRequest(c); say(c, "HTTP/1.1 200 OK\r\nX-A: "); wait(c) }, retry.Timeout, retry.Maybe, "deadline exceeded"},
	{"hangs after the header", func(c net.Conn) { takeRequest(c); say(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"); wait(c) }, retry.Timeout, retry.Maybe, "body broke off"},
	{"hangs after a bad status", func(c net.Conn) { takeRequest(c); say(c, "HTTP/1.1 503 No\r\nContent-Length: 5\r\n\r\nwhy"); wait(c) }, retry.Unavailable, retry.Maybe, "503 Service Unavailable: why"},
	{"drips the body", dripping("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", time.Millisecond), retry.Timeout, retry.Maybe, "body broke off"},
	{"drips the header", dripping("HTTP/1.1 200 OK\r\nX: ", time.Millisecond), retry.Timeout, retry.Maybe, "deadline exceeded"},
	{"endless body", forever("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("[", 4096)), "", "", ""},
	{"endless chunks", forever(chunked, "4\r\n[[[[\r\n"), "", "", ""},
	{"endless body of a failure", forever("HTTP/1.1 500 No\r\n\r\n", strings.Repeat("no ", 1024)), retry.Unavailable, retry.Maybe, "500 Internal Server Error: no no"},
	{"endless chunk extension", forever(chunked+"4;", "abcdefgh"), retry.Network, retry.Maybe, "body broke off"},
	{"endless trailers", forever(chunked+"0\r\n", "X-A: b\r\n"), retry.Network, retry.Maybe, "body broke off"},
	{"endless header", forever("HTTP/1.1 200 OK\r\n", "X-A: bbbbbbbbbbbbbbbbbbbbbbbbb\r\n"), retry.Network, retry.Maybe, "exceeded"},
	{"endless header line", forever("HTTP/1.1 200 OK\r\nX-A: ", "bbbbbbbbbbbbbbbb"), retry.Network, retry.Maybe, "exceeded"},
	{"endless status line", forever("HTTP/1.1 200 ", "OKOKOKOK"), retry.Network, retry.Maybe, "exceeded"},
	{"flood of 1xx", forever("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), retry.Network, retry.Maybe, "exceeded"},
	{"flood of 100", forever("", "HTTP/1.1 100 Continue\r\n\r\n"), retry.Network, retry.Maybe, "exceeded"},
	{"closes at once", func(net.Conn) {}, retry.Network, retry.Maybe, "no answer"},
	{"closes before the header", takeRequest, retry.Network, retry.Maybe, "EOF"},
	{"closes inside the header", answering("HTTP/1.1 200 OK\r\nX-A"), retry.Network, retry.Maybe, "malformed"},
	{"closes after the header", answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), retry.Network, retry.Maybe, "body broke off: unexpected EOF"},
	{"resets", func(c net.Conn) { takeRequest(c); c.(*net.TCPConn).SetLinger(0) }, retry.Network, retry.Maybe, "reset"}, //nolint:errcheck // test
	{"body shorter than announced", answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"), retry.Network, retry.Maybe, "body broke off: unexpected EOF"},
	{"body longer than announced", answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}garbage"), "", "", ""},
	{"two lengths", answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), retry.Network, retry.Maybe, "Content-Length"},
	{"negative length", answering("HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}"), retry.Network, retry.Maybe, "Content-Length"},
	{"length beyond integers", answering("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}"), retry.Network, retry.Maybe, "Content-Length"},
	{"largest length", answering("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n{}"), "", "", ""},
	{"chunk garbage", answering(chunked + "zz\r\nhello\r\n"), retry.Network, retry.Maybe, "body broke off"},
	{"chunk longer than announced", answering(chunked + "2\r\n{}{}\r\n0\r\n\r\n"), retry.Network, retry.Maybe, "body broke off"},
	{"chunk size overflow", answering(chunked + "fffffffffffffffff\r\n{}"), retry.Network, retry.Maybe, "body broke off"},
	{"no last chunk", answering(chunked + "2\r\n{}\r\n"), retry.Network, retry.Maybe, "body broke off: unexpected EOF"},
	{"unknown transfer encoding", answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n{}"), retry.Network, retry.Maybe, "transfer encoding"},
	{"HTTP/0.9", answering("<html>\x1b[31mhello</html>\r\n"), retry.Network, retry.Maybe, "malformed HTTP"},
	{"other protocol", answering("SSH-2.0-OpenSSH_9.6\r\n"), retry.Network, retry.Maybe, "malformed HTTP"},
	{"binary", answering("\x00\x01\x02\xff\xfe\r\n\r\n"), retry.Network, retry.Maybe, "malformed HTTP"},
	{"status 0", answering("HTTP/1.1 000 Zero\r\n\r\n"), retry.Unknown, retry.Maybe, "answered 0"},
	{"status 999", answering("HTTP/1.1 999 Big\r\nContent-Length: 0\r\n\r\n"), retry.Unknown, retry.Maybe, "answered 999"},
	{"status text", answering("HTTP/1.1 abc OK\r\n\r\n"), retry.Network, retry.Maybe, "malformed HTTP"},
	{"switches protocols", answering("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello"), retry.Unknown, retry.Maybe, "answered 101"},
	{"control characters", answering("HTTP/1.1 400 \x1b[31m\r\nContent-Length: 18\r\n\r\n\x1b]0;owned\x07\xff\u202e\nok\\"), retry.Permanent, retry.Done, `400 Bad Request: \x1b]0;owned\a\xff\u202e ok\`},
	{"gzip bomb", answering(bomb("200 OK")), "", "", ""},
	{"gzip bomb in a failure", answering(bomb("500 No")), retry.Unavailable, retry.Maybe, "500 Internal Server Error"},
	{"NUL in the header", answering("HTTP/1.1 200 OK\r\nX-A: \x00\r\n\r\n"), retry.Network, retry.Maybe, "malformed"},
}

// bomb is an answer whose body unfolds to 16 MiB of a JSON string.
func bomb(status string) string {
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	w.Write([]byte{'"'}) //nolint:errcheck // test
	zeros := bytes.Repeat([]byte{'0'}, 1<<20)
	for range 16 {
		w.Write(zeros) //nolint:errcheck // test
	}
	w.Write([]byte{'"'}) //nolint:errcheck // test
	w.Close()
	return "HTTP/1.1 " + status + "\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(body.Len()) + "\r\n\r\n" + body.String()
}

func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	for _, row := range hostiles {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			call := Call{Task: newTask(rawReceiver(t, row.script), `{"a":1}`)}
			sender := newSender(t, safehttp.Options{})
			limit := patience
			if row.category == retry.Timeout || strings.HasPrefix(row.name, "hangs") {
				limit = 300 * time.Millisecond
			}
			wrong := row.meet(t, sender, call, limit)
			for wrong != "" && limit < 5*time.Second { // on a busy machine the script may not have got so far
				limit *= 5
				wrong = row.meet(t, sender, call, limit)
			}
			if wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// meet makes an attempt and says what is wrong with what comes of it.
func (row *hostile) meet(t *testing.T, sender *Sender, call Call, limit time.Duration) string {
	begun := time.Now()
	result, err := do(t, sender, call, limit)
	took := time.Since(begun)
	if row.category == "" {
		if err != nil || len(result) > 2 {
			return fmt.Sprintf("got %.40s, %v", result, err)
		}
		return ""
	}
	failed := failure(t, err)
	switch {
	case took > limit+5*time.Second:
		return fmt.Sprintf("took %v of %v", took, limit)
	case failed.Verdict.Category != row.category || failed.Verdict.Effect != row.effect:
		return fmt.Sprintf("verdict %+v, want %s %s (%v)", failed.Verdict, row.category, row.effect, err)
	case !strings.Contains(err.Error(), row.reason) || strings.ContainsAny(err.Error(), "\x00\x1b\r\n\a\u202e") || len(err.Error()) > 1024:
		return fmt.Sprintf("message %q, want %q in it", err, row.reason)
	case retry.Classify(err) != failed.Verdict:
		return fmt.Sprintf("retry.Classify gives %+v", retry.Classify(err))
	}
	return ""
}

func TestGarbageRetryAfter(t *testing.T) {
	t.Parallel()
	longest := time.Duration(1<<63 - 1)
	receiver := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", now.Add(-time.Hour).Format(http.TimeFormat)) // a slow clock
		w.Header().Set("Retry-After", r.Header.Get("X-Say"))
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	sender := newSender(t, safehttp.Options{})
	for value, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "0": 0, "-5": 0, "NaN": 0, "Inf": 0, "1e3": 0, "1.5": 0, "soon": 0, "5s": 0, "0x10": 0,
		"1" + strings.Repeat("0", 30): longest, "9223372036854775807": longest, strings.Repeat("9", 4000): longest,
		now.Add(-time.Hour + 30*time.Second).Format(http.TimeFormat): 30 * time.Second, // by the receiver's clock
		now.Add(-2 * time.Hour).Format(http.TimeFormat):              0,
		"Fri, 31 Dec 9999 23:59:59 GMT":                              longest,
		"Thu, 01 Jan 1970 00:00:00 GMT":                              0, "Mon, 32 Jan 2026 00:00:00 GMT": 0,
	} {
		call := Call{Task: newTask(receiver, "{}")}
		call.Task.Spec.HTTP.Headers = map[string]string{"X-Say": value}
		_, err := do(t, sender, call, patience)
		failed := failure(t, err)
		if failed.Status != 503 || failed.Verdict.Hint.After != want || failed.Verdict.Hint.GiveUp {
			t.Errorf("%.60q: %+v, want %v", value, failed.Verdict, want)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var requests int
	self := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		status, _ := strconv.Atoi(r.Header.Get("X-Status"))
		w.Header().Set("Location", r.Header.Get("X-To"))
		w.WriteHeader(status)
	})
	sender := newSender(t, safehttp.Options{})
	targets := []string{self, "http://169.254.169.254/latest?token=s3cr3t", "http://user:s3cr3t@10.0.0.1/", "//\x7f", "", "javascript:alert(1)"}
	for _, status := range []string{"300", "301", "302", "303", "304", "307", "308"} {
		for _, to := range targets {
			call := Call{Task: newTask(self, "{}")}
			call.Task.Spec.HTTP.Headers = map[string]string{"X-Status": status, "X-To": strings.Trim(to, "\x7f")}
			before := requests
			_, err := do(t, sender, call, patience)
			failed := failure(t, err)
			if failed.Verdict.Category != retry.Unknown || !failed.Verdict.Category.Advice().Retry || requests != before+1 {
				t.Errorf("%s to %q: %+v after %d requests", status, to, failed.Verdict, requests-before)
			}
			if !strings.Contains(err.Error(), "redirects are not followed") || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("message %q", err)
			}
		}
	}
}
