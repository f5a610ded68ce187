package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/token"
)

// meter counts requests by route and status, never by anything that a caller
// can choose freely, and shows what is open and in memory.
type meter struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	intake   []prometheus.Collector
}

func newMeter(connections *intake.Connections, bodies *intake.Bytes) *meter {
	return &meter{
		intake: intakeMetrics(connections, bodies),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "outlast_http_requests_total", Help: "HTTP requests by route and status.",
		}, []string{"route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "outlast_http_request_duration_seconds", Help: "Time until the answer, waiting for tasks included.",
			Buckets: []float64{.001, .005, .025, .1, 1, 10},
		}, []string{"route"}),
	}
}

// Describe implements [prometheus.Collector].
func (m *meter) Describe(out chan<- *prometheus.Desc) {
	m.requests.Describe(out)
	m.duration.Describe(out)
	for _, one := range m.intake {
		one.Describe(out)
	}
}

// Collect implements [prometheus.Collector].
func (m *meter) Collect(out chan<- prometheus.Metric) {
	m.requests.Collect(out)
	m.duration.Collect(out)
	for _, one := range m.intake {
		one.Collect(out)
	}
}

// intakeMetrics show what callers hold of the node.
func intakeMetrics(connections *intake.Connections, bodies *intake.Bytes) []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	counter := func(name, help string, labels prometheus.Labels, value func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, value)
	}
	const refused, why = "outlast_http_connections_refused_total", "Connections that were closed at once, and requests of HTTP/2 that got 503, by the bound: all, or address."
	return []prometheus.Collector{
		gauge("outlast_http_connections", "Open connections of callers.", func() float64 { return float64(connections.Counts().Open) }),
		counter(refused, why, prometheus.Labels{"bound": "all"}, func() float64 { return float64(connections.Counts().Refused) }),
		counter(refused, why, prometheus.Labels{"bound": "address"}, func() float64 { return float64(connections.Counts().Own) }),
		counter("outlast_http_connections_idle_closed_total", "Idle connections that gave way to new ones.", nil, func() float64 { return float64(connections.Counts().Closed) }),
		gauge("outlast_http_bodies_bytes", "Bytes of the request bodies that are held in memory.", func() float64 {
			held, _ := bodies.Held()
			return float64(held)
		}),
		counter("outlast_http_bodies_refused_total", "Request bodies for which there was no room (503).", nil, func() float64 {
			_, refused := bodies.Held()
			return float64(refused)
		}),
	}
}

// addMetrics serves the registry. Its own calls are not among the metrics.
func (s *Server) addMetrics(registry *prometheus.Registry) {
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelError), Timeout: answerTimeout, MaxRequestsInFlight: 4,
	})
	s.plain(route{method: "GET", path: "/metrics", id: "get-metrics", needs: token.View, scope: whole, summary: "Metrics in the text format of Prometheus"}, handler)
}

// bounded is a handler whose whole answer must be made and taken within two spans of
// answerTimeout.
func bounded(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		deadline(w, 2*answerTimeout)
		handler.ServeHTTP(w, req)
	})
}

// plain adds a route that reads no input and is not measured.
func (s *Server) plain(r route, handler http.Handler) {
	r.tag = "health"
	op := &huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary, Tags: []string{r.tag},
		Responses: map[string]*huma.Response{"200": {Description: "OK"}},
	}
	secure(r, op)
	s.api.AddOperation(op)
	do := s.guarded(r, func(w http.ResponseWriter, req *http.Request) error {
		bounded(handler).ServeHTTP(w, req)
		return nil
	})
	s.mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, req *http.Request) {
		if err := do(w, req); err != nil {
			s.problem(w, req, err)
		}
	})
}

// measured makes a handler of a function that may fail.
func (s *Server) measured(r route, do func(http.ResponseWriter, *http.Request) error) http.Handler {
	name := r.method + " " + r.path
	usual := s.meter.requests.WithLabelValues(name, strconv.Itoa(r.answers[0]))
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start := time.Now()
		out := &statusWriter{ResponseWriter: w}
		if err := do(out, req); err != nil {
			if out.status != 0 { // too late for a problem: cut the answer off
				s.log.Warn("an answer was cut off", "error", err, "route", name)
				panic(http.ErrAbortHandler)
			}
			s.problem(out, req, err)
		}
		if !r.endless || out.status != r.answers[0] {
			s.meter.duration.WithLabelValues(name).Observe(time.Since(start).Seconds())
		}
		if out.status == r.answers[0] {
			usual.Inc()
		} else {
			s.meter.requests.WithLabelValues(name, strconv.Itoa(out.status)).Inc()
		}
	})
}

// statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
