package push

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
)

// saying answers with the status and body of the query, and with headers that want
// a retry after 7 s, or none.
func saying(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for _, name := range []string{"Outlast-Retry", "Retry-After", "Content-Encoding"} {
		if value := q.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	w.Header().Add("X-Code", "E7")
	w.Header().Add("X-Code", "E8")
	status, _ := strconv.Atoi(q.Get("s"))
	w.WriteHeader(status)
	times, _ := strconv.Atoi(q.Get("n"))
	io.WriteString(w, strings.Repeat(q.Get("b"), max(1, times))) //nolint:errcheck // test
}

// TestSuccess is the table of conditions over answers.
func TestSuccess(t *testing.T) {
	t.Parallel()
	url := receiver(t, saying)
	sender := newSender(t, safehttp.Options{})
	for _, row := range []struct {
		success, query, result string
		category               retry.Category // "" for a success
		code, says             string
	}{
		{`body.code == 0`, `s=200&b={"code":0,"id":12345678901234567890}`, `{"code":0,"id":12345678901234567890}`, "", "", ""},
		{`body.code == 0`, `s=200&b={"code":7,"why":"no+stock"}`, "", retry.Unknown, "200", `answered 200 OK, which target.success does not accept: {"code":7,"why":"no stock"}`},
		{`body.code == 0`, `s=200&b=oops`, "", retry.Unknown, CodeSuccess, "about which target.success cannot tell ("},
		{`body.code == 0`, `s=200&b={}`, "", retry.Unknown, CodeSuccess, "no such key: code"},
		{`body.code == 0`, `s=200`, "", retry.Unknown, CodeSuccess, "cannot tell"},
		{`body.code == 0`, `s=503&b={"code":0}`, `{"code":0}`, "", "", ""},
		{`body.code == 0`, `s=404&b={"code":1}`, "", retry.Permanent, "404", `answered 404 Not Found: {"code":1}`},
		{`body.code == 0`, `s=503&b=ill`, "", retry.Unavailable, CodeSuccess, "cannot tell"},
		{`body == "OK"`, `s=200&b=OK`, "", "", "", ""},
		{`body == "OK"`, `s=200&b="OK"`, `"OK"`, "", "", ""},
		{`body.contains("OK")`, `s=200&b=<p>OK</p>`, "", "", "", ""},
		{`type(body) == string ? body.contains("OK") : body.ok`, `s=200&b={"ok":true}`, `{"ok":true}`, "", "", ""},
		{`type(body) == string ? body.contains("OK") : body.ok`, `s=200&b=all+OK`, "", "", "", ""},
		{`!has(body.error) || body.error == null`, `s=200&b={"error":null}`, `{"error":null}`, "", "", ""},
		{`!has(body.error) || body.error == null`, `s=200&b={"error":"e"}`, "", retry.Unknown, "200", ""},
		{`status == 200 || status == 409`, `s=409`, "", "", "", ""},
		{`status == 200`, `s=202&b={}`, "", retry.Unknown, "202", "answered 202 Accepted, which"},
		{`status == 302`, `s=302`, "", "", "", ""},
		{`headers["x-code"] == "E7"`, `s=200`, "", "", "", ""},
		{`!has(headers.x_code) && !("x-none" in headers)`, `s=200`, "", "", "", ""},
		{`size(body) == 65536`, `s=200&b=xx&n=65536`, "", "", "", ""},
		{`body == ""`, `s=200&b={"a":1}&Content-Encoding=gzip`, "", "", "", ""},
		{`status == 200 && size(body) / 0 == 1`, `s=200`, "", retry.Unknown, CodeSuccess, "division"},
	} {
		work := newTask(url+"/?"+row.query, "{}")
		work.Spec.HTTP.Success = row.success
		result, err := do(t, sender, Call{Task: work}, patience)
		if row.category == "" {
			if err != nil || string(result) != row.result {
				t.Errorf("%s of %.60s: %s, %v", row.success, row.query, result, err)
			}
			continue
		}
		if failed := failure(t, err); failed.Verdict.Category != row.category || failed.Verdict.Code != row.code || failed.Verdict.Type != typeName ||
			!strings.Contains(failed.Message, row.says) || result != nil {
			t.Errorf("%s of %.60s: %+v, %s", row.success, row.query, failed.Verdict, failed.Message)
		}
	}
}

// What the receiver asks for counts in an answer that is no success, of any status.
func TestSuccessAndTheReceiversWishes(t *testing.T) {
	t.Parallel()
	url := receiver(t, saying)
	sender := newSender(t, safehttp.Options{})
	for query, want := range map[string]retry.Hint{
		"s=200&Outlast-Retry=never": {GiveUp: true}, "s=200&Outlast-Retry=30s": {After: 30 * time.Second}, "s=200&Retry-After=7": {After: 7 * time.Second},
		"s=404&Outlast-Retry=30s": {After: 30 * time.Second},
	} {
		work := newTask(url+"/?"+query, "{}")
		work.Spec.HTTP.Success = "false"
		_, err := do(t, sender, Call{Task: work}, patience)
		if v := failure(t, err).Verdict; v.Hint != want || !want.GiveUp && !v.Category.Advice().Retry {
			t.Errorf("%s: %+v", query, v)
		}
		work.Spec.HTTP.Success = "true"
		if _, err := do(t, sender, Call{Task: work}, patience); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// No answer is no success, and an answer that breaks off cannot be judged.
func TestSuccessWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	sender := newSender(t, safehttp.Options{})
	for name, row := range map[string]struct {
		answer   string
		category retry.Category
		code     string
	}{
		"none":         {"", retry.Network, ""},
		"half a 200":   {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", retry.Network, "200"},
		"half a 503":   {"HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\nill", retry.Unavailable, "503"},
		"another line": {"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", retry.Unknown, "101"},
	} {
		work := newTask(rawReceiver(t, func(conn net.Conn) { takeRequest(conn); say(conn, row.answer) }), "{}")
		work.Spec.HTTP.Success = "true"
		_, err := do(t, sender, Call{Task: work}, patience)
		if v := failure(t, err).Verdict; v.Category != row.category || v.Code != row.code && row.code != "" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// Where a condition may take a failure for a success, one whose body breaks off is
// tried again as a 2xx is, unless the condition refuses it whatever the body says.
func TestSuccessOfABrokenFailure(t *testing.T) {
	t.Parallel()
	const half = "HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n"
	for _, row := range []struct {
		success, answer string
		category        retry.Category
		hint            retry.Hint
	}{
		{"status < 300 || status == 404", half + "\r\nknown", retry.Network, retry.Hint{}},
		{`body.why == "known"`, half + "\r\n{", retry.Network, retry.Hint{}},
		{"status == 404", half + "Outlast-Retry: never\r\n\r\n{", retry.Network, retry.Hint{GiveUp: true}},
		{"status == 404", half + "Outlast-Retry: 30s\r\n\r\n{", retry.Throttled, retry.Hint{After: 30 * time.Second}},
		{"status < 300", half + "\r\nknown", retry.Permanent, retry.Hint{}},
		{"status < 300 && body.ok", half + "\r\n{", retry.Permanent, retry.Hint{}},
	} {
		work := newTask(rawReceiver(t, func(conn net.Conn) { takeRequest(conn); say(conn, row.answer) }), "{}")
		work.Spec.HTTP.Success = row.success
		_, err := do(t, newSender(t, safehttp.Options{}), Call{Task: work}, patience)
		if v := failure(t, err).Verdict; v.Category != row.category || v.Hint != row.hint || v.Code != "404" {
			t.Errorf("%s: %+v, %v", row.success, v, err)
		}
	}
}

// A failure whose body never ends is judged by its status, soon; where the condition
// might have taken it for a success, it is a timeout.
func TestSuccessDoesNotWaitForFailures(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]retry.Category{"503 No": retry.Unavailable, "404 Not Found": retry.Timeout} {
		url := rawReceiver(t, func(conn net.Conn) {
			takeRequest(conn)
			say(conn, "HTTP/1.1 "+line+"\r\nContent-Length: 100\r\n\r\nill")
			wait(conn)
		})
		work := newTask(url, "{}")
		work.Spec.HTTP.Success = "true"
		began := time.Now()
		_, err := newSender(t, safehttp.Options{}).Do(t.Context(), Call{Task: work})
		if v := failure(t, err).Verdict; v.Category != want || time.Since(began) > patience/2 {
			t.Errorf("%s: %+v after %s", line, v, time.Since(began))
		}
	}
}

func TestCheckSuccess(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		`body.ok`:                                "",
		`status < 300 && body.n > 1.5`:           "",
		`stats == 200`:                           "at column 1 (did you mean status?)",
		`status == 200 &&`:                       "CEL over status, headers and body",
		`status`:                                 "it yields int",
		`code == 200`:                            "of answers there are status, headers, body",
		strings.Repeat("body.a||", 300) + "true": "the limit is 2048",
	} {
		err := CheckSuccess(text)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%.30s: %v", text, err)
		}
	}
	// A task that did not come through the checks is not sent.
	work := newTask("http://127.0.0.1:1/", "{}")
	work.Spec.HTTP.Success = "stats == 200"
	_, err := newSender(t, safehttp.Options{}).Do(context.Background(), Call{Task: work})
	if v := failure(t, err).Verdict; v.Category != retry.Permanent || v.Code != "invalid_target" || errors.Unwrap(err) == nil {
		t.Errorf("%+v, %v", v, err)
	}
}

// BenchmarkJudge is the judging alone, of a small answer.
func BenchmarkJudge(b *testing.B) {
	success, err := answers.Compile("status == 200 && body.code == 0")
	if err != nil {
		b.Fatal(err)
	}
	resp, body := &http.Response{StatusCode: 200, Header: http.Header{}}, []byte(`{"code":0,"id":"a"}`)
	b.ReportAllocs()
	for b.Loop() {
		if holds, err := success.Holds(valuesOf(resp, body)); !holds || err != nil {
			b.Fatal(err)
		}
	}
}
