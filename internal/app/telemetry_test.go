package app_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/task"
)

// collector takes OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu  sync.Mutex
	got map[string][]byte // bodies by path
}

func newCollector(t *testing.T) *collector {
	c := &collector{got: map[string][]byte{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		key := r.URL.Path + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("Collector-Token")
		c.got[key] = append(c.got[key], body...)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// What a server did is at its collector after a stop, at the latest: spans of enqueues
// and attempts, and the metrics that /metrics has. Nothing private is among it.
func TestTelemetry(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "collector-token=letmein")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
	to, closed := newCollector(t), 0
	a, err := app.New(app.Config{
		Listen: "127.0.0.1:0", Store: "memory:", Openers: openers(&closed), Version: "v1.2.3",
		Telemetry: app.Telemetry{Endpoint: to.URL + "/", Sample: 1, Release: "shop-7"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = a.Client().Run(t.Context(), outlast.Draft{
		Target: &task.Request{URL: "http://localhost:9/canary-path", Headers: map[string]string{"X-A": "canary-header"}}, Payload: []byte(`"canary-payload"`), Metadata: map[string]string{"m": "canary-metadata"},
	})
	if dead := new(outlast.DeadError); !errors.As(err, &dead) {
		t.Fatal(err)
	}
	if err := a.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string][]string{
		"/v1/traces":  {"enqueue http", "attempt http", "outlast.dead_reason", "service.name", "shop-7", "v1.2.3", "deployment.environment"},
		"/v1/metrics": {"outlast_task_run_seconds", "outlast_tasks_enqueued_total", "service.instance.id"},
	} {
		body, ok := to.got[path+" application/x-protobuf letmein"]
		if !ok {
			t.Errorf("nothing came to %s, of %d kinds", path, len(to.got))
		}
		for _, want := range wants {
			if !bytes.Contains(body, []byte(want)) {
				t.Errorf("%s lacks %s", path, want)
			}
		}
		if bytes.Contains(body, []byte("canary")) {
			t.Errorf("%s has what is private", path)
		}
	}
}

// A collector that is away costs a stop two seconds at most, and nothing else.
func TestTelemetryWithoutCollector(t *testing.T) {
	closed := 0
	a, err := app.New(app.Config{Listen: "127.0.0.1:0", Store: "memory:", Openers: openers(&closed), Telemetry: app.Telemetry{Endpoint: "http://127.0.0.1:1", Sample: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Client().Enqueue(t.Context(), outlast.Draft{Type: "t"}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := a.Stop(t.Context()); err != nil || time.Since(began) > 10*time.Second || closed != 1 {
		t.Errorf("stopped with %v after %s", err, time.Since(began))
	}
}

func TestTelemetryEndpoint(t *testing.T) {
	closed := 0
	for _, endpoint := range []string{"127.0.0.1:4318", "grpc://a:1", "http://", "http://me:canary@a/", "http://a/?token=canary"} {
		_, err := app.New(app.Config{Store: "memory:", Openers: openers(&closed), Telemetry: app.Telemetry{Endpoint: endpoint}})
		if typed := new(task.Error); !errors.As(err, &typed) || typed.Code != task.CodeInvalid || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
