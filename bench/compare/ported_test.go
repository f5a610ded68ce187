package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/failsafe-go/failsafe-go/timeout"

	"github.com/outlast-dev/outlast/retry"
)

// behaviour is what a test of failsafe-go says of it, run against it and against
// Outlast. Each side says what came of it in the same words.
type behaviour struct {
	test         string // failsafe-go's own, where there is one
	does         string
	theirs, ours string // what came of it
	why          string // they differ on purpose; "" for the same
	failsafe     side
	outlast      side
}

// side runs a behaviour in virtual time.
type side func(t *testing.T) string

// alike is a behaviour in which both do the same.
func alike(test, does, outcome string, failsafe, outlast side) behaviour {
	return behaviour{test, does, outcome, outcome, "", failsafe, outlast}
}

// apart is a behaviour in which they differ on purpose.
func apart(test, does, theirs, ours, why string, failsafe, outlast side) behaviour {
	return behaviour{test, does, theirs, ours, why, failsafe, outlast}
}

func behaviours() []behaviour {
	return slices.Concat(portedRetries, portedFallbacks, portedTimeouts, portedLimits, portedBreakers, portedHedges, portedCaches, portedHandles)
}

func TestPorted(t *testing.T) {
	seen := make(map[string]bool)
	for _, b := range behaviours() {
		if seen[b.does] || b.test == "" || (b.theirs == b.ours) != (b.why == "") {
			t.Errorf("%q is not complete, or there twice", b.does)
		}
		seen[b.does] = true
		t.Run(strings.ReplaceAll(b.does, " ", "_"), func(t *testing.T) {
			for _, one := range []struct {
				name, want string
				run        side
			}{{"failsafe", b.theirs, b.failsafe}, {"outlast", b.ours, b.outlast}} {
				t.Run(one.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { exactly(t, b.does, one.run(t), one.want) })
				})
			}
		})
	}
}

// writePorted writes the table of the page.
func writePorted(to io.Writer) {
	same := 0
	for _, b := range behaviours() {
		if b.why == "" {
			same++
		}
	}
	fmt.Fprintf(to, portedHead, len(behaviours()), same, len(behaviours())-same)
	for _, b := range behaviours() {
		verdict, outcome := "same", b.theirs
		if b.why != "" {
			verdict, outcome = "differs, on purpose: "+b.why, b.theirs+"; here "+b.ours
		}
		fmt.Fprintf(to, "| %s | `%s` | %s | %s |\n", capital(b.does), strings.TrimPrefix(b.test, "Test"), outcome, verdict)
	}
}

const portedHead = `
## The tests of failsafe-go, ported

What its own tests say of failsafe-go, said with this library and run against both, in virtual time. Of %d behaviours %d
are the same, %d differ on purpose, and none cannot be said. Outcomes: what the call returned or why it failed, how
often the function was called, and how long it took. The names of its tests are without the Test before them.

| behaviour | its test | outcome | here |
|---|---|---|---|
`

// operation is called by both sides.
type operation func(ctx context.Context, p *probe) (int, error)

// probe counts the calls of an operation.
type probe struct {
	mu    sync.Mutex
	began time.Time
	calls int
	at    []time.Duration
}

func newProbe() *probe { return &probe{began: time.Now()} }

// call counts one and returns its number.
func (p *probe) call() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	p.at = append(p.at, time.Since(p.began))
	return p.calls
}

// tell says what came of it.
func (p *probe) tell(value int, err error) string {
	text := named(err)
	if err == nil {
		text = fmt.Sprint(value)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%s, %d×, %v", text, p.calls, time.Since(p.began))
}

var errOther = errors.New("another error")

// named is the reason of an error in the words of neither.
func named(err error) string {
	if end, ok := errors.AsType[*retry.Error](err); ok {
		err = end.Reason
	}
	for _, row := range []struct {
		name string
		errs []error
	}{
		{"no attempts left", []error{retrypolicy.ErrExceeded, retry.ErrAttempts}},
		{"no time left", []error{retry.ErrNoTime}},
		{"breaker open", []error{circuitbreaker.ErrOpen, retry.ErrBreakerOpen}},
		{"full", []error{bulkhead.ErrFull, retry.ErrLimited}},
		{"above the rate", []error{ratelimiter.ErrExceeded, retry.ErrRate}},
		{"timeout", []error{timeout.ErrExceeded, retry.ErrAttemptTimeout}},
		{"stopped", []error{failsafe.ErrExecutionCanceled, retry.ErrStopped}},
		{"canceled", []error{context.Canceled}},
		{"deadline", []error{context.DeadlineExceeded}},
		{"not declared repeatable", []error{retry.ErrUnsafe}},
		{"forbidden", []error{retry.ErrRejected}},
		{"reset", []error{errReset}},
		{"other", []error{errOther}},
	} {
		for _, known := range row.errs {
			if errors.Is(err, known) {
				return row.name
			}
		}
	}
	return fmt.Sprint(err)
}

// fail fails the first n calls with a reset, and then returns the number of the call.
func fail(n int) operation {
	return func(_ context.Context, p *probe) (int, error) {
		if number := p.call(); number > n {
			return number, nil
		}
		return 0, errReset
	}
}

// failWith always fails.
func failWith(err error) operation {
	return func(_ context.Context, p *probe) (int, error) { p.call(); return 0, err }
}

// take takes so long, whatever its context says.
func take(d time.Duration) operation {
	return func(_ context.Context, p *probe) (int, error) {
		number := p.call()
		time.Sleep(d)
		return number, nil
	}
}

// hang waits for the end of its context.
func hang(ctx context.Context, p *probe) (int, error) {
	p.call()
	<-ctx.Done()
	return 0, ctx.Err()
}

// theirs runs an operation once under policies, the outermost first.
func theirs(op operation, policies func() []failsafe.Policy[int]) side {
	return theirsIn(func(t *testing.T) context.Context { return t.Context() }, op, policies)
}

func theirsIn(ctx func(t *testing.T) context.Context, op operation, policies func() []failsafe.Policy[int]) side {
	return func(t *testing.T) string {
		p := newProbe()
		return p.tell(failsafe.With(policies()...).WithContext(ctx(t)).GetWithExecution(func(e failsafe.Execution[int]) (int, error) {
			return op(e.Context(), p)
		}))
	}
}

// ours runs it under a policy that retries any error at once, but for the options.
func ours(op operation, options ...func() retry.Option) side {
	return oursIn(func(t *testing.T) context.Context { return t.Context() }, op, options...)
}

func oursIn(ctx func(t *testing.T) context.Context, op operation, options ...func() retry.Option) side {
	return func(t *testing.T) string {
		p := newProbe()
		return p.tell(retry.Value(ctx(t), anyError(t, options...), func(ctx context.Context) (int, error) { return op(ctx, p) }))
	}
}

// anyError is three attempts at once, whatever the error, but for the options.
func anyError(t *testing.T, options ...func() retry.Option) *retry.Policy {
	all := []retry.Option{retry.Attempts(3), retry.Fixed(0), retry.NoJitter(), retry.OnAny()}
	for _, option := range options {
		all = append(all, option())
	}
	return policy(t, all...)
}

// with is an option that need not be made anew for each run.
func with(o retry.Option) func() retry.Option { return func() retry.Option { return o } }

// one is a policy by itself.
func one[P failsafe.Policy[int]](make func() P) func() []failsafe.Policy[int] {
	return func() []failsafe.Policy[int] { return []failsafe.Policy[int]{make()} }
}

// none is no policy.
func none() []failsafe.Policy[int] { return nil }

// theirRetries is theirs with changes.
func theirRetries(change func(retrypolicy.Builder[int]) retrypolicy.Builder[int]) func() []failsafe.Policy[int] {
	return one(func() retrypolicy.RetryPolicy[int] { return change(retrypolicy.NewBuilder[int]()).Build() })
}

// usual changes nothing.
func usual(b retrypolicy.Builder[int]) retrypolicy.Builder[int] { return b }

// canceledAfter ends the context of a call.
func canceledAfter(d time.Duration) func(t *testing.T) context.Context {
	return func(t *testing.T) context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(d, cancel)
		return ctx
	}
}

// limitedTo gives a call so long.
func limitedTo(d time.Duration) func(t *testing.T) context.Context {
	return func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		t.Cleanup(cancel)
		return ctx
	}
}
