package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/outlast-dev/outlast/token"
)

// meter counts requests by route and status, never by anything that a caller
// can choose freely.
type meter struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMeter() *meter {
	return &meter{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "outlast_http_requests_total", Help: "HTTP requests by route and status.",
		}, []string{"route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "outlast_http_request_duration_seconds", Help: "Time until the answer, waiting for tasks included.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30},
		}, []string{"route"}),
	}
}

// Describe implements [prometheus.Collector].
func (m *meter) Describe(out chan<- *prometheus.Desc) {
	m.requests.Describe(out)
	m.duration.Describe(out)
}

// Collect implements [prometheus.Collector].
func (m *meter) Collect(out chan<- prometheus.Metric) {
	m.requests.Collect(out)
	m.duration.Collect(out)
}

// addMetrics serves the registry. Its own calls are not among the metrics.
func (s *Server) addMetrics(registry *prometheus.Registry) {
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelError), Timeout: answerTimeout, MaxRequestsInFlight: 4,
	})
	s.plain(route{method: "GET", path: "/metrics", id: "get-metrics", needs: token.View, scope: whole, summary: "Metrics in the text format of Prometheus"}, handler)
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
		handler.ServeHTTP(w, req)
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
	duration := s.meter.duration.WithLabelValues(name)
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
			duration.Observe(time.Since(start).Seconds())
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
