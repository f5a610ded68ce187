package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// batchNode is a node that accepts every batch, or one that has ended.
func batchNode(t *testing.T, lives bool) *node {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var batch client.Batch
		if err := json.NewDecoder(req.Body).Decode(&batch); err != nil {
			t.Error(err)
		}
		results := client.BatchResults{Results: make([]client.BatchResult, len(batch.Tasks))}
		for i := range batch.Tasks {
			results.Results[i].ID = batch.Tasks[i].ID
		}
		_ = json.NewEncoder(w).Encode(results) // the client reports it
	}))
	t.Cleanup(server.Close)
	api, err := client.New(server.URL, client.WithTries(1))
	if err != nil {
		t.Fatal(err)
	}
	p := &process{api: api, ended: make(chan struct{})}
	if !lives {
		server.Close()
		close(p.ended)
	}
	return &node{life: p}
}

// A batch goes to another node when its own has ended, and is given up when all have.
func TestTogether(t *testing.T) {
	for _, lives := range []bool{true, false} {
		h := newHistory()
		l := newLoad(h, []*node{batchNode(t, false), batchNode(t, lives)}, "http://127.0.0.1:1/run", 1)
		o := &order{burst: true}
		h.add(o)
		l.draft(o)
		o.draft.ID = client.NewID()
		if got := l.together(t.Context(), 0, []*order{o}); got != lives || o.acked.IsZero() == lives || len(h.unsound) == 0 != lives {
			t.Errorf("another lives: %v; handed in: %v, unsound %q", lives, got, h.unsound)
		}
	}
}

// told is what a trial tells at its end.
func told(t *testing.T, h *history, html string, beside error) (out, said string, err error) {
	t.Helper()
	var shown, messages bytes.Buffer
	one := &trial{Env: &cli.Env{Out: &shown, Messages: &messages, Output: "table"}, history: h, options: &options{Nodes: 2, Seed: 7, html: html}}
	h.began = time.Now().Add(-30 * time.Second) // the page draws every second from then to now
	err = one.tell("postgres", beside)
	return shown.String(), messages.String(), err
}

// The report is shown whatever else goes wrong, and its verdict counts.
func TestTell(t *testing.T) {
	folder := t.TempDir()
	wrong := planted()
	wrong.unsound = []string{"something"}
	for name, one := range map[string]struct {
		h       *history
		html    string
		beside  error
		verdict string
		err     string
	}{
		"all well":              {planted(), filepath.Join(folder, "r.html"), nil, "Kept", ""},
		"kept, no page":         {planted(), folder, nil, "Kept", "every promise was kept, but: --html"},
		"kept, left behind":     {planted(), "", errors.New("schema s is left behind"), "Kept", "every promise was kept, but: schema s is left behind"},
		"broken, and no page":   {wrong, folder, nil, "BROKEN", "a promise was broken"},
		"broken, left behind":   {wrong, "", errors.New("schema s is left behind"), "BROKEN", "a promise was broken"},
		"kept, and two of them": {planted(), folder, errors.New("schema s is left behind"), "Kept", "s is left behind"},
	} {
		out, said, err := told(t, one.h, one.html, one.beside)
		if !strings.Contains(out, one.verdict+" under 1 fault") {
			t.Errorf("%s: shown %q", name, out)
		}
		if (err == nil) != (one.err == "") || err != nil && !strings.Contains(err.Error(), one.err) {
			t.Errorf("%s: error %v", name, err)
		}
		if one.verdict == "BROKEN" && said == "" {
			t.Errorf("%s: nothing is said of what else went wrong", name)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "r.html")); err != nil {
		t.Error(err)
	}
}

// A file that cannot be written is refused before the run; one that can is left as it was.
func TestWritable(t *testing.T) {
	folder := t.TempDir()
	absent, there := filepath.Join(folder, "absent"), filepath.Join(folder, "there")
	if err := os.WriteFile(there, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if writable(folder) == nil || writable(filepath.Join(folder, "none", "r")) == nil {
		t.Error("a folder can be written")
	}
	if err := errors.Join(writable(absent), writable(there)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("an empty file is left")
	}
	if text, err := os.ReadFile(there); string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
}

// tired is a listener that fails once.
type tired struct {
	net.Listener
	failed bool
}

func (l *tired) Accept() (net.Conn, error) {
	if !l.failed {
		l.failed = true
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// A proxy that had too many open files goes on when it has fewer.
func TestProxyGoesOn(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	defer server.Close()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: &tired{Listener: listener}, network: "tcp", server: server.Listener.Addr().String(), links: map[*link]bool{}}
	done := make(chan struct{})
	p.pumps.Go(func() { defer close(done); p.accept() })
	defer p.close()
	go func() { <-done; _ = listener.Close() }()     // so that a client is refused and does not wait
	api := http.Client{Transport: &http.Transport{}} // its connection ends with the proxy
	answer, err := api.Get("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if string(text) != "here" {
		t.Errorf("%q, %v", text, err)
	}
}
