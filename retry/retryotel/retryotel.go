// Package retryotel counts attempts, waits and ends of a [retry.Policy] with
// OpenTelemetry, and marks the spans of repeated HTTP requests. It needs the
// API of OpenTelemetry only.
//
//	observer, err := retryotel.Observer(meters)
//	policy, err := retry.New(retry.Observe(observer), …)
//	client := &http.Client{Transport: retryhttp.New(otelhttp.NewTransport(retryotel.Annotate(base)), policy)}
//
// In that order each attempt has a span of its own, and the spans of repeats
// have the attribute http.request.resend_count.
//
// The metrics, durations in seconds:
//
//	retry.attempts           retry.target, retry.result, http.request.resend_count
//	retry.attempt.duration   retry.target, retry.result, http.request.resend_count
//	retry.wait.duration      retry.target, http.request.resend_count of the attempt that failed
//	retry.operations         retry.target, retry.result
//	retry.server.requests    retry.refused, http.request.resend_count
//
// The result of an attempt is success or the category of its failure, that of
// an operation success or why it ended. In metrics the count of resends is at
// most 10, and the first hundred targets have their name, all later ones are
// "other".
//
// Stability: stable. Names and their meaning stay within a major version.
package retryotel

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/label"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

const (
	scope       = "github.com/outlast-dev/outlast/retry"
	resendCount = attribute.Key("http.request.resend_count") // semantic conventions 1.26
	targetKey   = attribute.Key("retry.target")
	resultKey   = attribute.Key("retry.result")
	refusedKey  = attribute.Key("retry.refused")

	mostTargets = 100
	mostResends = 10
)

// events have no context: they come after their attempt.
var events = context.Background()

// observer holds the instruments.
type observer struct {
	targets    *label.Targets
	attempts   metric.Int64Counter
	durations  metric.Float64Histogram
	waits      metric.Float64Histogram
	operations metric.Int64Counter
}

// Observer makes what a policy is given by [retry.Observe]. Several policies may
// share it. The error is the provider's.
func Observer(provider metric.MeterProvider) (retry.Observer, error) {
	meter := provider.Meter(scope)
	buckets := metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60)
	o := &observer{targets: label.NewTargets(mostTargets)}
	var errs [4]error
	o.attempts, errs[0] = meter.Int64Counter("retry.attempts", metric.WithUnit("{attempt}"), metric.WithDescription("Attempts by number and result."))
	o.durations, errs[1] = meter.Float64Histogram("retry.attempt.duration", metric.WithUnit("s"), metric.WithDescription("Time of attempts."), buckets)
	o.waits, errs[2] = meter.Float64Histogram("retry.wait.duration", metric.WithUnit("s"), metric.WithDescription("Waits before retries."), buckets)
	o.operations, errs[3] = meter.Int64Counter("retry.operations", metric.WithUnit("{operation}"), metric.WithDescription("Operations by result."))
	if err := errors.Join(errs[:]...); err != nil {
		return retry.Observer{}, err
	}
	return retry.Observer{Attempt: o.attempt, Wait: o.wait, End: o.end}, nil
}

func (o *observer) attempt(e retry.AttemptEvent) {
	set := metric.WithAttributes(targetKey.String(o.targets.Of(e.Target)), resultKey.String(label.Attempt(e)), resends(e.Number))
	o.attempts.Add(events, 1, set)
	o.durations.Record(events, e.Took.Seconds(), set)
}

func (o *observer) wait(e retry.WaitEvent) {
	o.waits.Record(events, e.Delay.Seconds(), metric.WithAttributes(targetKey.String(o.targets.Of(e.Target)), resends(e.Number)))
}

func (o *observer) end(e retry.EndEvent) {
	o.operations.Add(events, 1, metric.WithAttributes(targetKey.String(o.targets.Of(e.Target)), resultKey.String(label.End(e))))
}

// resends is the number of an attempt as a bounded attribute.
func resends(number int) attribute.KeyValue {
	return resendCount.Int(min(max(number-1, 0), mostResends))
}

// Requests makes what a server is given by [retryhttp.OnRequest]. The error is the
// provider's.
func Requests(provider metric.MeterProvider) (func(retryhttp.RequestEvent), error) {
	requests, err := provider.Meter(scope).Int64Counter("retry.server.requests", metric.WithUnit("{request}"),
		metric.WithDescription("Requests received, by the attempt number that their client announced."))
	if err != nil {
		return nil, err
	}
	return func(e retryhttp.RequestEvent) {
		requests.Add(events, 1, metric.WithAttributes(refusedKey.String(e.Refused), resends(e.Attempt)))
	}, nil
}

// Annotate wraps the innermost transport: it adds http.request.resend_count to
// the span in the context of a request that is a repeat. First attempts have no
// such attribute, as the semantic conventions want it.
func Annotate(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return annotator{base}
}

type annotator struct{ base http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (a annotator) RoundTrip(req *http.Request) (*http.Response, error) {
	if info, ok := retry.Outer(req.Context()); ok && info.Attempt > 1 {
		trace.SpanFromContext(req.Context()).SetAttributes(resendCount.Int(info.Attempt - 1))
	}
	return a.base.RoundTrip(req)
}

// CloseIdleConnections passes the call of [http.Client.CloseIdleConnections] on.
func (a annotator) CloseIdleConnections() {
	if base, ok := a.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}
