package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server and a client of it.
func serve(t *testing.T, handler http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(handler)
	c, err := client.New(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c
}

func TestEnqueueRepeatsALostCallWithTheSameID(t *testing.T) {
	var calls atomic.Int64
	var bodies [3]string
	c := serve(t, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		call := calls.Add(1)
		bodies[call-1] = string(body)
		switch call {
		case 1:
			panic(http.ErrAbortHandler) // the answer is lost
		case 2:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"status":503,"code":"unavailable","title":"x"}`))
		default:
			_, _ = w.Write([]byte(`{"id":"01a1f88f-0b86-7027-a376-26f7e78c0000","state":"pending"}`))
		}
	})
	got, existing, err := c.Enqueue(t.Context(), client.Draft{Type: "a", Payload: json.RawMessage(`{"n":  1e400}`)})
	if err != nil || !existing || got.State != task.Pending {
		t.Fatalf("got %+v, %v, %v", got, existing, err)
	}
	if calls.Load() != 3 || bodies[0] != bodies[1] || bodies[1] != bodies[2] || !strings.Contains(bodies[0], `"id":"`) || !strings.Contains(bodies[0], `{"n":  1e400}`) {
		t.Errorf("%d calls with %q", calls.Load(), bodies)
	}
}

func TestActionsAreNotRepeated(t *testing.T) {
	var calls atomic.Int64
	c := serve(t, func(http.ResponseWriter, *http.Request) {
		calls.Add(1)
		panic(http.ErrAbortHandler)
	})
	for name, act := range map[string]func() error{
		"cancel":        func() error { _, err := c.Cancel(t.Context(), client.NewID()); return err },
		"test channel":  func() error { _, err := c.TestAlertChannel(t.Context(), "hook"); return err },
		"probe channel": func() error { _, err := c.ProbeAlertChannel(t.Context(), "hook"); return err },
		"release key":   func() error { _, err := c.ReleaseKey(t.Context(), "billing", "k"); return err },
	} {
		calls.Store(0)
		var known *task.Error
		if err := act(); !errors.As(err, &known) || known.Code != task.CodeUnavailable || calls.Load() != 1 {
			t.Errorf("%s: %d calls, error %v", name, calls.Load(), err)
		}
	}
}

func TestProblemsAreTyped(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"status":409,"title":"T","detail":"D","code":"conflict","errors":[{"path":"p","message":"m"}],"hint":"H","state":"dead","retry_after":"2s"}`))
	})
	_, err := c.Task(t.Context(), client.NewID())
	var problem *client.Error
	var known *task.Error
	if !errors.As(err, &problem) || problem.Status != 409 || !errors.As(err, &known) || known.State != task.Dead || known.RetryAfter != 2*time.Second {
		t.Errorf("error %#v", err)
	}
	if !errors.Is(err, &task.Error{Code: task.CodeConflict}) || err.Error() != "D; p: m (H)" {
		t.Errorf("error %v", err)
	}
}

func TestAnswersOfOthersAreNoProblemDocuments(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusTeapot) })
	_, err := c.Queues(t.Context())
	var problem *client.Error
	if !errors.As(err, &problem) || problem.Status != http.StatusTeapot || strings.Contains(err.Error(), "html") {
		t.Errorf("error %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/elsewhere" {
			t.Error("the redirect was followed")
		}
		http.Redirect(w, req, "/elsewhere", http.StatusFound)
	})
	if _, err := c.Queues(t.Context()); err == nil {
		t.Error("no error")
	}
}

func TestContextEndsACall(t *testing.T) {
	c := serve(t, func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Queues(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestExportNoticesACutAnswer(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{\"a\":1}\n{\"a\":")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	lines := 0
	err := c.Export(t.Context(), client.Filter{}, func([]byte) error { lines++; return nil })
	if err == nil || lines != 1 {
		t.Errorf("%d lines, error %v", lines, err)
	}
}

func TestServerURLs(t *testing.T) {
	for _, url := range []string{"", "x", "127.0.0.1:7070", "ftp://h", "http://", "http://u:p@h", "http://h?x=1", "http://h#x", "http://h h"} {
		if _, err := client.New(url); err == nil || strings.Contains(err.Error(), "u:p") && !strings.Contains(url, "u:p") {
			t.Errorf("%q: error %v", url, err)
		}
	}
}

func TestMarshalKeepsRawJSONAndReadsBack(t *testing.T) {
	in := client.Draft{
		Type: "a\u2028\x7f\"\\\n", Payload: json.RawMessage("{ \"b\":1,\n \"a\": 2.50 }"), Delay: client.Duration(1500 * time.Millisecond),
		Metadata: map[string]string{"b": "<&>", "a": ""}, Target: &client.Target{URL: "http://h"},
		RunAt: client.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.FixedZone("", 3600))},
	}
	got, err := client.Marshal(&in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"a\u2028\u007f\"\\\n","payload":{ "b":1,` + "\n" + ` "a": 2.50 },"delay":"1.5s","run_at":"2026-01-02T02:04:05.600000Z","metadata":{"a":"","b":"<&>"},"target":{"url":"http://h"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back client.Draft
	if err := json.Unmarshal(got, &back); err != nil || back.Type != in.Type || string(back.Payload) != string(in.Payload) || !back.RunAt.Equal(in.RunAt.Time) {
		t.Errorf("read back %+v, %v", back, err)
	}
}
