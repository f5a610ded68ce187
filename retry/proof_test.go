package retry_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// unsentError describes itself.
type unsentError struct{}

func (unsentError) Error() string { return "nobody took it" }
func (unsentError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent}
}

// adapterError is the form that an adapter gives to the end of a call.
type adapterError struct{ end *retry.Error }

func (e adapterError) Error() string               { return e.end.Error() }
func (e adapterError) Unwrap() error               { return e.end }
func (e adapterError) RetryVerdict() retry.Verdict { return e.end.RetryVerdict() }

// refusedDial is a real one: of a socket whose listener is gone.
func refusedDial(t *testing.T) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gone")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	_, err = (&net.Dialer{}).DialContext(t.Context(), "unix", path)
	if err == nil {
		t.Fatal("a socket without a listener was dialed")
	}
	return err
}

// What fails after a first step that had its effect is not repeated, whatever the
// text says, and whatever the type says of the step that failed.
func TestSecondStepIsNoProof(t *testing.T) {
	breakerOpen := &retry.Error{Reason: retry.ErrBreakerOpen} // of an operation inside
	failures := map[string]error{
		"too many requests":  errors.New("card charged, but the audit log answered: too many requests"),
		"connection refused": errors.New("order 17 stored; notification failed: connection refused"),
		"too many conns":     errors.New("order 17 stored; too many connections"),
		"locked":             errors.New("order 17 stored; database is locked"),
		"GOAWAY":             errors.New("http2: Transport received Server's graceful shutdown GOAWAY"),
		"dial":               fmt.Errorf("charged; audit: %w", refusedDial(t)),
		"dial, joined":       errors.Join(errors.New("charged"), refusedDial(t)),
		"no connection":      fmt.Errorf("charged; audit: %w", errUnsent),
		"operation inside":   fmt.Errorf("charged; audit: %w", breakerOpen),
		"adapter inside":     fmt.Errorf("charged; audit: %w", adapterError{breakerOpen}),
		"guard inside":       fmt.Errorf("charged; audit: %w", retry.ErrBreakerOpen),
	}
	policies := map[string]*retry.Policy{
		"not idempotent": policy(t, retry.Attempts(5), retry.Fixed(0), retry.NotIdempotent()),
		"undeclared":     policy(t, retry.Attempts(3), retry.Fixed(0)),
		"named":          policy(t, retry.Attempts(5), retry.Fixed(0), retry.NotIdempotent(), retry.OnAny()),
	}
	for name, fails := range failures {
		for declared, p := range policies {
			for form, charges := range charge(t, p, fails) {
				if charges != 1 {
					t.Errorf("%s, %s, %s: %d charges", name, declared, form, charges)
				}
			}
		}
	}
}

// charge counts the attempts of an operation that fails, in each form of Do.
func charge(t *testing.T, p *retry.Policy, fails error) map[string]int {
	t.Helper()
	charges := map[string]int{}
	step := func(form string) func(context.Context) error {
		return func(context.Context) error {
			charges[form]++
			return fails
		}
	}
	value := func(form string) func(context.Context) (int, error) {
		run := step(form)
		return func(ctx context.Context) (int, error) { return 1, run(ctx) }
	}
	ends := map[string]error{
		"Do": retry.Do(t.Context(), p, step("Do")),
		"Go": retry.Go(t.Context(), p, step("Go")).Wait(),
	}
	_, ends["Value"] = retry.Value(t.Context(), p, value("Value"))
	_, ends["Hedged"] = retry.Hedged(t.Context(), p, value("Hedged"))
	for try := range p.Attempts(t.Context()) {
		ends["Attempts"] = try.Done(step("Attempts")(try.Context()))
	}
	for form, err := range ends {
		if !errors.Is(err, fails) {
			t.Errorf("%s lost the error: %v", form, err)
		}
	}
	return charges
}

// Who knows that nothing was sent at all can say so.
func TestProofs(t *testing.T) {
	dial := refusedDial(t)
	says := retry.Classifier(func(err error) (retry.Verdict, bool) {
		return retry.Verdict{Category: retry.Unsent, Effect: retry.NotSent}, errors.Is(err, dial)
	})
	rows := map[string]struct {
		fails error
		opts  []retry.Option
		call  []retry.CallOption
	}{
		"one exchange":              {fails: dial, opts: []retry.Option{retry.OneExchange()}},
		"one exchange, of the call": {fails: dial, call: []retry.CallOption{retry.OneExchange()}},
		"a classifier":              {fails: dial, opts: []retry.Option{retry.Classifiers(says)}},
		"a classifier of the call":  {fails: dial, call: []retry.CallOption{says}},
		"an error":                  {fails: fmt.Errorf("reserve: %w", unsentError{})},
		"a result":                  {fails: &retry.ResultError{Verdict: retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent}}},
	}
	for name, row := range rows {
		p := policy(t, append(row.opts, retry.Attempts(3), retry.Fixed(0), retry.NotIdempotent())...)
		calls := 0
		err := retry.Do(t.Context(), p, func(context.Context) error { calls++; return row.fails }, row.call...)
		if calls != 3 || !errors.Is(err, retry.ErrAttempts) {
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
	}
}

// The verdict of a policy on an error, as durable tasks are judged.
func TestPolicyClassifies(t *testing.T) {
	dial := refusedDial(t)
	own := policy(t, retry.Classifiers(func(err error) (retry.Verdict, bool) {
		return retry.Verdict{Category: retry.Permanent}, errors.Is(err, errNobody)
	}))
	rows := map[string]struct {
		err  error
		want retry.Verdict
	}{
		"the policy's own":    {errNobody, retry.Verdict{Category: retry.Permanent, Effect: retry.Maybe, Type: "*errors.errorString"}},
		"a dial":              {dial, retry.Verdict{Category: retry.Unsent, Effect: retry.Maybe, Type: "*net.OpError", Code: "ECONNREFUSED"}},
		"an error of its own": {unsentError{}, retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent, Type: "retry_test.unsentError"}},
		"the end of another":  {&retry.Error{Reason: retry.ErrBreakerOpen}, retry.Verdict{Category: retry.Unavailable, Effect: retry.Maybe, Type: "retry"}},
		"nothing":             {nil, retry.Verdict{Category: retry.Unknown, Effect: retry.Maybe}},
	}
	for name, row := range rows {
		if got := own.Classify(row.err); got != row.want {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
	if got := own.Once().Classify(errNobody); got.Category != retry.Permanent {
		t.Errorf("a copy of the policy has lost its classifiers: %+v", got)
	}
}
