package channel

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/safehttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hostile is a message whose texts try everything: mentions and markup of all
// vendors, line breaks, control and bidi characters, broken UTF-8.
func hostile() *alert.Message {
	evil := "@all <!channel> <@U123> <at user_id=\"all\">x</at> [link](http://evil.example) **b**\r\nSubject: forged\n\x00\x1b[2J\u202egnp\xff \"}],\"at\":{\"isAtAll\":true}"
	return &alert.Message{
		ID: "0199f000-0000-7000-8000-000000000001", Kind: alert.Raised, Rule: "exhausted", Subject: "mail.send " + evil,
		Severity: alert.Critical, Text: "mail.send died " + evil, At: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC),
		Fields: []alert.Field{{Name: "error", Value: evil}}, HeldBack: 3, Names: []string{"a", evil}, Since: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
	}
}

// huge has more text than any vendor takes, in runes of several bytes.
func huge() *alert.Message {
	m := hostile()
	m.Fields = []alert.Field{{Name: "error", Value: strings.Repeat("错误\"\\<&>🚑", 10_000)}}
	return m
}

// robot is a fake of a vendor: it keeps what it gets, checks it, and counts.
type robot struct {
	*httptest.Server
	mu     sync.Mutex
	got    []*http.Request
	bodies [][]byte
	wrong  []string
	status int
	header http.Header
	answer string
}

func newRobot(t *testing.T, answer string, check func(r *http.Request, body []byte) string) *robot {
	t.Helper()
	fake := &robot{status: http.StatusOK, answer: answer, header: http.Header{}}
	fake.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fake.mu.Lock()
		defer fake.mu.Unlock()
		fake.got, fake.bodies = append(fake.got, r), append(fake.bodies, body)
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") || !json.Valid(body) {
			fake.wrong = append(fake.wrong, "no POST of JSON")
		}
		if check != nil {
			if wrong := check(r, body); wrong != "" {
				fake.wrong = append(fake.wrong, wrong)
			}
		}
		for name, values := range fake.header {
			w.Header()[name] = values
		}
		w.WriteHeader(fake.status)
		io.WriteString(w, fake.answer) //nolint:errcheck // test
	}))
	t.Cleanup(fake.Close)
	return fake
}

func (f *robot) says(status int, answer string, header ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status, f.answer, f.header = status, answer, http.Header{}
	for i := 0; i < len(header); i += 2 {
		f.header.Set(header[i], header[i+1])
	}
}

func (f *robot) last(t *testing.T, into any) []byte {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.wrong) > 0 {
		t.Fatalf("the vendor would refuse: %s", f.wrong)
	}
	if len(f.bodies) == 0 {
		t.Fatal("nothing has arrived")
	}
	body := f.bodies[len(f.bodies)-1]
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatal(err)
	}
	return body
}

const token = "canary-access-token"

// open makes a channel to a fake; the environment is env.
func open(t *testing.T, spec *Spec, url string, env map[string]string) (alert.Channel, error) {
	t.Helper()
	if url != "" {
		spec.URLEnv = "ROBOT_URL"
	}
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	client := safehttp.New(safehttp.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.CloseIdleConnections)
	return New(spec, Options{Trusted: true, HTTP: client, Now: func() time.Time { return time.Unix(1_700_000_000, 123e6) }, Lookup: func(name string) (string, bool) {
		if name == "ROBOT_URL" {
			return url + "/send?access_token=" + token, true
		}
		value, set := env[name]
		return value, set
	}})
}

func mustOpen(t *testing.T, spec *Spec, url string, env map[string]string) alert.Channel {
	t.Helper()
	made, err := open(t, spec, url, env)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// wantVerdict checks what an error advises, and that no secret is in it.
func wantVerdict(t *testing.T, err error, category retry.Category, code string, after time.Duration) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s %s", category, code)
	}
	v := retry.Classify(err)
	if v.Category != category || v.Code != code || v.Hint.After != after {
		t.Errorf("%v: %s %s after %s, want %s %s after %s", err, v.Category, v.Code, v.Hint.After, category, code, after)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if strings.Contains(cause.Error(), token) || strings.Contains(cause.Error(), "SECcanary") {
			t.Errorf("a secret is in the error: %v", cause)
		}
	}
}
