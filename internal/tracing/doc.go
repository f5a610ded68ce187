// Package tracing makes OpenTelemetry spans of what becomes of tasks. It needs the
// API of OpenTelemetry only; who wants spans brings a provider.
//
// An enqueue is a span in the trace of its caller: a child of the span in the
// caller's context, else of the caller's W3C trace context. Its own context is kept
// with the task. An attempt may come hours later and many times, so each is the root
// of a trace of its own, with a link to the enqueue: the trace of the caller ends when
// its work does, and no trace grows for days. What a handler does is below its attempt,
// and an HTTP request carries the attempt's traceparent to the target.
//
// Span names are the operation and the type of the task, "enqueue mail.send" and
// "attempt mail.send". Attributes follow the conventions for messaging where they have
// a word for it:
//
//	messaging.system               outlast
//	messaging.operation.name       enqueue, attempt
//	messaging.operation.type       send, process
//	messaging.destination.name     the queue
//	messaging.message.id           the task's id; of a batch only its size, messaging.batch.message_count
//	outlast.type                   the task's type
//	outlast.target                 what the task calls: the URL's host, else the type
//	outlast.attempt, outlast.claim numbers of the attempt
//	outlast.outcome                what was decided: succeeded, failed, dead, …
//	outlast.category, outlast.code of the failure
//	outlast.dead_reason            of a task that dies
//	outlast.delay                  seconds until the next attempt
//	outlast.policy, outlast.policy_version  that decided
//	error.type                     the category of a failure, or the code of a refused enqueue
//
// Payloads, keys, metadata, headers, paths of URLs and texts of errors are in no span:
// they may hold what is private.
package tracing
