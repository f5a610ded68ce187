package push

import (
	"encoding/base64"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// received is what a receiver saw of a request.
type received struct {
	method, uri, host, body string
	header                  http.Header
}

// echoing hands over every request that it gets.
func echoing(t testing.TB) (string, chan received) {
	seen := make(chan received, 1)
	return receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen <- received{r.Method, r.RequestURI, r.Host, string(body), r.Header}
	}), seen
}

func TestRequestAsContracted(t *testing.T) {
	t.Parallel()
	receiver, seen := echoing(t)
	work := newTask(receiver+"/hook?a=b", "{\"n\": 12345678901234567890.10,\n \"s\":\"\\u0000é\"}")
	work.Type, work.Key = "mail.send", "Kunde Ä%"
	work.Spec.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	work.Spec.HTTP.Method = "PUT"
	work.Spec.HTTP.Headers = map[string]string{"authorization": "Bearer abc", "X-Tenant": "7"}
	call := Call{
		Task: work, MaxAttempts: 5, Secret: []byte("0123456789abcdef01234567"),
		Deadline: time.Date(2026, 3, 4, 6, 0, 0, 5e6, time.FixedZone("", 3600)),
	}
	if result, err := do(t, newSender(t, safehttp.Options{}), call, patience); err != nil || result != nil {
		t.Fatal(string(result), err)
	}
	got := <-seen
	if got.method != "PUT" || got.uri != "/hook?a=b" || got.host != strings.TrimPrefix(receiver, "http://") || got.body != string(work.Payload) {
		t.Errorf("%+v", got)
	}
	id := work.ID.String()
	want := map[string]string{
		"Authorization": "Bearer abc", "X-Tenant": "7", "Content-Type": "application/json", "User-Agent": "Outlast/1.2.3",
		"Idempotency-Key": id, "Webhook-Id": id, "Webhook-Timestamp": "1772600767",
		"Webhook-Signature": sign(call.Secret, id, "1772600767", work.Payload),
		"Outlast-Task-Type": "mail.send", "Outlast-Claim": "7", "Outlast-Key": "Kunde%20%C3%84%25", "Outlast-Attempt": "2",
		"Outlast-Max-Attempts": "5", "Outlast-Deadline": "2026-03-04T05:00:00.005Z", "Traceparent": work.Spec.TraceParent,
		"Content-Length": got.header.Get("Content-Length"),
	}
	for name, value := range want {
		if values := got.header[name]; len(values) != 1 || values[0] != value {
			t.Errorf("%s: %q, want %q", name, values, value)
		}
	}
	if len(got.header) != len(want) {
		t.Errorf("headers %v", slices.Sorted(maps.Keys(got.header)))
	}
	if key, err := url.PathUnescape(want["Outlast-Key"]); err != nil || key != work.Key {
		t.Errorf("key %q, %v", key, err)
	}
}

func TestRequestOfPlainTask(t *testing.T) {
	t.Parallel()
	receiver, seen := echoing(t)
	work := newTask(receiver, "")
	work.Spec.TraceParent = "00-x\r\nEvil: 1"
	sender := newSender(t, safehttp.Options{})
	for _, method := range []string{"", "GET", "DELETE"} {
		work.Spec.HTTP.Method = method
		if _, err := do(t, sender, Call{Task: work}, patience); err != nil {
			t.Fatal(err)
		}
		got := <-seen
		for _, name := range []string{"Content-Type", "Webhook-Signature", "Outlast-Key", "Outlast-Max-Attempts", "Outlast-Deadline", "Traceparent", "Evil", "Authorization", "Cookie", "Accept-Encoding"} {
			if got.header.Get(name) != "" {
				t.Errorf("%s: %s", name, got.header.Get(name))
			}
		}
		if got.method != "POST" && got.method != method || got.body != "" {
			t.Errorf("%+v", got)
		}
	}
	work.Payload = []byte("a,b")
	work.Spec.HTTP.Method, work.Spec.HTTP.Headers = "", map[string]string{"content-type": "text/csv", "user-agent": "me"}
	if _, err := do(t, sender, Call{Task: work}, patience); err != nil {
		t.Fatal(err)
	}
	if got := <-seen; got.header.Get("Content-Type") != "text/csv" || got.header.Get("User-Agent") != "me" || got.body != "a,b" {
		t.Errorf("%+v", got)
	}
}

// TestSignatureVector is the example of the Standard Webhooks reference
// libraries.
func TestSignatureVector(t *testing.T) {
	t.Parallel()
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Error(got)
	}
	for _, bad := range []string{"", "whsec_", "secret", "whsec_c2hvcnQ=", "whsec_!!", "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))} {
		if _, err := ParseSecret(bad); err == nil || bad == "secret" && strings.Contains(err.Error(), `"secret"`) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestCallsThatCannotBeMade covers what an old or foreign entrance may have let
// through: nothing is sent, and no retry helps.
func TestCallsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	sender := newSender(t, safehttp.Options{})
	bad := map[string]*task.Task{
		"nil": nil, "no target": {}, "url": newTask("http://127.1/", ""), "scheme": newTask("file:///etc/passwd", ""),
		"method": newTask("http://127.0.0.1", ""), "header": newTask("http://127.0.0.1", ""), "line break": newTask("http://127.0.0.1", ""), "twice": newTask("http://127.0.0.1", ""),
	}
	bad["method"].Spec.HTTP.Method = "CONNECT"
	bad["header"].Spec.HTTP.Headers = map[string]string{"outlast-claim": "9"}
	bad["line break"].Spec.HTTP.Headers = map[string]string{"X": "a\r\nb"}
	bad["twice"].Spec.HTTP.Headers = map[string]string{"X-A": "a", "x-a": "b"}
	for name, work := range bad {
		_, err := do(t, sender, Call{Task: work}, patience)
		want := retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent, Type: "*push.Error", Code: "invalid_target"}
		if got := failure(t, err); got.Verdict != want || retry.Classify(err) != want {
			t.Errorf("%s: %+v", name, got.Verdict)
		}
	}
}

// TestNotSentTwice: a receiver that takes a request on a kept connection and
// closes without an answer has seen one run, not two.
func TestNotSentTwice(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	url := rawReceiver(t, func(conn net.Conn) {
		takeRequest(conn)
		requests.Add(1)
		if say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") {
			takeRequest(conn)
			requests.Add(1)
		}
	})
	sender := newSender(t, safehttp.Options{})
	call := Call{Task: newTask(url, "{}")}
	if _, err := do(t, sender, call, patience); err != nil {
		t.Fatal(err)
	}
	_, err := do(t, sender, call, patience)
	if v := failure(t, err).Verdict; v.Category != retry.Network || v.Effect != retry.Maybe {
		t.Errorf("%+v, %v", v, err)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests for 2 attempts", n)
	}
}

func TestRefusedTargets(t *testing.T) {
	t.Parallel()
	client := safehttp.New(safehttp.Options{})
	sender := New(client, Options{})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "10.0.0.1", "192.168.0.1", "172.20.0.1", "169.254.169.254", "100.64.0.1", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "198.18.0.1", "255.255.255.255", "224.0.0.1", "[fe80::1]", "[ff02::1]"} {
		_, err := do(t, sender, Call{Task: newTask("http://"+host+":9999/", "{}")}, patience)
		failed := failure(t, err)
		if v := failed.Verdict; v.Category != retry.Permanent || v.Effect != retry.NotSent || v.Code != safehttp.CodeRefused {
			t.Errorf("%s: %+v, %v", host, v, err)
		}
		if !strings.Contains(err.Error(), "--allow-target ") {
			t.Errorf("%s: no remedy in %q", host, err)
		}
	}
}
