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
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store/memory"
)

// PlayFor says how long a run of the simulator may take, instead of five
// seconds.
func (s *Server) PlayFor(d time.Duration) { s.simulator.Longest = d }

// bare is a server with nothing behind it but the calls of a test.
func bare(t *testing.T, log *strings.Builder, table *route.Table) *Server {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(log, nil))
	s := &Server{
		log: logger, mux: http.NewServeMux(), meter: newMeter(intake.NewConnections(1, 1, nil), intake.NewBytes(1)),
		gate: &gate{tokens: token.NewKeeper(memory.New()), log: logger},
	}
	if err := s.mount(table); err != nil {
		t.Fatal(err)
	}
	s.mux.HandleFunc("/", s.notFound)
	return s
}

func TestPanicIsAProblemAndIsLogged(t *testing.T) {
	var log strings.Builder
	table := route.NewTable("", nil)
	route.Handle(table, route.Route{Method: "GET", Path: "/panic", ID: "panic", Needs: inspect.PermissionView, Scope: scope.Whole}, func(context.Context, *route.None) (*route.Answer[client.Health], error) {
		panic("secret")
	})
	s := bare(t, &log, table)
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
	table := route.NewTable("", nil)
	route.Handle(table, route.Route{Method: "GET", Path: "/things/{id}", ID: "thing", Needs: inspect.PermissionView, Scope: scope.Whole}, func(context.Context, *struct {
		ID string `path:"id"`
	}) (*route.Answer[client.Health], error) {
		return route.OK(client.Health{})
	})
	s := bare(t, &log, table)
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(s.meter); err != nil {
		t.Fatal(err)
	}
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
