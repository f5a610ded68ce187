package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/token"
)

// PlayFor says how long a run of the simulator may take, instead of [simTime].
func (s *Server) PlayFor(d time.Duration) { s.simTime = d }

// bare is a server with nothing behind it but the routes of a test.
func bare(log *strings.Builder) *Server {
	s := &Server{
		log: slog.New(slog.NewTextHandler(log, nil)), mux: http.NewServeMux(), api: newDocument(""), meter: newMeter(intake.NewConnections(1, 1, nil), intake.NewBytes(1)),
		tokens: token.NewKeeper(memory.New()),
	}
	s.mux.HandleFunc("/", s.notFound)
	return s
}

func TestPanicIsAProblemAndIsLogged(t *testing.T) {
	var log strings.Builder
	s := bare(&log)
	handle(s, route{method: "GET", path: "/panic", id: "panic", needs: token.View, scope: whole, answers: []int{200}}, func(context.Context, *none) (answer[client.Health], error) {
		panic("secret")
	})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/panic", nil))
	if w.Code != 500 || w.Header().Get("Content-Type") != "application/problem+json" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "guard_test.go") {
		t.Errorf("log %s", log.String())
	}
}

func TestMetricsHaveNoLabelOfTheCaller(t *testing.T) {
	var log strings.Builder
	s := bare(&log)
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(s.meter); err != nil {
		t.Fatal(err)
	}
	handle(s, route{method: "GET", path: "/things/{id}", id: "thing", needs: token.View, scope: whole, answers: []int{200}}, func(_ context.Context, in *operationID) (answer[client.Health], error) {
		return ok(client.Health{Status: in.ID})
	})
	for _, path := range []string{"/things/a", "/things/b", "/things/a?x=1", "/nothing"} {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://127.0.0.1"+path, nil))
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "route" && label.GetValue() != "GET /things/{id}" {
					t.Errorf("route %q", label.GetValue())
				}
			}
		}
	}
}
