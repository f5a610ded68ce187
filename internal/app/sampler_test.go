package app

import (
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast/internal/tracing"
)

// An attempt is sampled as its enqueue was; other roots are by their share.
func TestSampler(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0"
	for _, c := range []struct {
		share float64
		links string
		want  sdktrace.SamplingDecision
	}{
		{0, parent + "1", sdktrace.RecordAndSample}, {1, parent + "0", sdktrace.Drop},
		{0, "", sdktrace.Drop}, {1, "", sdktrace.RecordAndSample},
	} {
		p := sdktrace.SamplingParameters{Kind: trace.SpanKindConsumer}
		if c.links != "" {
			p.Links = []trace.Link{{SpanContext: tracing.Parse(c.links)}}
		}
		if got := (&asEnqueued{sdktrace.TraceIDRatioBased(c.share)}).ShouldSample(p).Decision; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
