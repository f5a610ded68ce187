package tracing

import (
	"context"
	"encoding/hex"
	"strconv"

	"go.opentelemetry.io/otel/trace"
)

// The form of a W3C traceparent of version 00: version, trace id, span id and flags.
const (
	parentLength = 55
	traceAt      = 3
	spanAt       = 36
	flagsAt      = 53
)

// Carried is the W3C trace context that a request of an attempt carries: that of the
// span in ctx, "" for none and with a nil tracer.
func (t *Tracer) Carried(ctx context.Context) string {
	if t == nil {
		return ""
	}
	return Format(trace.SpanContextFromContext(ctx))
}

// Format writes a W3C traceparent, "" for a context that is not valid.
func Format(of trace.SpanContext) string {
	if !of.IsValid() {
		return ""
	}
	traceID, spanID := of.TraceID(), of.SpanID()
	text := append(make([]byte, 0, parentLength), "00-"...)
	text = append(hex.AppendEncode(text, traceID[:]), '-')
	text = append(hex.AppendEncode(text, spanID[:]), '-')
	return string(hex.AppendEncode(text, []byte{byte(of.TraceFlags() & trace.FlagsSampled)}))
}

// Parse reads a W3C traceparent of any version. What is none is not valid.
func Parse(text string) (remote trace.SpanContext) {
	if len(text) < parentLength {
		return remote
	}
	traceID, err := trace.TraceIDFromHex(text[traceAt : spanAt-1])
	if err != nil {
		return remote
	}
	spanID, err := trace.SpanIDFromHex(text[spanAt : flagsAt-1])
	if err != nil {
		return remote
	}
	flags, err := strconv.ParseUint(text[flagsAt:parentLength], 16, 8)
	if err != nil {
		return remote
	}
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID, SpanID: spanID, TraceFlags: trace.TraceFlags(flags) & trace.FlagsSampled, Remote: true,
	})
}
