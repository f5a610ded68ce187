package retryhttp

import (
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/internal/targetname"
	"github.com/outlast-dev/outlast/retry"
)

// DefaultBuffer is how much of a body without GetBody is kept for repeats.
const DefaultBuffer = 64 << 10

// DefaultHeaderTimeout is how long [Default] waits for the header of an answer
// when it makes the base transport.
const DefaultHeaderTimeout = 10 * time.Second

// Transport sends requests through a base transport and repeats those that
// failed. It is safe for concurrent use if the base is. Requests are never
// modified.
type Transport struct {
	base         http.RoundTripper
	policy       *retry.Policy
	targets      *retry.Targets
	nameOf       func(*http.Request) string
	classify     func(*http.Response) (retry.Verdict, bool)
	isIdempotent func(*http.Request) bool
	buffer       int64
	silent       bool
}

// New makes a transport. A nil base is [http.DefaultTransport], a nil policy
// [DefaultPolicy]. Guards are those of the policy, and with [Targets] those of
// each host.
func New(base http.RoundTripper, policy *retry.Policy, opts ...Option) *Transport {
	if base == nil {
		base = http.DefaultTransport
	}
	if policy == nil {
		policy = DefaultPolicy()
	}
	t := &Transport{base: base, policy: policy, nameOf: hostOf, buffer: DefaultBuffer}
	for _, opt := range opts {
		opt(t)
	}
	return t
}

// Default makes a transport with [DefaultPolicy] and [DefaultTargets]. A nil base
// is a copy of [http.DefaultTransport] that waits [DefaultHeaderTimeout] for the
// header of an answer, since without such a limit a server that hangs is never
// noticed, and that may keep all of its idle connections to one host.
func Default(base http.RoundTripper, opts ...Option) *Transport {
	if base == nil {
		base = defaultBase()
	}
	return New(base, DefaultPolicy(), append([]Option{Targets(DefaultTargets())}, opts...)...)
}

// DefaultPolicy is 3 attempts, 100 ms × 2 with full jitter, and hints of servers
// up to 30 s. It bounds neither an attempt nor all of them together: contexts do.
func DefaultPolicy() *retry.Policy {
	policy, err := retry.New(retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 30*time.Second), retry.FullJitter())
	if err != nil {
		panic("retryhttp: the default policy is refused: " + err.Error())
	}
	return policy
}

func defaultBase() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // somebody has replaced it
	}
	base := standard.Clone()
	base.ResponseHeaderTimeout = DefaultHeaderTimeout
	base.MaxIdleConnsPerHost = base.MaxIdleConns
	return base
}

// DefaultTargets makes the registry of [Default]: for each host a budget with the
// defaults, which costs no retry while only one answer in five fails (see
// [retry.BudgetConfig]), and a breaker that probes a host that is down at least every five
// seconds, so that the host is used in full again within fifteen seconds. The
// defaults of [retry.BreakerConfig] wait up to a minute: they suit tasks that can
// wait, and fleets of many thousand processes.
func DefaultTargets() *retry.Targets {
	return retry.NewTargets(0, 0, func(name string) *retry.Target {
		budget, err := retry.NewBudget(retry.BudgetConfig{})
		if err != nil {
			panic("retryhttp: the default budget is refused: " + err.Error())
		}
		breaker, err := retry.NewBreaker(retry.BreakerConfig{OpenFor: time.Second, OpenMax: 4 * time.Second})
		if err != nil {
			panic("retryhttp: the default breaker is refused: " + err.Error())
		}
		return &retry.Target{Name: name, Budget: budget, Breaker: breaker}
	})
}

// RoundTrip implements [http.RoundTripper]. See the package documentation for
// what comes back.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		return t.base.RoundTrip(req) // which says what is wrong
	}
	c := newCall(t, req)
	if c.target == nil {
		return c.end(retry.Hedged(c, t.policy, c.attempt, c.safety(), retry.OneExchange()))
	}
	return c.end(retry.Hedged(c, t.policy, c.attempt, c.safety(), retry.OneExchange(), retry.For(c.target)))
}

// CloseIdleConnections passes the call of [http.Client.CloseIdleConnections] on.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// hostOf names the target of a request, by the rule that durable tasks follow
// too: the host in lower case, with its port unless that is the scheme's own.
func hostOf(req *http.Request) string { return targetname.Of(req.URL) }
