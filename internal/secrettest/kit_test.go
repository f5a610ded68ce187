//go:build unix

package secrettest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { os.Exit(binarytest.Run(servertest.Wrap(m))) }

// canaries are the secrets by where they were planted. Each has 32 bytes, so that
// it can be a key.
var canaries = map[string]string{
	"payload": "", "fallback": "", "edited": "", "header": "", "authorization": "", "result": "", "error": "",
	"target secret": "", "channel url": "", "channel secret": "", "encryption key": "", "store password": "", "refused": "",
}

func init() {
	for name := range canaries {
		canaries[name] = fmt.Sprintf("canary-%x-%032d", name, len(name))[:32]
	}
}

// carried are those that a task carries; who may read tasks may read them.
var carried = []string{"payload", "fallback", "edited", "header", "authorization", "result", "error"}

// forms are the ways in which a secret may be written.
func forms(secret string) [][]byte {
	return [][]byte{
		[]byte(secret), []byte(hex.EncodeToString([]byte(secret))),
		[]byte(base64.RawStdEncoding.EncodeToString([]byte(secret)))[:40],
		[]byte(base64.RawURLEncoding.EncodeToString([]byte(secret)))[:40],
	}
}

// leaks names the secrets that are in a text.
func leaks(text []byte) (found []string) {
	for name, secret := range canaries {
		for _, form := range forms(secret) {
			if bytes.Contains(text, form) {
				found = append(found, name)
				break
			}
		}
	}
	return found
}

// clean fails the test if a text has a secret that is not allowed there.
func clean(t *testing.T, what string, text []byte, allowed ...string) {
	t.Helper()
	for _, name := range leaks(text) {
		if !strings.Contains(strings.Join(allowed, "|"), name) {
			t.Errorf("%s shows the %s: …%s…", what, name, around(text, canaries[name]))
		}
	}
}

// around is where in a text a secret is.
func around(text []byte, secret string) []byte {
	at := bytes.Index(text, []byte(secret))
	if at < 0 {
		return []byte("in another form")
	}
	return text[max(0, at-200):min(len(text), at+100)]
}

// world is what is outside of the program: a receiver, and people who are told.
type world struct {
	url  string
	mu   sync.Mutex
	told [][]byte // messages to people
	seen [][]byte // requests to the receiver
}

func newWorld(t *testing.T) *world {
	w := &world{}
	s := httptest.NewServer(http.HandlerFunc(w.answer))
	t.Cleanup(s.Close)
	w.url = s.URL
	return w
}

func (w *world) answer(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/people/") {
		w.told = append(w.told, body)
		return
	}
	w.seen = append(w.seen, []byte(fmt.Sprint(r.Header, string(body))))
	if r.URL.Path == "/bad" {
		out.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(out, canaries["error"])
		return
	}
	out.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(out, `{"token": "`+canaries["result"]+`"}`)
}

func (w *world) messages() [][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([][]byte(nil), w.told...)
}

// received is all that the receiver got.
func (w *world) received() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Join(w.seen, []byte("\n"))
}

// configure writes a configuration that has every kind of secret, and sets the
// variables that it names.
func configure(t *testing.T, w *world, encrypted bool) (file string) {
	t.Helper()
	folder := t.TempDir()
	key := filepath.Join(folder, "k1")
	if err := os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString([]byte(canaries["encryption key"]))), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_TARGET_SECRET", "whsec_"+base64.StdEncoding.EncodeToString([]byte(canaries["target secret"])))
	t.Setenv("TEST_CHANNEL_URL", w.url+"/people/"+canaries["channel url"])
	t.Setenv("TEST_CHANNEL_SECRET", "whsec_"+base64.StdEncoding.EncodeToString([]byte(canaries["channel secret"])))
	text := `
log: {level: debug}
targets: {"` + strings.TrimPrefix(w.url, "http://") + `": {secret_env: TEST_TARGET_SECRET}}
alerts:
  channels: {ops: {kind: webhook, default: true, url_env: TEST_CHANNEL_URL, secret_env: TEST_CHANNEL_SECRET}}
`
	if encrypted {
		text += "encryption: {strict: true, keys: {k1: {file: " + key + "}}}\n"
	}
	file = filepath.Join(folder, "outlast.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs a command of the program and returns all that it says.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(binarytest.Path(), args...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("outlast %s: %v", args[0], err) // doctor finds something, a bad address is refused
	}
	return out
}

// get reads a page of the API.
func get(t *testing.T, url string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer(t, req)
}

func post(t *testing.T, url, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return answer(t, req)
}

func answer(t *testing.T, req *http.Request) []byte {
	t.Helper()
	resp, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(fmt.Sprint(resp.StatusCode, resp.Header)), body...)
}

// eventually waits for what other processes do.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !happened(); {
		if time.Now().After(deadline) {
			t.Fatalf("it does not happen: %s", what)
		}
		time.Sleep(10 * time.Millisecond) // sleep: what is waited for happens in another process
	}
}
