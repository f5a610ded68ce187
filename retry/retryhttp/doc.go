// Package retryhttp repeats HTTP requests as a [retry.Policy] says, and lets
// servers see and refuse repeats.
//
// # Client
//
// A [Transport] is an [http.RoundTripper]. [Default] makes one that can be used
// as it is, with a retry budget and a breaker for each host:
//
//	client := &http.Client{Transport: retryhttp.Default(nil)}
//
// What is repeated. A failure is an error of the base transport or an answer
// with a status of 400 or above, judged by [retry.ClassifyHTTP] or by a
// classifier of your own ([Answers]). Whether a failed request may be sent again
// is decided for each request, in this order: the declaration in its context
// ([Idempotent], [NotIdempotent]), that of the policy ([retry.Idempotent],
// [retry.NotIdempotent]), the function given with [IdempotentIf], its method (GET, HEAD, OPTIONS, TRACE, PUT and DELETE are idempotent: RFC 9110
// §9.2.2), and the presence of an Idempotency-Key or X-Idempotency-Key header.
// Any other request, such as a plain POST, is repeated only when it certainly
// was not processed ([retry.NotSent]): a refused connection, a 429.
//
// Hedges. A policy with [retry.Hedge] sends copies of slow requests that may be
// repeated, beside each other; the first answer counts and the others are dropped.
//
// Bodies. A body with GetBody (that is what [http.NewRequest] sets for bytes and
// strings) is had anew for each attempt. Any other is recorded while it is sent,
// up to [DefaultBuffer] or what [Buffer] says; once more than that was read the
// request is not repeated, for the reason [ErrBody]. Nothing is read ahead, so that streaming bodies and
// Expect: 100-continue work as without this package.
//
// What comes back. An answer is returned as an answer, whatever its status: when
// a repeat of a 503 is not worth it or not allowed, the 503 is returned with a
// nil error, as users of [http.Client] expect, and [OutcomeOf] tells how many
// attempts were made and why no more. There, and for observers, such an answer is a
// [*StatusError]. Without an answer the error is a
// [*retry.Error] that holds the last real one, also when a guard refused to send
// anything. A context that ends always gives an error. Answers that are repeated
// are read to their end, up to 16 KiB, and closed, so that their connections are
// used again. A body that breaks off after a good header is the caller's to see:
// it is not repeated.
//
// Time. The policy's timeout of an attempt ([retry.PerAttempt]) covers the
// answer's body as well: it runs until the body has been read or closed, and a
// read after it fails with [retry.ErrAttemptTimeout]. To bound only the wait for
// the header, set ResponseHeaderTimeout of the base transport. What the breaker
// and the limit see as the length of a call ends with the header.
//
// Retry-After, in both forms, and Outlast-Retry are lower bounds of the wait,
// cut to the policy's cap; a wait that the deadline leaves no time for is not
// begun.
//
// # Attempts that net/http makes by itself
//
// [http.Transport] repeats a request at once when a kept connection turns out to
// be broken: always when nothing had been written, and for GET, HEAD, OPTIONS,
// TRACE and requests with an idempotency key also when the request had been
// written and no byte of an answer had come. These repeats follow no policy, and
// attempt numbers do not count them. The first kind reaches nobody. The second
// kind is counted here, taken from the target's budget, and shown as
// [Outcome.Resent].
//
// # Headers
//
// Every attempt tells what it is:
//
//	Outlast-Attempt        1, 2, …
//	Outlast-Max-Attempts   when attempts are limited
//	Outlast-Deadline       RFC 3339, when there is one
//	Retry-Attempt          2;max=5;ddl=1500: the same, with the milliseconds left
//
// A call made inside an attempt of an outer operation counts on from there: the
// first try inside an outer second attempt says 2. So servers further down know
// that somebody above is already repeating. [NoHeaders] turns them off.
//
// # Server
//
// [Handler] reads these headers, and those of Envoy, gRPC, the AWS and the
// Google Cloud client libraries, and puts the attempt and the deadline into the
// request's context. Calls that the handler makes with that context through
// this module do not multiply: inside a repeat they repeat only what was not
// sent. It can refuse repeats: see [RefuseWhileOpen] and [RefuseOverBudget].
//
// Stability: stable. Names and their meaning stay within a major version.
package retryhttp
