package retryotel_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
	"github.com/outlast-dev/outlast/retry/retryotel"
)

// spanned makes a span for each attempt, as the instrumentation of net/http does.
type spanned struct {
	base   http.RoundTripper
	tracer trace.Tracer
}

func (s spanned) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, span := s.tracer.Start(req.Context(), req.Method)
	defer span.End()
	return s.base.RoundTrip(req.WithContext(ctx))
}

// collect returns what was counted: name → attributes → count.
func collect(t *testing.T, reader *metric.ManualReader) map[string]map[string]uint64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]map[string]uint64)
	note := func(name string, set attribute.Set, n uint64) {
		if found[name] == nil {
			found[name] = make(map[string]uint64)
		}
		found[name][set.Encoded(attribute.DefaultEncoder())] += n
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					note(m.Name, p.Attributes, uint64(p.Value))
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					note(m.Name, p.Attributes, p.Count)
				}
			}
		}
	}
	return found
}

// TestObserved: a client and a server, and what the SDK saw of them.
func TestObserved(t *testing.T) {
	t.Parallel()
	reader := metric.NewManualReader()
	meters := metric.NewMeterProvider(metric.WithReader(reader))
	observer, err := retryotel.Observer(meters)
	if err != nil {
		t.Fatal(err)
	}
	requests, err := retryotel.Requests(meters)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	s := httptest.NewServer(retryhttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n++; n < 3 {
			w.WriteHeader(503)
		}
	}), retryhttp.OnRequest(requests)))
	defer s.Close()

	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	policy, err := retry.New(retry.Attempts(3), retry.Fixed(time.Millisecond), retry.Observe(observer))
	if err != nil {
		t.Fatal(err)
	}
	targets := retry.NewTargets(0, 0, func(string) *retry.Target { return &retry.Target{Name: "api"} })
	base := &http.Transport{}
	c := &http.Client{Transport: retryhttp.New(spanned{retryotel.Annotate(base), tracer}, policy, retryhttp.Targets(targets))}
	defer base.CloseIdleConnections()
	resp, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()

	for i, span := range spans.Ended() {
		set := attribute.NewSet(span.Attributes()...)
		count, marked := set.Value("http.request.resend_count")
		if marked != (i > 0) || count.AsInt64() != int64(i) {
			t.Errorf("span %d: %v", i, span.Attributes())
		}
	}
	if len(spans.Ended()) != 3 {
		t.Error(len(spans.Ended()), "spans")
	}
	got := fmt.Sprint(collect(t, reader)) // maps are printed in order
	attempts := "map[http.request.resend_count=0,retry.result=unavailable,retry.target=api:1 " +
		"http.request.resend_count=1,retry.result=unavailable,retry.target=api:1 http.request.resend_count=2,retry.result=success,retry.target=api:1]"
	want := "map[retry.attempt.duration:" + attempts + " retry.attempts:" + attempts +
		" retry.operations:map[retry.result=success,retry.target=api:1]" +
		" retry.server.requests:map[http.request.resend_count=0,retry.refused=:1 http.request.resend_count=1,retry.refused=:1 http.request.resend_count=2,retry.refused=:1]" +
		" retry.wait.duration:map[http.request.resend_count=0,retry.target=api:1 http.request.resend_count=1,retry.target=api:1]]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestAttributesAreBounded whatever is called.
func TestAttributesAreBounded(t *testing.T) {
	t.Parallel()
	reader := metric.NewManualReader()
	observer, err := retryotel.Observer(metric.NewMeterProvider(metric.WithReader(reader), metric.WithCardinalityLimit(0)))
	if err != nil {
		t.Fatal(err)
	}
	for host := range 500 {
		for number := range 40 {
			observer.Attempt(retry.AttemptEvent{Target: fmt.Sprint(host), Number: number, Err: errors.New("x")})
		}
	}
	if got := len(collect(t, reader)["retry.attempts"]); got != 101*11 {
		t.Errorf("%d combinations of attributes", got)
	}
}
