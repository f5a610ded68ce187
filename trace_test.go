package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/tracing"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// spans are those that have ended, in their order.
type spans struct {
	*tracetest.SpanRecorder
	provider *sdktrace.TracerProvider
}

func newSpans() *spans {
	recorder := tracetest.NewSpanRecorder()
	return &spans{recorder, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))}
}

func (s *spans) named(name string) (found []sdktrace.ReadOnlySpan) {
	for _, span := range s.Ended() {
		if span.Name() == name {
			found = append(found, span)
		}
	}
	return found
}

// has reports the attributes of a span that differ from those wanted, as text.
func has(t *testing.T, span sdktrace.ReadOnlySpan, want map[string]string) {
	t.Helper()
	for name, value := range want {
		i := slices.IndexFunc(span.Attributes(), func(a attribute.KeyValue) bool { return string(a.Key) == name })
		if i < 0 && value != "" || i >= 0 && span.Attributes()[i].Value.String() != value {
			t.Errorf("%s: %s is not %q: %v", span.Name(), name, value, span.Attributes())
		}
	}
}

// An enqueue is in the trace of its caller; every attempt begins a trace of its own
// that is linked to the enqueue, and what the handler does is below it.
func TestTrace(t *testing.T) {
	seen := newSpans()
	virtually(t, func(k *kit) {
		tracer := seen.provider.Tracer("application")
		runs := 0
		outlast.Handle(k.client, "t", func(ctx context.Context, _ mail) error {
			_, inner := tracer.Start(ctx, "inner")
			inner.End()
			if runs++; runs == 1 {
				return fmt.Errorf("secret message: %w", syscall.ECONNREFUSED)
			}
			return nil
		})
		k.start()
		ctx, caller := tracer.Start(k.ctx, "caller")
		receipt, err := k.client.Enqueue(ctx, outlast.Draft{
			Type: "t", Key: "secret key", Metadata: map[string]string{"a": "secret metadata"}, Payload: []byte(`{"to":"secret payload"}`),
		})
		if err != nil {
			k.Fatal(err)
		}
		caller.End()
		k.after(time.Hour)

		enqueued := seen.named("enqueue t")
		if len(enqueued) != 1 || enqueued[0].Parent().SpanID() != caller.SpanContext().SpanID() || enqueued[0].SpanKind() != oteltrace.SpanKindProducer {
			k.Fatalf("%+v", enqueued)
		}
		has(k.T, enqueued[0], map[string]string{"messaging.system": "outlast", "messaging.operation.type": "send", "messaging.destination.name": "default", "messaging.message.id": receipt.Task.ID.String()})
		if got := k.get(receipt.Task.ID).Spec.TraceParent; got != tracing.Format(enqueued[0].SpanContext()) {
			k.Errorf("the task keeps the trace context %q", got)
		}
		attempts := seen.named("attempt t")
		if len(attempts) != 2 {
			k.Fatalf("%d attempts in %+v", len(attempts), seen.Ended())
		}
		for i, span := range attempts {
			links := span.Links()
			if span.Parent().IsValid() || len(links) != 1 || links[0].SpanContext.SpanID() != enqueued[0].SpanContext().SpanID() ||
				span.SpanContext().TraceID() == enqueued[0].SpanContext().TraceID() || span.SpanKind() != oteltrace.SpanKindConsumer {
				k.Errorf("attempt %d: %+v", i+1, span)
			}
			if inner := seen.named("inner")[i]; inner.Parent().SpanID() != span.SpanContext().SpanID() {
				k.Errorf("what the handler does is below %v", inner.Parent())
			}
			has(k.T, span, map[string]string{"outlast.attempt": fmt.Sprint(i + 1), "outlast.type": "t", "messaging.operation.type": "process", "messaging.destination.name": "default", "messaging.message.id": receipt.Task.ID.String()})
		}
		has(k.T, attempts[0], map[string]string{"outlast.outcome": "failed", "outlast.category": "unsent", "error.type": "unsent", "outlast.code": "ECONNREFUSED"})
		has(k.T, attempts[1], map[string]string{"outlast.outcome": "succeeded", "outlast.category": "", "error.type": ""})
		if attempts[0].Status().Code != codes.Error || attempts[1].Status().Code == codes.Error {
			k.Errorf("%v, %v", attempts[0].Status(), attempts[1].Status())
		}
		for _, span := range seen.Ended() {
			if text := fmt.Sprintf("%+v", tracetest.SpanStubFromReadOnlySpan(span)); strings.Contains(text, "secret") {
				k.Errorf("a span tells what is private: %s", text)
			}
		}
	}, outlast.WithTracerProvider(seen.provider))
}

// A refused enqueue says why; one of a batch has one span for all; a trace context in
// the draft goes before the caller's span.
func TestTraceOfEnqueue(t *testing.T) {
	seen := newSpans()
	virtually(t, func(k *kit) {
		k.start()
		if _, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "no name\n"}); err == nil {
			k.Error("accepted")
		}
		if _, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Queue: "missing", TraceParent: traceParent}); err == nil {
			k.Error("accepted")
		}
		receipts, err := k.client.EnqueueMany(k.ctx, []outlast.Draft{{Type: "t", TraceParent: traceParent}, {Type: "t"}, {Type: "t", TraceParent: strings.Replace(traceParent, "4b", "5c", 1)}}, true)
		if err != nil {
			k.Fatal(err)
		}
		refused := append(seen.named("enqueue task"), seen.named("enqueue t")...)
		if len(refused) != 3 || refused[1].Parent().TraceID().String() != traceParent[3:35] {
			k.Fatalf("%+v", refused)
		}
		has(k.T, refused[0], map[string]string{"error.type": "invalid"})
		has(k.T, refused[1], map[string]string{"error.type": "invalid"})
		batch := refused[2]
		has(k.T, batch, map[string]string{"error.type": "", "messaging.batch.message_count": "3"})
		own := tracing.Format(batch.SpanContext())
		if got := []string{receipts[0].Task.Spec.TraceParent, receipts[1].Task.Spec.TraceParent, receipts[2].Task.Spec.TraceParent}; !slices.Equal(got, []string{own, own, strings.Replace(traceParent, "4b", "5c", 1)}) {
			k.Errorf("the tasks keep %v, the call is %s", got, own)
		}
	}, outlast.WithTracerProvider(seen.provider))
}

// Without a provider there are no spans of ours, but a task keeps its caller's.
func TestTraceContextWithoutProvider(t *testing.T) {
	seen := newSpans()
	virtually(t, func(k *kit) {
		k.start()
		ctx, span := seen.provider.Tracer("application").Start(k.ctx, "caller")
		own, err := k.client.Enqueue(ctx, outlast.Draft{Type: "t"})
		if err != nil {
			k.Fatal(err)
		}
		given, err := k.client.Enqueue(ctx, outlast.Draft{Type: "t", TraceParent: traceParent})
		if err != nil {
			k.Fatal(err)
		}
		if own.Task.Spec.TraceParent != tracing.Format(span.SpanContext()) || given.Task.Spec.TraceParent != traceParent {
			k.Errorf("%q, %q", own.Task.Spec.TraceParent, given.Task.Spec.TraceParent)
		}
		if len(seen.Ended()) != 0 {
			k.Errorf("%+v", seen.Ended())
		}
	})
}

// The target of a request learns of the attempt, not of the enqueue.
func TestTraceReachesTheTarget(t *testing.T) {
	parents := make(chan string, 9)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { parents <- r.Header.Get("Traceparent") }))
	defer target.Close()
	seen := newSpans()
	client, err := outlast.Open(t.Context(), memory.New(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")), outlast.WithTracerProvider(seen.provider))
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Run(t.Context(), outlast.Draft{Target: &task.Request{URL: target.URL}, TraceParent: traceParent}); err != nil {
		t.Fatal(err)
	}
	if err := client.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	attempts := seen.named("attempt http")
	if got := <-parents; len(attempts) != 1 || got != tracing.Format(attempts[0].SpanContext()) {
		t.Errorf("the target got %q, the attempt is %+v", got, attempts)
	}
	if links := attempts[0].Links(); links[0].SpanContext.TraceID().String() != traceParent[3:35] {
		t.Errorf("the attempt is linked to %v", links)
	}
}

// An attempt of a remote worker is a span when it has ended, as long as it took.
func TestTraceOfRemoteWorker(t *testing.T) {
	seen := newSpans()
	virtually(t, func(k *kit) {
		k.start()
		id := k.enqueue(outlast.Draft{Type: "t", TraceParent: traceParent}).ID
		leased, err := k.client.Workers().Poll(k.ctx, outlast.Poll{Worker: "w", Queues: []string{"default"}, Most: 1, Wait: time.Second, Lease: time.Minute})
		if err != nil || len(leased) != 1 {
			k.Fatal(leased, err)
		}
		k.after(3 * time.Second)
		if _, err := k.client.Workers().Settle(k.ctx, []outlast.Ending{{ID: id, Claim: leased[0].Task.Claim, Err: errors.New("no")}}); err != nil {
			k.Fatal(err)
		}
		attempts := seen.named("attempt t")
		if len(attempts) != 1 || attempts[0].EndTime().Sub(attempts[0].StartTime()) != 3*time.Second || len(attempts[0].Links()) != 1 {
			k.Fatalf("%+v", attempts)
		}
		has(k.T, attempts[0], map[string]string{"outlast.outcome": "failed", "outlast.attempt": "1"})
	}, outlast.WithTracerProvider(seen.provider))
}

// A handler that comes back when its task was handed back has a span too.
func TestTraceOfTaskTakenAway(t *testing.T) {
	seen := newSpans()
	virtually(t, func(k *kit) {
		release := make(chan struct{})
		outlast.Handle(k.client, "t", func(context.Context, mail) error { <-release; return nil })
		k.start()
		k.enqueue(outlast.Draft{Type: "t"})
		k.after(time.Second)
		if err := k.client.Stop(k.ctx); err != nil {
			k.Log(err)
		}
		close(release)
		k.after(time.Second)
		attempts := seen.named("attempt t")
		if len(attempts) != 1 {
			k.Fatalf("%+v", seen.Ended())
		}
		has(k.T, attempts[0], map[string]string{"outlast.outcome": "taken_away"})
	}, outlast.WithTracerProvider(seen.provider), outlast.WithGrace(time.Nanosecond))
}
