// Package retry decides whether a failed operation runs again and when.
//
// It has parts that can be used on their own:
//
//   - Classification. [Classify] and [ClassifyHTTP] turn an error or an answer
//     into a [Verdict]: a [Category] that says whether and when a retry makes
//     sense, an [Effect] that says whether the failed attempt may have done its
//     work, and a [Hint] from the receiver.
//   - Delays. A [Backoff] gives the nominal delay of the n-th retry, a [Jitter]
//     draws the actual one from a window around it.
//   - Policies. A [Policy] joins both with limits and rules. [Policy.Decide] is
//     a pure function: the failure, the time and the random numbers come in, the
//     [Decision] comes out. [Spec] is a policy's form in YAML and JSON.
//   - Guards. A [Budget] bounds retries, a [Breaker] stops calls to what is down
//     and finds out when it is back, a [Throttle] sheds first attempts, a [Limit]
//     bounds what is in flight. A [Target] has them for one thing that is called,
//     [Targets] are a bounded registry of those.
//
// Counting: an attempt is one run, the first included. Retry n follows the
// failure of attempt n, so a policy with five attempts has four retries.
//
// None of these starts goroutines, sleeps or reads a clock: time is an argument.
// Everything exported is safe for concurrent use unless its comment says
// otherwise.
//
// Sources: the jitter kinds "full", "equal" and "decorrelated" are those of
// Marc Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015),
// with the cap applied to the window and never to the draw. Retry-After follows
// RFC 9110 §10.2.3. The error tables follow the Go standard library's documented
// errors and the retry rules of the AWS and Google Cloud client libraries,
// go-redis, hashicorp/go-retryablehttp and Envoy. Retry budgets and the throttle
// are those of "Site Reliability Engineering" (2016), chapters "Handling Overload"
// and "Addressing Cascading Failures", with deposits scaled by success as in Marc
// Brooker, "Fixing retries with token buckets and circuit breakers" (2022).
package retry
