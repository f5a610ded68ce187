// Package push runs a task by sending it to an HTTP receiver: one call of
// [Sender.Do] is one attempt and at most one request that the receiver may have
// seen.
//
// The request carries the payload byte for byte, the headers that the caller
// asked for and those that describe the attempt:
//
//	Idempotency-Key, Webhook-Id      id of the task, the same at every attempt
//	Webhook-Timestamp                seconds since 1970
//	Webhook-Signature                Standard Webhooks, when there is a secret
//	Outlast-Task-Type, Outlast-Key   percent-encoded, see below
//	Outlast-Claim                    grows with every run of the task
//	Outlast-Attempt                  1, 2, …
//	Outlast-Max-Attempts             when attempts are limited
//	Outlast-Deadline                 RFC 3339, when there is one
//	traceparent                      of the attempt where attempts are traced, else of the task
//	                                 when it came with one
//
// Types and keys may be any text, headers may not: bytes that are not printable
// ASCII, spaces and percent signs are percent-encoded as in URLs. Names and keys
// of plain letters, digits and punctuation arrive as they are.
//
// A 2xx answer is success. Its body is the task's result if it is valid JSON of
// at most 64 KiB, whatever its Content-Type; any other body is dropped. A body
// that breaks off within this limit is a failure, since what the receiver wanted
// to say is not known. Every other answer, 3xx included, is a failure that
// [retryhttp.ClassifyResponse] judges, except that 421 is permanent; redirects are not
// followed. A 409 is [retry.Unavailable], since every request carries an idempotency
// key: the first one with it is still being worked on. Failures are [*Error].
//
// A target with a condition in [task.Request.Success] decides otherwise: whatever
// the status, an answer is success exactly if the condition holds over status,
// headers (the first value of each, by its name in lower case) and body (JSON of at
// most 64 KiB as its value, else the first 64 KiB as a text). If it does not, the
// status says what kind of failure that is; of a 2xx it is [retry.Unknown], with
// what its headers ask for. One that cannot be told, such as a missing field, is a
// failure with the code [CodeSuccess]. An answer with a status that is permanent and
// whose body breaks off is [retry.Network] as a 2xx is, unless the condition refuses
// it without its body.
//
// Failures without an answer are judged by [retry.Classify], with one exception:
// a host name that does not exist is [retry.Unsent] and so retried, because names
// of services come and go with their deployments. Untrusted certificates and
// refused addresses are permanent.
//
// A request is not repeated behind the engine's back: net/http resends only when
// a kept connection broke before anything was written. (Requests by GET, HEAD
// and OPTIONS without a body, which are safe to repeat, are also resent when it
// broke before the answer.)
package push
