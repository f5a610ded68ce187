package retry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// journal writes down what an observer is told.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) write(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) observer() retry.Observer {
	return retry.Observer{
		Attempt: func(e retry.AttemptEvent) {
			j.write("attempt %s %d hedge=%v took %v: %v %s", e.Target, e.Number, e.Hedge, e.Took, e.Err, e.Verdict.Category)
		},
		Wait: func(e retry.WaitEvent) { j.write("wait %s %d: %v by %s", e.Target, e.Number, e.Delay, e.Rule) },
		End: func(e retry.EndEvent) {
			text := "success"
			if e.Err != nil {
				text = e.Err.Reason.Error()
			}
			j.write("end %s %d in %v: %s", e.Target, e.Attempts, e.Elapsed, text)
		},
	}
}

func (j *journal) check(t *testing.T, name string, want ...string) {
	t.Helper()
	if fmt.Sprintf("%q", j.lines) != fmt.Sprintf("%q", want) {
		t.Errorf("%s: got\n%q\nwant\n%q", name, j.lines, want)
	}
	j.lines = nil
}

func TestObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j journal
		target := &retry.Target{Name: "db"}
		p := policy(t, retry.For(target), retry.Observe(j.observer()), retry.Idempotent(),
			retry.Fixed(2*time.Second), retry.NoJitter(), retry.Attempts(2))
		slow := func(errs ...error) func(context.Context) error {
			fn, _ := failing(errs...)
			return func(ctx context.Context) error { time.Sleep(time.Second); return fn(ctx) }
		}

		_ = retry.Do(t.Context(), p, slow())
		j.check(t, "a success", "attempt db 1 hedge=false took 1s: <nil> ", "end db 1 in 1s: success")

		_ = retry.Do(t.Context(), p, slow(errReset, errReset))
		j.check(t, "two failures",
			"attempt db 1 hedge=false took 1s: connection reset by peer network",
			"wait db 1: 2s by policy",
			"attempt db 2 hedge=false took 1s: connection reset by peer network",
			"end db 2 in 4s: retry: no attempts left")

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		_ = retry.Do(ctx, p, slow(errReset))
		j.check(t, "a wait that is canceled",
			"attempt db 1 hedge=false took 1s: connection reset by peer network",
			"wait db 1: 2s by policy",
			"end db 1 in 2s: context canceled")

		func() {
			defer func() { _ = recover() }()
			_ = retry.Do(t.Context(), p, func(context.Context) error { panic("boom") })
		}()
		j.check(t, "a panic",
			"attempt db 1 hedge=false took 0s: retry: the attempt panicked or ended its goroutine bug",
			"end db 1 in 0s: retry: the attempt panicked or ended its goroutine")

		refusing := everyGuard(t)
		refusing.Breaker.Force(time.Now(), retry.Open)
		_ = retry.Do(t.Context(), p, slow(), retry.For(refusing))
		j.check(t, "a refusal", "end db 0 in 0s: retry: the breaker is open")
	})
}

// Every copy of a hedged attempt is told of once, whether it wins, fails or loses.
func TestObserverOfHedges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j journal
		p := policy(t, retry.Observe(j.observer()), retry.Idempotent(), retry.Fixed(0), retry.Hedge(retry.HedgeConfig{After: time.Second}))
		run := func(answers ...answer) {
			fn, _ := copies(answers...)
			_, _ = retry.Hedged(t.Context(), p, fn)
			synctest.Wait()
			slices.Sort(j.lines) // what loses is told of from its own goroutine
		}
		run(answer{after: time.Hour}, answer{after: time.Second})
		j.check(t, "the hedge wins",
			"attempt  1 hedge=false took 2s: context canceled canceled",
			"attempt  1 hedge=true took 1s: <nil> ",
			"end  1 in 2s: success")
		run(answer{2 * time.Second, errReset}, answer{after: 2 * time.Second})
		j.check(t, "the first fails",
			"attempt  1 hedge=false took 2s: connection reset by peer network",
			"attempt  1 hedge=true took 2s: <nil> ",
			"end  1 in 3s: success")
	})
}

// An observer that is only told of waits costs nothing until there is one.
func TestObserverOfWaitsOnly(t *testing.T) {
	waits := 0
	p := policy(t, retry.Observe(retry.Observer{Wait: func(retry.WaitEvent) { waits++ }}), retry.Fixed(0), retry.Idempotent())
	n := 0
	if got := testing.AllocsPerRun(100, func() {
		_ = retry.Do(t.Context(), p, func(context.Context) error { n++; return nil })
	}); got != 0 || waits != 0 {
		t.Errorf("%v allocations, %d waits", got, waits)
	}
	fn, _ := failing(errNetwork, errNetwork)
	if err := retry.Do(t.Context(), p, fn); err != nil || waits != 2 {
		t.Errorf("%v after %d waits", err, waits)
	}
}

func TestErrorText(t *testing.T) {
	rows := map[string]*retry.Error{
		"retry: no attempts left after 3 attempts in 1.23s: connection reset by peer": {
			Attempts: 3, Elapsed: 1234567890, Reason: retry.ErrAttempts, Last: errReset},
		"retry: the failure is permanent after 1 attempt: one; two": {
			Attempts: 1, Reason: retry.ErrPermanent, Last: errors.Join(errors.New("one"), errors.New("two"))},
		"retry: the breaker is open":                 {Reason: retry.ErrBreakerOpen},
		"context canceled after 2 attempts in 15ns":  {Attempts: 2, Elapsed: 15, Reason: context.Canceled},
		"context canceled after 2 attempts in 2m30s": {Attempts: 2, Elapsed: 150*time.Second + 123456789, Reason: context.Canceled},
		"retry: failed": {},
	}
	for want, err := range rows {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestErrorUnwraps(t *testing.T) {
	for want, err := range map[int]*retry.Error{
		0: {}, 1: {Reason: retry.ErrBreakerOpen}, 2: {Attempts: 1, Reason: retry.ErrAttempts, Last: errReset},
	} {
		all := err.Unwrap()
		if len(all) != want {
			t.Errorf("%+v unwraps to %v", err, all)
		}
		for _, one := range all {
			if one == nil {
				t.Errorf("%+v unwraps to nil", err)
			}
		}
	}
}

// What an outer operation makes of an inner one's end: the last error decides, but
// an attempt that may have had an effect is not forgotten over a later one that
// was not sent.
func TestErrorVerdict(t *testing.T) {
	p := policy(t, retry.Fixed(0), retry.Idempotent(), retry.Attempts(2))
	for name, row := range map[string]struct {
		errs   []error
		effect retry.Effect
	}{
		"none sent":    {[]error{errUnsent, errUnsent}, retry.NotSent},
		"first sent":   {[]error{errNetwork, errUnsent}, retry.Maybe},
		"second sent":  {[]error{errUnsent, errNetwork}, retry.Maybe},
		"both sent":    {[]error{errNetwork, errNetwork}, retry.Maybe},
		"ended at one": {[]error{errMissing}, retry.NotSent},
	} {
		fn, _ := failing(row.errs...)
		err := retry.Do(t.Context(), p, fn)
		want := retry.Classify(row.errs[len(row.errs)-1])
		want.Effect = row.effect
		if got := retry.Classify(fmt.Errorf("outer: %w", err)); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	for name, row := range map[string]struct {
		err  *retry.Error
		want retry.Category
	}{
		"breaker":  {&retry.Error{Reason: retry.ErrBreakerOpen}, retry.Unavailable},
		"limit":    {&retry.Error{Reason: retry.ErrLimited}, retry.Throttled},
		"throttle": {&retry.Error{Reason: retry.ErrThrottled}, retry.Throttled},
		"by hand":  {&retry.Error{Attempts: 1, Reason: retry.ErrBudget, Last: errReset}, retry.Network},
		"canceled": {&retry.Error{Reason: context.Canceled}, retry.Canceled},
		"zero":     {&retry.Error{}, retry.Unknown},
	} {
		if got := retry.Classify(row.err); got.Category != row.want || row.err.Attempts == 0 && row.err.Reason != nil && got.Effect != retry.NotSent {
			t.Errorf("%s: %+v, want %s", name, got, row.want)
		}
	}
}

// Several observers of one policy are all told, each of what it asks for.
func TestObservers(t *testing.T) {
	var told []string
	p := policy(t, retry.Fixed(0), retry.Idempotent(), retry.Attempts(2),
		retry.Observe(retry.Observer{Attempt: func(e retry.AttemptEvent) { told = append(told, fmt.Sprint("first attempt ", e.Number)) }}),
		retry.Observe(retry.Observer{End: func(retry.EndEvent) { told = append(told, "second end") }}),
		retry.Observe(retry.Observer{
			Attempt: func(e retry.AttemptEvent) { told = append(told, fmt.Sprint("third attempt ", e.Number)) },
			Wait:    func(retry.WaitEvent) { told = append(told, "third wait") },
			End:     func(retry.EndEvent) { told = append(told, "third end") },
		}))
	fn, _ := failing(errNetwork)
	if err := retry.Do(t.Context(), p, fn); err != nil {
		t.Fatal(err)
	}
	want := []string{"first attempt 1", "third attempt 1", "third wait", "first attempt 2", "third attempt 2", "second end", "third end"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
