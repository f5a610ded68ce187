package app

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast/internal/safehttp"
)

// Telemetry is where a server sends traces and metrics, by OTLP over HTTP.
type Telemetry struct {
	// Endpoint is the base URL of the collector, "" for none: then nothing is made.
	Endpoint string
	// Sample is the share of the traces that begin here, 0 to 1.
	Sample float64
	// Release of the application, an attribute of the resource; "" for none.
	Release string
}

const (
	exportTimeout = 10 * time.Second // of one request to the collector
	flushTimeout  = 2 * time.Second  // of what is left at a stop
)

// exports are what a server sends; all fields are nil without an endpoint.
type exports struct {
	to     Telemetry
	from   *resource.Resource
	caller *http.Client
	traces trace.TracerProvider
}

// telemetry starts the export of traces.
func (a *App) telemetry(ctx context.Context) (exports, error) {
	e := exports{to: a.config.Telemetry}
	if e.to.Endpoint == "" {
		return e, nil
	}
	log := a.config.Logger
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry.failed", "error", err) }))
	from, err := a.resource(ctx)
	if err != nil {
		return e, fmt.Errorf("telemetry: %w", err)
	}
	outbound := safehttp.New(safehttp.Options{Allow: everywhere})
	a.undo("connections of telemetry", flushTimeout, func(context.Context) error { outbound.CloseIdleConnections(); return nil })
	e.from, e.caller = from, outbound.HTTPClient(exportTimeout)
	provider, err := e.provider(ctx)
	if err != nil {
		return e, fmt.Errorf("telemetry: traces: %w", err)
	}
	a.undo("traces", flushTimeout, a.flushed(provider.Shutdown))
	e.traces = provider
	return e, nil
}

// measure starts the export of the registry's metrics. It ends after the node has, so
// that what happened at its stop is among them.
func (a *App) measure(ctx context.Context, e exports, registry *prometheus.Registry) error {
	if e.caller == nil {
		return nil
	}
	meters, err := e.meters(ctx, registry)
	if err != nil {
		return fmt.Errorf("telemetry: metrics: %w", err)
	}
	a.undo("metrics", flushTimeout, a.flushed(meters.Shutdown))
	return nil
}

// lasting keeps the metrics of a node that has stopped.
type lasting struct{ prometheus.Registerer }

// Unregister implements [prometheus.Registerer].
func (lasting) Unregister(prometheus.Collector) bool { return true }

// everywhere is open to the collector, which the operator has named.
var everywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// flushed is a shutdown that fails no stop: a collector that is away is no reason.
func (a *App) flushed(shutdown func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := shutdown(ctx); err != nil {
			a.config.Logger.Warn("telemetry.failed", "error", err)
		}
		return nil
	}
}

// resource says who sends: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go before
// what is said here.
func (a *App) resource(ctx context.Context) (*resource.Resource, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	attributes := []attribute.KeyValue{
		attribute.String("service.name", "outlast"), attribute.String("service.version", a.config.Version),
		attribute.String("service.instance.id", host+"/"+a.addr), attribute.String("host.name", host),
	}
	if release := a.config.Telemetry.Release; release != "" {
		attributes = append(attributes, attribute.String("outlast.release", release))
	}
	return resource.New(ctx, resource.WithAttributes(attributes...), resource.WithTelemetrySDK(), resource.WithFromEnv())
}

func (e *exports) provider(ctx context.Context) (*sdktrace.TracerProvider, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(e.url("traces")), otlptracehttp.WithHTTPClient(e.caller))
	if err != nil {
		return nil, err
	}
	sampler := sdktrace.ParentBased(&asEnqueued{sdktrace.TraceIDRatioBased(e.to.Sample)})
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(e.from), sdktrace.WithSampler(sampler)), nil
}

// meters send what the registry has, once a minute unless OTEL_METRIC_EXPORT_INTERVAL
// says otherwise.
func (e *exports) meters(ctx context.Context, registry *prometheus.Registry) (*metric.MeterProvider, error) {
	exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(e.url("metrics")), otlpmetrichttp.WithHTTPClient(e.caller))
	if err != nil {
		return nil, err
	}
	reader := metric.NewPeriodicReader(exporter, metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(registry))))
	return metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(e.from)), nil
}

// url is that of one kind of data, as OTLP says for a base URL.
func (e *exports) url(kind string) string {
	return strings.TrimSuffix(e.to.Endpoint, "/") + "/v1/" + kind
}

// asEnqueued samples an attempt as its enqueue was, to which it is linked, and other
// roots by themselves: so a trace that is kept has its attempts beside it.
type asEnqueued struct{ others sdktrace.Sampler }

// ShouldSample implements [sdktrace.Sampler].
func (s *asEnqueued) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if len(p.Links) == 0 {
		return s.others.ShouldSample(p)
	}
	decision := sdktrace.Drop
	if p.Links[0].SpanContext.IsSampled() {
		decision = sdktrace.RecordAndSample
	}
	return sdktrace.SamplingResult{Decision: decision}
}

// Description implements [sdktrace.Sampler].
func (s *asEnqueued) Description() string { return "AsEnqueued{" + s.others.Description() + "}" }
