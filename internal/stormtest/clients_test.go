package stormtest

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

const (
	// clients is how many goroutines call, each one operation after the other.
	clients = 1000
	// thinking is the mean time between the operations of one client, so that there
	// are 250 a second, less than half of what the receiver can serve.
	thinking = 4 * time.Second
	// patience is the timeout of an attempt. When all clients stand in the queue of
	// the receiver, the last one waits for longer.
	patience = time.Second
)

// callers are goroutines that call through the HTTP adapter.
type callers struct {
	policy  func(retry.Observer) *retry.Policy
	targets *retry.Targets
	dial    func(ctx context.Context, network, address string) (net.Conn, error) // nil for the network
	base    *http.Transport
	group   sync.WaitGroup
}

// allowed is what the budget of [retryhttp.DefaultTargets] promises with the policy
// of guarded: the last of its waits, and the attempt before it.
var allowed = allowance{retry.BudgetConfig{Ratio: 0.1, Floor: 1, Burst: 10}, 400*time.Millisecond + patience}

// guarded calls as the adapter does by default, with a timeout per attempt.
func guarded(t *testing.T) *callers {
	return &callers{targets: retryhttp.DefaultTargets(), policy: func(o retry.Observer) *retry.Policy {
		return policyOf(t, retry.Attempts(4), retry.Exponential(100*time.Millisecond, 2, time.Minute), retry.PerAttempt(patience), retry.Observe(o))
	}}
}

// fixed calls as many programs do: again every 100 ms until it works.
func fixed(t *testing.T) *callers {
	return &callers{policy: func(o retry.Observer) *retry.Policy {
		return policyOf(t, retry.Unlimited(), retry.Fixed(100*time.Millisecond), retry.NoJitter(), retry.PerAttempt(patience), retry.Observe(o))
	}}
}

func policyOf(t *testing.T, opts ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (c *callers) start(ctx context.Context, url string, counted *series) {
	policy := c.policy(retry.Observer{Attempt: func(e retry.AttemptEvent) {
		counted.attempt(time.Now(), e.Number == 1)
	}})
	c.base = &http.Transport{MaxIdleConnsPerHost: clients, DialContext: c.dial}
	var opts []retryhttp.Option
	if c.targets != nil {
		opts = append(opts, retryhttp.Targets(c.targets))
	}
	client := &http.Client{Transport: retryhttp.New(c.base, policy, opts...)}
	for range clients {
		c.group.Go(func() {
			for more := pause(ctx, residual()); more; more = pause(ctx, rand.N(2*thinking)) {
				operate(ctx, client, url)
			}
		})
	}
}

// residual is what is left of a pause that began before the run, so that the first
// operations come as evenly as the later ones.
func residual() time.Duration {
	return time.Duration(float64(2*thinking) * (1 - math.Sqrt(rand.Float64())))
}

// pause is the time between operations; false when the run is over.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// operate makes one operation. What came of it is counted by the receiver.
func operate(ctx context.Context, client *http.Client, url string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		panic(err) // the URL is our own
	}
	resp, err := client.Do(req)
	if err != nil {
		return
	}
	io.Copy(io.Discard, resp.Body) //nolint:errcheck // the receiver counts
	resp.Body.Close()
}

func (c *callers) wait() {
	c.group.Wait()
	c.base.CloseIdleConnections()
}
