package channel

import (
	"encoding/json"
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
	"github.com/outlast-dev/outlast/internal/channeltest"
	"github.com/outlast-dev/outlast/internal/safehttp"
)

func TestMain(m *testing.M) {
	UseMail(func(*alert.ChannelSpec, *Options, string) (alert.Channel, error) { return alert.ChannelFunc(nil), nil }) // package email has the tests of mail
	goleak.VerifyTestMain(m)
}

// What the tests of all kinds share.
var (
	hostile     = channeltest.Hostile
	huge        = channeltest.Huge
	wantVerdict = channeltest.WantVerdict
)

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

const token = channeltest.Token

// open makes a channel to a fake; the environment is env.
func open(t *testing.T, spec *alert.ChannelSpec, url string, env map[string]string) (alert.Channel, error) {
	t.Helper()
	if url != "" {
		spec.URLEnv = "ROBOT_URL"
	}
	if err := Check(spec); err != nil {
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

func mustOpen(t *testing.T, spec *alert.ChannelSpec, url string, env map[string]string) alert.Channel {
	t.Helper()
	made, err := open(t, spec, url, env)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
