package push

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// TestStatuses is the table of the push contract, for every status.
func TestStatuses(t *testing.T) {
	t.Parallel()
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Query().Get("s"))
		w.WriteHeader(status)
	})
	sender := newSender(t, safehttp.Options{})
	for status := 200; status < 600; status++ {
		_, err := do(t, sender, Call{Task: newTask(url+"/?s="+strconv.Itoa(status), "{}")}, patience)
		if status < 300 {
			if err != nil {
				t.Errorf("%d: %v", status, err)
			}
			continue
		}
		failed := failure(t, err)
		retried := status < 400 || status == 408 || status == 409 || status == 425 || status == 429 || status >= 500 && status != 501 && status != 505
		if failed.Status != status || failed.Verdict.Category.Advice().Retry != retried || failed.Verdict.Code != strconv.Itoa(status) {
			t.Errorf("%d: %+v", status, failed.Verdict)
		}
		if !strings.Contains(err.Error(), strconv.Itoa(status)) {
			t.Errorf("%d: %q", status, err)
		}
	}
}

// TestStillRunning: every push carries an idempotency key, so a 409 says that the first
// request with it is still being worked on. A receiver that knows better says so.
func TestStillRunning(t *testing.T) {
	t.Parallel()
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if decides := r.URL.Query().Get("r"); decides != "" {
			w.Header().Set("Outlast-Retry", decides)
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusConflict)
	})
	sender := newSender(t, safehttp.Options{})
	_, err := do(t, sender, Call{Task: newTask(url, "{}")}, patience)
	want := retry.Verdict{Category: retry.Unavailable, Effect: retry.Maybe, Type: typeName, Code: "409", Hint: retry.Hint{After: 7 * time.Second}}
	if v := failure(t, err).Verdict; v != want {
		t.Errorf("%+v", v)
	}
	_, err = do(t, sender, Call{Task: newTask(url+"/?r=never", "{}")}, patience)
	if !failure(t, err).Verdict.Hint.GiveUp {
		t.Errorf("%+v", err)
	}
}

func TestReceiverDecides(t *testing.T) {
	t.Parallel()
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Outlast-Retry", r.URL.Query().Get("r"))
		w.WriteHeader(http.StatusBadRequest)
	})
	sender := newSender(t, safehttp.Options{})
	_, err := do(t, sender, Call{Task: newTask(url+"/?r=never", "{}")}, patience)
	if !failure(t, err).Verdict.Hint.GiveUp {
		t.Error(err)
	}
	_, err = do(t, sender, Call{Task: newTask(url+"/?r=30s", "{}")}, patience)
	if v := failure(t, err).Verdict; v.Hint.After != 30*time.Second || !v.Category.Advice().Retry {
		t.Errorf("%+v", v)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	var body string
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, body) //nolint:errcheck // test
	})
	sender := newSender(t, safehttp.Options{})
	full := `"` + strings.Repeat("x", task.MaxResult-2) + `"`
	for _, row := range []struct{ body, want string }{
		{"", ""}, {"ok", ""}, {"{}", "{}"}, {" {\"a\": 1.50}\r\n", `{"a": 1.50}`}, {"null", "null"}, {"12345678901234567890123", "12345678901234567890123"},
		{"{} {}", ""}, {"{", ""}, {"<html>", ""}, {"\"\xff\"", ""}, {"\xef\xbb\xbf{}", ""}, {"NaN", ""}, {full, full}, {full + " ", ""},
		{strings.Repeat("[", 30000) + strings.Repeat("]", 30000), ""}, {strings.Repeat("[1,2],", 1<<20), ""},
	} {
		for _, path := range []string{"/", "/chunked"} {
			body = row.body
			result, err := do(t, sender, Call{Task: newTask(url+path, "{}")}, patience)
			if err != nil || string(result) != row.want {
				t.Errorf("%.40q: got %.40q, %v", row.body, result, err)
			}
		}
	}
}

// FuzzResult: what is kept is valid JSON within the limit and part of the body.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{"", "{}", " null ", "[1,2", "\"\xff\"", "1e999", `{"a":"\u0000"}`, "\xef\xbb\xbf1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		result := parseResult(body)
		if result != nil && (!json.Valid(result) || len(result) > task.MaxResult || !strings.Contains(string(body), string(result))) {
			t.Fatalf("%q gave %q", body, result)
		}
		if result != nil {
			if out, err := json.Marshal(result); err != nil || len(out) == 0 {
				t.Fatal(err)
			}
		}
	})
}

// FuzzClean: an excerpt is short, on one line and safe for a terminal.
func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31m\r\n\xff\u202e secret-word", "secret-word")
	f.Fuzz(func(t *testing.T, text, secret string) {
		work := newTask("http://a", "")
		work.Spec.HTTP.Headers = map[string]string{"X-Api-Key": secret}
		out := clean(text, work)
		if len(out) > maxExcerpt+16 || strings.ContainsFunc(out, func(r rune) bool { return !strconv.IsPrint(r) && r != ' ' }) {
			t.Fatalf("%q", out)
		}
	})
}

func TestSecretsAreBlanked(t *testing.T) {
	t.Parallel()
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, "bad token "+r.Header.Get("Authorization")+" for "+r.Header.Get("X-Api-Key")+" of "+r.Header.Get("X-Tenant")) //nolint:errcheck // test
	})
	work := newTask(url+"/?token=s3cr3t-in-url", "{}")
	work.Spec.HTTP.Headers = map[string]string{"authorization": "Bearer s3cr3t-one", "X-Api-Key": "s3cr3t-two", "X-Tenant": "tenant-7"}
	_, err := do(t, newSender(t, safehttp.Options{}), Call{Task: work}, patience)
	if err == nil || strings.Contains(err.Error(), "s3cr3t") || !strings.Contains(err.Error(), "bad token Bearer [redacted] for [redacted] of tenant-7") {
		t.Error(err)
	}
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	taken := make(chan struct{}, 1)
	url := rawReceiver(t, func(conn net.Conn) { takeRequest(conn); taken <- struct{}{}; wait(conn) })
	sender := newSender(t, safehttp.Options{})
	for _, row := range []struct {
		cause    error
		category retry.Category
	}{{nil, retry.Canceled}, {retry.ErrDeadline, retry.Deadline}, {retry.ErrAttemptTimeout, retry.Timeout}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-taken; cancel(row.cause) }()
		_, err := sender.Do(ctx, Call{Task: newTask(url, "{}")})
		if v := failure(t, err).Verdict; v.Category != row.category || v.Effect != retry.Maybe {
			t.Errorf("%v: %+v, %v", row.cause, v, err)
		}
	}
	short := New(sender.client, Options{Timeout: 10 * time.Millisecond})
	// The deadline of the task does not replace the timeout of the attempt.
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	_, err := short.Do(ctx, Call{Task: newTask(url, "{}")})
	if !errors.Is(err, retry.ErrAttemptTimeout) || failure(t, err).Verdict.Category != retry.Timeout {
		t.Error(err)
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	const nobody = "http://127.0.0.1:9/" // a port that was free a moment ago may be somebody's by now
	_, err := do(t, newSender(t, safehttp.Options{}), Call{Task: newTask(nobody, "{}")}, patience)
	if v := failure(t, err).Verdict; v.Category != retry.Unsent || v.Effect != retry.NotSent || v.Code != "ECONNREFUSED" {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestUnknownHost: a name that does not exist may exist again tomorrow.
func TestUnknownHost(t *testing.T) {
	t.Parallel()
	work := newTask("http://gone.example/", "{}")
	req, err := New(nil, Options{}).request(t.Context(), Call{Task: work})
	if err != nil {
		t.Fatal(err)
	}
	cause := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "gone.example", IsNotFound: true}}
	failed := noAnswer(t.Context(), work, req, cause)
	if v := failed.Verdict; v.Category != retry.Unsent || v.Effect != retry.NotSent || !strings.Contains(failed.Error(), "no such host") {
		t.Errorf("%+v, %v", v, failed)
	}
}

func TestHTTPS(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `"`+r.Proto+" "+r.Header.Get("Idempotency-Key")+`"`) //nolint:errcheck // test
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	work := newTask(s.URL, "{}")
	result, err := do(t, newSender(t, safehttp.Options{RootCAs: roots}), Call{Task: work}, patience)
	if err != nil || string(result) != `"HTTP/2.0 `+work.ID.String()+`"` {
		t.Error(string(result), err)
	}
	_, err = do(t, newSender(t, safehttp.Options{}), Call{Task: work}, patience)
	if v := failure(t, err).Verdict; v.Category != retry.Permanent || v.Effect != retry.NotSent || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestHostileTLS meets servers that cannot or will not speak TLS.
func TestHostileTLS(t *testing.T) {
	t.Parallel()
	expired := httptest.NewUnstartedServer(nil)
	expired.Config.ErrorLog = quiet
	expired.TLS = &tls.Config{Certificates: []tls.Certificate{expiredCertificate(t)}} //nolint:gosec // test
	expired.StartTLS()
	t.Cleanup(expired.Close)
	secure := func(url string) string { return strings.Replace(url, "http:", "https:", 1) }
	for name, row := range map[string]struct {
		url, reason string
		handshake   time.Duration // 0 for the default: a busy machine needs more than a moment for an honest one
	}{
		"expired":    {expired.URL, "certificate", 0},
		"garbage":    {secure(rawReceiver(t, func(c net.Conn) { say(c, "\x16\x03\x01\xff\xffgarbage"); wait(c) })), "", 0},
		"plain HTTP": {secure(rawReceiver(t, func(c net.Conn) { say(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); wait(c) })), "TLS handshake", 0},
		"closes":     {secure(rawReceiver(t, func(net.Conn) {})), "", 0},
		"hangs":      {secure(rawReceiver(t, wait)), "TLS handshake timeout", 200 * time.Millisecond},
	} {
		sender := newSender(t, safehttp.Options{TLSHandshakeTimeout: row.handshake})
		_, err := do(t, sender, Call{Task: newTask(row.url, "{}")}, 30*time.Second)
		if failed := failure(t, err); !strings.Contains(err.Error(), row.reason) || failed.Verdict.Effect == retry.Done {
			t.Errorf("%s: %+v, %v", name, failed.Verdict, err)
		} else {
			t.Logf("%s: %+v, %v", name, failed.Verdict, err)
		}
	}
}
