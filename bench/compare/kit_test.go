package compare

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// errReset is the failure of most tests: a connection that broke under way.
var errReset error = syscall.ECONNRESET

// target is what is called. It remembers when.
type target struct {
	mu    sync.Mutex
	began time.Time
	at    []time.Duration
}

func newTarget() *target { return &target{began: time.Now()} }

// hit is one call that arrives. It returns its number, from 1.
func (g *target) hit() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = append(g.at, time.Since(g.began))
	return len(g.at)
}

func (g *target) hits() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.at)
}

// times are the arrivals in order.
func (g *target) times() []time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(slices.Values(g.at))
}

// gaps are the waits between arrivals.
func (g *target) gaps() []time.Duration {
	at := g.times()
	var gaps []time.Duration
	for i := range at[1:] {
		gaps = append(gaps, at[i+1]-at[i])
	}
	return gaps
}

// policy makes one of ours.
func policy(t *testing.T, options ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bubble runs a test in virtual time.
func bubble(test func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// clients runs n calls at once and waits for all of them.
func clients(n int, call func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(call)
	}
	all.Wait()
}

// load starts a call every gap for so long, whether or not the earlier ones have
// ended, and waits for all of them. It returns how many there were.
func load(gap, length time.Duration, call func()) (calls int) {
	var all sync.WaitGroup
	for began := time.Now(); time.Since(began) < length; time.Sleep(gap) {
		all.Go(call)
		calls++
	}
	all.Wait()
	return calls
}

// share is the part of so many.
func share(part, of int) float64 { return float64(part) / float64(of) }

// atMost fails when a measured value is above its bound.
func atMost[N int | float64 | time.Duration](t *testing.T, what string, got, bound N) {
	t.Helper()
	t.Logf("%s: %v", what, got)
	if got > bound {
		t.Errorf("%s: %v, above %v", what, got, bound)
	}
}

// atLeast fails when a measured value is below its bound.
func atLeast[N int | float64 | time.Duration](t *testing.T, what string, got, bound N) {
	t.Helper()
	t.Logf("%s: %v", what, got)
	if got < bound {
		t.Errorf("%s: %v, below %v", what, got, bound)
	}
}

// exactly fails when a measured value is another one.
func exactly[V comparable](t *testing.T, what string, got, want V) {
	t.Helper()
	t.Logf("%s: %v", what, got)
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// instants counts the different times.
func instants(at []time.Duration) int {
	return len(slices.Compact(slices.Sorted(slices.Values(at))))
}

// fails returns an operation that always fails, after the given time.
func fails(g *target, took time.Duration, err error) func(context.Context) error {
	return func(context.Context) error {
		g.hit()
		time.Sleep(took)
		return err
	}
}
