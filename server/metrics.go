package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
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
			Name: "outlast_http_request_duration_seconds", Help: "Time until the answer, waiting for tasks included, by route.",
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
	const refused, why = "outlast_http_connections_refused_total", "Connections that were closed at once, and requests of HTTP/2 that got 503, by the bound: all are taken, or those of its address."
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

// of returns what counts the answers to a route.
func (m *meter) of(r *route.Route) func(status int, took time.Duration) {
	name, usual := r.Method+" "+r.Path, r.Answers[0]
	usually := m.requests.WithLabelValues(name, strconv.Itoa(usual))
	return func(status int, took time.Duration) {
		if !r.Endless || status != usual {
			m.duration.WithLabelValues(name).Observe(took.Seconds())
		}
		if status == usual {
			usually.Inc()
		} else {
			m.requests.WithLabelValues(name, strconv.Itoa(status)).Inc()
		}
	}
}

// addMetrics serves the registry. Its own calls are not among the metrics.
func addMetrics(to *route.Table, registry *prometheus.Registry, log *slog.Logger) {
	to.Plain(route.Route{
		Method: "GET", Path: "/metrics", ID: "get-metrics", Media: "text/plain", Needs: inspect.PermissionView, Scope: scope.Whole, Summary: "Metrics in the text format of Prometheus", About: "Of the node that answers.",
	}, promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), Timeout: route.AnswerTimeout, MaxRequestsInFlight: 4,
	}))
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
