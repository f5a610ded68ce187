package compare

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

var hintClaims = []claim{
	{
		name: "hint_is_never_violated",
		what: "A receiver's Retry-After is a lower bound",
		how:  "100 clients get 429 with Retry-After: 10, at a policy with jitter",
		ours: "none before 10 s, none after 12.5 s, all at different moments",
		peers: []rival{
			defect(failsafeGo, "about half of the retries come too early: jitter is drawn around the hint, in both directions", bubble(func(t *testing.T) {
				at := failsafeHinted(t, failsafehttp.NewRetryPolicyBuilder().WithJitterFactor(0.25), "10")
				atLeast(t, "retries before the hint of 100", within(at, time.Millisecond, 10*time.Second-1), 25)
			})),
			defect(cenkalti, "none too early, but all at the same moment", bubble(func(t *testing.T) {
				g := newTarget()
				clients(100, func() {
					_, _ = backoff.Retry(t.Context(), func() (any, error) { g.hit(); return nil, backoff.RetryAfter(10) }, backoff.WithMaxTries(2))
				})
				exactly(t, "different moments of 100 retries", instants(g.times())-1, 1)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			at := ownHinted(t, []retry.Option{retry.Exponential(time.Second, 2, time.Minute)}, "10")
			exactly(t, "retries before the hint of 100", within(at, time.Millisecond, 10*time.Second-1), 0)
			exactly(t, "retries in time of 100", within(at, 10*time.Second, 12500*time.Millisecond), 100)
			atLeast(t, "different moments", instants(at)-1, 99)
		}),
	},
	{
		name: "hint_is_not_cut",
		what: "A hint that does not fit into the time left ends the call; it is not cut to fit",
		how:  "429 with Retry-After: 10 at a policy with 5 s in all",
		ours: "one attempt, and the call ends at once with ErrNoTime",
		peers: []rival{defect(failsafeGo, "the retry comes after 5 s, half of what the receiver asked for", bubble(func(t *testing.T) {
			at := failsafeHinted(t, failsafehttp.NewRetryPolicyBuilder().WithMaxDuration(5*time.Second), "10")
			exactly(t, "retries before the hint of 100", within(at, time.Millisecond, 10*time.Second-1), 100)
		}))},
		outlast: bubble(func(t *testing.T) {
			at := ownHinted(t, []retry.Option{retry.TTL(5 * time.Second)}, "10")
			exactly(t, "attempts of 100 clients", len(at), 100)
		}),
	},
	{
		name: "retry_after_as_a_date",
		what: "Retry-After may be a date, and the clocks need not agree",
		how:  "429 with a Retry-After date 10 s after the Date header; the receiver's clock is one hour ahead",
		ours: "the retry comes 10 to 12.5 s later",
		peers: []rival{
			defect(failsafeGo, "the date is not understood: the retry comes at once", bubble(func(t *testing.T) {
				at := failsafeHinted(t, failsafehttp.NewRetryPolicyBuilder(), dateAhead())
				exactly(t, "attempts at once of 200", within(at, 0, time.Millisecond), 200)
			})),
			defect(retryableHTTP, "the date is compared with the own clock: the retry comes one hour late", bubble(func(t *testing.T) {
				exactly(t, "wait", retryableWait(t, dateAhead()).Round(time.Minute), time.Hour)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			at := ownHinted(t, nil, dateAhead())
			exactly(t, "retries in time of 100", within(at, 10*time.Second, 12500*time.Millisecond), 100)
		}),
	},
	{
		name: "hint_is_capped",
		what: "A hint is bounded by the policy",
		how:  "429 with Retry-After of a year; a policy with delays of at most 30 s",
		ours: "the retry comes after 30 to 37.5 s",
		peers: []rival{
			defect(failsafeGo, "it waits for a year", bubble(func(t *testing.T) {
				at := failsafeHinted(t, failsafehttp.NewRetryPolicyBuilder().WithBackoff(time.Second, 30*time.Second), "31536000")
				exactly(t, "retry", at[len(at)-1], 365*24*time.Hour)
			})),
			defect(retryableHTTP, "it waits for a year", bubble(func(t *testing.T) {
				exactly(t, "wait", retryableWait(t, "31536000"), 365*24*time.Hour)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			at := ownHinted(t, []retry.Option{retry.Exponential(time.Second, 2, 30*time.Second)}, "31536000")
			exactly(t, "retries in time of 100", within(at, 30*time.Second, 37500*time.Millisecond), 100)
		}),
	},
	{
		name: "long_hint_does_not_end_retries",
		what: "A long hint alone does not end the retries",
		how:  "the receiver asks for 20 minutes, once; no limit was set",
		ours: "it waits (at most its maximum delay of 30 minutes here), retries and succeeds",
		peers: []rival{defect(cenkalti, "it gives up at once: the default MaxElapsedTime is 15 minutes, and nothing in the error says so", bubble(func(t *testing.T) {
			g := newTarget()
			_, err := backoff.Retry(t.Context(), func() (any, error) {
				if g.hit() == 1 {
					return nil, backoff.RetryAfter(20 * 60)
				}
				return nil, nil
			})
			exactly(t, "attempts", g.hits(), 1)
			exactly(t, "error", err.Error(), "retry after 20m0s")
		}))},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			refuse, accept := limited(g, "1200"), failing(g, http.StatusOK)
			transport := retryhttp.New(roundTrip(func(r *http.Request) (*http.Response, error) {
				if g.hits() == 0 {
					return refuse(r)
				}
				return accept(r)
			}), policy(t, retry.Exponential(time.Second, 2, 30*time.Minute)))
			get(t, &http.Client{Transport: transport})
			exactly(t, "attempts", g.hits(), 2)
			atLeast(t, "wait", g.gaps()[0], 20*time.Minute)
		}),
	},
}

// dateAhead is 10 s from now by a clock that is one hour ahead; see [headers].
func dateAhead() string {
	return time.Now().Add(time.Hour + 10*time.Second).UTC().Format(http.TimeFormat)
}

// headers are those of a receiver whose clock is one hour ahead.
func headers(after string) http.Header {
	return http.Header{
		"Retry-After": {after},
		"Date":        {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)},
	}
}

// limited is a transport in this process that answers 429.
func limited(g *target, after string) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		g.hit()
		return &http.Response{
			StatusCode: http.StatusTooManyRequests, Status: "429 Too Many Requests", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: headers(after), Body: io.NopCloser(strings.NewReader("")), Request: r,
		}, nil
	}
}

// roundTrip is a transport in this process.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// failsafeHinted has 100 clients get the same Retry-After, and returns when
// their two attempts each arrived.
func failsafeHinted(t *testing.T, b retrypolicy.Builder[*http.Response], after string) []time.Duration {
	g := newTarget()
	transport := failsafehttp.NewRoundTripper(limited(g, after), b.WithMaxRetries(1).Build())
	clients(100, func() { get(t, &http.Client{Transport: transport}) })
	return g.times()
}

// retryableWait is how long go-retryablehttp waits before its retry.
func retryableWait(t *testing.T, after string) time.Duration {
	g := newTarget()
	client := retryablehttp.NewClient()
	client.Logger, client.RetryMax = nil, 1
	client.HTTPClient = &http.Client{Transport: limited(g, after)}
	get(t, client.StandardClient())
	return g.gaps()[0]
}

// get makes one request, whatever comes of it.
func get(t *testing.T, client *http.Client) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://receiver.test/", nil)
	if err != nil {
		t.Error(err)
		return
	}
	if response, err := client.Do(request); err == nil {
		_ = response.Body.Close()
	}
}

// ownHinted is failsafeHinted for ours.
func ownHinted(t *testing.T, options []retry.Option, after string) []time.Duration {
	g := newTarget()
	transport := retryhttp.New(limited(g, after), policy(t, append(options, retry.Attempts(2))...))
	clients(100, func() { get(t, &http.Client{Transport: transport}) })
	return g.times()
}
