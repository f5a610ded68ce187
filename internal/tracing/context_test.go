package tracing_test

import (
	"testing"

	"go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/tracing"
)

func TestFormatAndParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var config trace.SpanContextConfig
		copy(config.TraceID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "trace"))
		copy(config.SpanID[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "span"))
		config.TraceFlags = trace.TraceFlags(rapid.IntRange(0, 1).Draw(t, "flags"))
		want := trace.NewSpanContext(config)
		if !want.IsValid() {
			t.Skip("zeros are no ids")
		}
		if got := tracing.Parse(tracing.Format(want)); !got.Equal(want.WithRemote(true)) {
			t.Fatalf("%+v became %+v", want, got)
		}
	})
}

func TestParse(t *testing.T) {
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	if got := tracing.Parse(good); !got.IsValid() || !got.IsSampled() || !got.IsRemote() || tracing.Format(got) != good {
		t.Errorf("%+v", got)
	}
	if got := tracing.Parse("cc" + good[2:] + "-what-comes-later"); !got.IsValid() {
		t.Error("a later version is not read")
	}
	for _, text := range []string{
		"", "x", good[:54], "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-zz",
	} {
		if got := tracing.Parse(text); got.IsValid() {
			t.Errorf("%q is %+v", text, got)
		}
	}
	if got := tracing.Format(trace.SpanContext{}); got != "" {
		t.Errorf("no context is %q", got)
	}
}

// A nil tracer does nothing, and adds nothing to a context.
func TestNoTracer(t *testing.T) {
	tracer := tracing.New(nil)
	ctx, span := tracer.Enqueue(t.Context(), "t", "default", "", 1)
	if span.End(nil); ctx != t.Context() || tracer.Carried(ctx) != "" || tracer.Keep(ctx, "given") != "given" {
		t.Error("a nil tracer does something")
	}
}
