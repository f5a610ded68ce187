// Package retry decides whether a failed operation runs again and when, and runs
// it.
//
//	policy, err := retry.New(retry.Attempts(5), retry.Exponential(100*time.Millisecond, 2, 5*time.Second),
//		retry.PerAttempt(3*time.Second), retry.Idempotent())
//	…
//	err = retry.Do(ctx, policy, func(ctx context.Context) error { return call(ctx) })
//
// # Parts
//
// Each can be used on its own.
//
//   - Classification. [Classify] and [ClassifyHTTP] turn an error or an answer
//     into a [Verdict]: a [Category] that says whether and when a retry makes
//     sense, an [Effect] that says whether the failed attempt may have done its
//     work, and a [Hint] from the receiver.
//   - Delays. A [Backoff] gives the nominal delay of the n-th retry, a [Jitter]
//     draws the actual one from a window around it.
//   - Policies. A [Policy] joins both with limits and rules. [Policy.Decide] is
//     the decision for durable tasks, [Policy.Repeat] that for calls: pure
//     functions, into which the failure, the time and the random numbers come.
//     [Spec] is a policy's form in YAML and JSON.
//   - Guards. A [Budget] bounds retries, a [Breaker] stops calls to what is down
//     and finds out when it is back, a [Throttle] sheds first attempts, a [Limit]
//     bounds what is in flight, a [Rate] how much is sent in a time. A [Target] has them for one thing that is called,
//     [Targets] are a bounded registry of those.
//   - Calls. [Do], [Value], [ValueIf], [Policy.Attempts], [Go], [GoValue] and [Hedged]
//     run an operation under a policy and the guards. A [Fallback] answers for one that
//     failed; package cache keeps what succeeded.
//
// Counting: an attempt is one run, the first included. Retry n follows the
// failure of attempt n, so a policy with five attempts has four retries.
//
// # What happens in a call
//
//	           ┌──────────── deadline of the caller, TTL ────────────┐
//	Do ──▶ throttle ──▶ breaker ──▶ limit ──▶ rate ──▶ timeout ──▶ fn ──▶ success
//	      (first only)     ▲                                        │
//	                       │                                        ▼ failure
//	                     wait ◀──── budget ◀──── delay ◀──── classify, decide
//
// After a failure, in this order: what kind of failure it is; whether the policy
// repeats it, and whether that is safe; how long to wait; whether the deadline
// leaves time for the wait and an attempt of the usual length; whether the budget
// has tokens for it. Only then it waits, and asks the guards again. A refusal on
// the way, unless it is waited for ([MaxWait]), ends the call with an [*Error] that holds the reason and the last real
// error.
//
// # How to choose
//
//   - A function that returns an error: [Do]. One that returns a value: [Value];
//     [ValueIf] if some values are failures ("pending", an empty answer).
//   - Code that does not fit into a function: the loop over [Policy.Attempts].
//   - Something that may go on while the caller does something else, perhaps for
//     hours: [Go], or [GoValue] if it has a result.
//   - A read whose slowest calls are too slow: [Hedged].
//   - Anything that must survive this process is a durable task, not a call.
//   - Calls to something that others call too: [For] a target with a budget and a
//     breaker. The budget keeps retries from multiplying an overload, the breaker
//     keeps first attempts from keeping it up.
//   - [Idempotent], where repeating does no harm. Without it only failures that a
//     rule or [On] names are repeated, and those after which somebody who knows the
//     whole operation says that nothing was sent: see [OneExchange].
//   - Any error, up to the attempts: [OnAny].
//
// # What is guaranteed
//
//   - No attempt begins after the caller's context or the TTL has ended, and no
//     wait begins that would leave the next attempt no time.
//   - A delay is never shorter than the receiver's hint, up to the policy's cap, and
//     never shortened to fit a deadline.
//   - The last real error is in the [*Error], and is found by errors.Is and
//     errors.As; a context that ends does not replace it.
//   - What an attempt took of the guards is given back, also by a panic or
//     [runtime.Goexit]. Attempts that the caller canceled count for no guard.
//   - Layers do not multiply: inside a repeated attempt of an outer operation only
//     failures that were not sent are repeated; see [Outer] and [Independent].
//   - A success of [Do] or [Value] at the first attempt allocates nothing, unless
//     attempts have a time of their own.
//
// # Clocks, waits, goroutines
//
// Classification, delays, policies and guards read no clock and never wait: the
// time is an argument. Only calls read the clock, as late and as seldom as they
// can, and wait, on timers that end with the caller's context. Only [Go] and
// [Hedged] start goroutines: one for each attempt of Go, which ends before the
// wait; one for each copy of Hedged. Contexts of attempts make timers only when
// somebody waits for them. All of this works inside a testing/synctest bubble.
// Where no source of random numbers is given, the global one of math/rand/v2 is
// used.
//
// Everything exported is safe for concurrent use unless its comment says
// otherwise.
//
// # Sources
//
// The jitter kinds "full", "equal" and "decorrelated" are those of Marc Brooker,
// "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015), with the cap
// applied to the window and never to the draw. Retry-After follows RFC 9110
// §10.2.3. The error tables follow the Go standard library's documented errors
// and the retry rules of the AWS and Google Cloud client libraries, go-redis,
// hashicorp/go-retryablehttp and Envoy. Retry budgets, the throttle, and that inner
// layers leave repeating to outer ones are those of "Site Reliability Engineering"
// (2016), chapters "Handling Overload" and "Addressing Cascading Failures", with
// deposits scaled by success as in Marc Brooker, "Fixing retries with token buckets
// and circuit breakers" (2022). Hedging follows Dean and Barroso, "The Tail at
// Scale" (2013).
//
// Stability: stable. Names and their meaning stay within a major version.
package retry
