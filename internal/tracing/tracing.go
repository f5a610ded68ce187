package tracing

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Scope is the name of the instrumentation.
const Scope = "github.com/outlast-dev/outlast"

// The words of the attributes; see the package comment.
const (
	system        = attribute.Key("messaging.system")
	operationName = attribute.Key("messaging.operation.name")
	operationType = attribute.Key("messaging.operation.type")
	destination   = attribute.Key("messaging.destination.name")
	messageID     = attribute.Key("messaging.message.id")
	batchCount    = attribute.Key("messaging.batch.message_count")
	taskType      = attribute.Key("outlast.type")
	target        = attribute.Key("outlast.target")
	attempt       = attribute.Key("outlast.attempt")
	claim         = attribute.Key("outlast.claim")
	outcome       = attribute.Key("outlast.outcome")
	category      = attribute.Key("outlast.category")
	code          = attribute.Key("outlast.code")
	deadReason    = attribute.Key("outlast.dead_reason")
	delay         = attribute.Key("outlast.delay")
	policyName    = attribute.Key("outlast.policy")
	policyVersion = attribute.Key("outlast.policy_version")
	existing      = attribute.Key("outlast.existing")
	errorType     = attribute.Key("error.type")
)

// takenAway is the outcome of an attempt whose task had gone to another when its
// handler came back.
const takenAway = "taken_away"

// Tracer makes the spans. It is safe for concurrent use; a nil one makes none.
type Tracer struct{ tracer trace.Tracer }

// New makes a tracer of a provider, nil of none.
func New(provider trace.TracerProvider) *Tracer {
	if provider == nil {
		return nil
	}
	return &Tracer{provider.Tracer(Scope)}
}

// Attempt begins the span of an attempt that runs here, in the form of
// [engine.Config.Trace].
func (t *Tracer) Attempt(ctx context.Context, run *engine.Run) (context.Context, func(*store.Settlement)) {
	ctx, span := t.begin(ctx, run.Task, time.Time{})
	return ctx, func(end *store.Settlement) {
		if end == nil {
			span.SetAttributes(outcome.String(takenAway))
			span.End()
			return
		}
		finish(span, end, run.Policy)
	}
}

// Leased records the attempt of a remote worker, when it has ended.
func (t *Tracer) Leased(end *store.Settlement, policy *retry.Policy) {
	_, span := t.begin(context.Background(), end.Task, end.StartedAt)
	finish(span, end, policy)
}

// begin begins the root of a trace that is linked to the enqueue.
func (t *Tracer) begin(ctx context.Context, of *task.Task, at time.Time) (context.Context, trace.Span) {
	options := append(make([]trace.SpanStartOption, 0, 4), trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer))
	if origin := Parse(of.Spec.TraceParent); origin.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: origin}))
	}
	if !at.IsZero() {
		options = append(options, trace.WithTimestamp(at))
	}
	ctx, span := t.tracer.Start(ctx, "attempt "+of.Type, options...)
	if span.IsRecording() {
		span.SetAttributes(system.String("outlast"), operationName.String("attempt"), operationType.String("process"),
			destination.String(of.Queue), messageID.String(of.ID.String()), taskType.String(of.Type),
			target.String(of.Target), attempt.Int(of.Attempt), claim.Int64(of.Claim))
	}
	return ctx, span
}

// finish says what became of an attempt.
func finish(span trace.Span, end *store.Settlement, policy *retry.Policy) {
	defer span.End(trace.WithTimestamp(end.EndedAt))
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(outcome.String(string(end.Outcome)))
	if policy != nil && policy.Version() > 0 {
		span.SetAttributes(policyName.String(policy.Name()), policyVersion.Int64(policy.Version()))
	}
	if end.DeadReason != "" {
		span.SetAttributes(deadReason.String(string(end.DeadReason)))
	}
	if f := end.Failure; f != nil {
		span.SetAttributes(category.String(f.Category), errorType.String(f.Category))
		if f.Code != "" {
			span.SetAttributes(code.String(f.Code))
		}
		if end.Outcome == task.OutcomeFailed || end.Outcome == task.OutcomeSnoozed {
			span.SetAttributes(delay.Float64(f.Delay.Seconds()))
		}
		span.SetStatus(codes.Error, f.Category)
	}
}

// Enqueue is the span of one call that enqueues. The zero value is none.
type Enqueue struct{ span trace.Span }

// Enqueue begins the span of a call that enqueues count tasks, of which the first has
// the given type, queue and caller's trace context. A nil tracer begins none.
func (t *Tracer) Enqueue(ctx context.Context, kind, queue, parent string, count int) (context.Context, Enqueue) {
	if t == nil {
		return ctx, Enqueue{}
	}
	if origin := Parse(parent); origin.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, origin)
	}
	ctx, span := t.tracer.Start(ctx, "enqueue "+kind, trace.WithSpanKind(trace.SpanKindProducer))
	if span.IsRecording() {
		span.SetAttributes(system.String("outlast"), operationName.String("enqueue"), operationType.String("send"),
			destination.String(queue), taskType.String(kind))
		if count > 1 {
			span.SetAttributes(batchCount.Int(count))
		}
	}
	return ctx, Enqueue{span}
}

// Keep is the trace context that a task keeps which is enqueued in ctx: what its
// caller gave, else that of the span in ctx. With a tracer it is that of the enqueue,
// unless the caller gave one of another trace.
func (t *Tracer) Keep(ctx context.Context, given string) string {
	current := trace.SpanContextFromContext(ctx)
	if !current.IsValid() {
		return given
	}
	if given == "" || t != nil && Parse(given).TraceID() == current.TraceID() {
		return Format(current)
	}
	return given
}

// Accepted names the task that a call has enqueued, or has found.
func (e Enqueue) Accepted(id task.ID, found bool) {
	if e.span != nil && e.span.IsRecording() {
		e.span.SetAttributes(messageID.String(id.String()), existing.Bool(found))
	}
}

// End ends the span; err is why the call failed, nil for success.
func (e Enqueue) End(err error) {
	if e.span == nil {
		return
	}
	if err != nil {
		kind := "unknown"
		if typed, ok := errors.AsType[*task.Error](err); ok {
			kind = string(typed.Code)
		}
		e.span.SetAttributes(errorType.String(kind))
		e.span.SetStatus(codes.Error, kind)
	}
	e.span.End()
}
