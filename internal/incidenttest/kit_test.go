package incidenttest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) { os.Exit(binarytest.Run(m)) }

// onDisk is a store that the next server finds again.
func onDisk(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "outlast.db")
}

// endpoint is a service that tasks call.
func endpoint(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// accepted hands a task in; when it returns, the task is on disk.
func accepted(t *testing.T, s *binarytest.Server, draft client.Draft) task.ID {
	t.Helper()
	made, _, err := s.API.Enqueue(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// found is the task as it stands.
func found(t *testing.T, s *binarytest.Server, id task.ID) *client.Task {
	t.Helper()
	is, err := s.API.Task(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// ended waits until the task has ended.
func ended(t *testing.T, s *binarytest.Server, id task.ID) *client.Task {
	t.Helper()
	eventually(t, "the task ends", func() bool { return found(t, s, id).State.Final() })
	return found(t, s, id)
}

// eventually waits for what other processes do.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !happened(); {
		if time.Now().After(deadline) {
			t.Fatalf("it does not happen: %s", what)
		}
		time.Sleep(10 * time.Millisecond) // sleep: what is waited for happens in another process
	}
}

// pager is a channel that people are told through.
type pager struct {
	mu   sync.Mutex
	told []page
}

// page is what a webhook channel gets of an alert, as far as tests look at it.
type page struct {
	Rule    string
	Kind    string
	Subject string
	Text    string
}

// newPager makes it the channel of everything, under the name ops.
func newPager(t *testing.T, s *binarytest.Server) *pager {
	t.Helper()
	p := &pager{}
	url := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		var got page
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			return // a message that was cut off comes again
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.told = append(p.told, got)
	})
	if _, err := s.API.PutAlertChannel(t.Context(), "ops", json.RawMessage(`{"kind": "webhook", "default": true, "url": "`+url+`"}`)); err != nil {
		t.Fatal(err)
	}
	return p
}

// of are the messages of a rule.
func (p *pager) of(rule string) (pages []page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.told {
		if one.Rule == rule {
			pages = append(pages, one)
		}
	}
	return pages
}
