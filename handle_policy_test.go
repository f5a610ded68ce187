package outlast_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// classified is a policy of five attempts at once, after a classifier.
func classified(t *testing.T, c retry.Classifier) *retry.Policy {
	t.Helper()
	p, err := retry.New(retry.Attempts(5), retry.Fixed(time.Millisecond), retry.Classifiers(c))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The classifiers of the policy that a handler was given decide about its tasks: the
// errors that it returns, and also what its time limit made of it.
func TestClassifiersDecideForTasks(t *testing.T) {
	refused := errors.New("the customer is blocked")
	own := func(err error) (retry.Verdict, bool) {
		return retry.Verdict{Category: retry.Permanent, Code: "own"}, errors.Is(err, refused) || errors.Is(err, context.DeadlineExceeded)
	}
	virtually(t, func(k *kit) {
		limited, err := retry.New(retry.Attempts(5), retry.Fixed(time.Millisecond), retry.PerAttempt(time.Second), retry.Classifiers(own))
		if err != nil {
			k.Fatal(err)
		}
		outlast.Handle(k.client, "blocked", func(context.Context, string) error { return refused }, outlast.Retry(classified(t, own)))
		outlast.Handle(k.client, "steered", func(context.Context, string) error { return outlast.GiveUp(refused) }, outlast.Retry(classified(t, own)))
		outlast.Handle(k.client, "slow", func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		}, outlast.Retry(limited))
		outlast.Handle(k.client, "another", func(context.Context, string) error { return errBroken }, outlast.Retry(classified(t, own)))
		outlast.Handle(k.client, "broken", func(context.Context, string) error { return refused },
			outlast.Retry(classified(t, func(error) (retry.Verdict, bool) { panic("a classifier with a mistake") })))
		k.start()
		for name, want := range map[string]struct {
			attempts int
			category retry.Category
			code     string
		}{
			"blocked": {1, retry.Permanent, "own"},
			"steered": {1, retry.Permanent, "own"},
			"slow":    {1, retry.Permanent, "own"},
			"another": {5, retry.Unknown, ""},
		} {
			made := k.enqueue(outlast.Draft{Type: name})
			k.after(time.Minute)
			view := k.get(made.ID)
			if view.State != task.Dead || view.Attempt != want.attempts || view.LastError.Category != string(want.category) || view.LastError.Code != want.code {
				t.Errorf("%s: %s after %d attempts, %+v", name, view.State, view.Attempt, view.LastError)
			}
		}
		made := k.enqueue(outlast.Draft{Type: "broken"})
		k.after(time.Hour)
		if view := k.get(made.ID); view.State != task.Dead || view.LastError.Category != string(retry.Bug) {
			t.Errorf("a classifier that panics: %s, %+v", view.State, view.LastError)
		}
	})
}

// What a handler returns about its last step says nothing about those before.
func TestHandlersEffectIsNotThatOfAStep(t *testing.T) {
	virtually(t, func(k *kit) {
		dial := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		outlast.Handle(k.client, "t", func(context.Context, string) error { return dial }, outlast.MaxAttempts(1))
		k.start()
		made := k.enqueue(outlast.Draft{Type: "t"})
		k.after(time.Minute)
		if f := k.get(made.ID).LastError; f == nil || f.Category != string(retry.Unsent) || f.Effect != string(retry.Maybe) {
			t.Errorf("%+v", f)
		}
	})
}

// Options of a policy that mean nothing to tasks are refused at the start, by name;
// so are a policy that is none and a delay where nothing has one.
func TestHandlerOptionsWithoutMeaning(t *testing.T) {
	breaker, err := retry.NewBreaker(retry.BreakerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	budget, err := retry.NewBudget(retry.BudgetConfig{})
	if err != nil {
		t.Fatal(err)
	}
	limit, err := retry.NewLimit(retry.LimitConfig{})
	if err != nil {
		t.Fatal(err)
	}
	throttle, err := retry.NewThrottle(retry.ThrottleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	given := func(opts ...retry.Option) outlast.HandleOption {
		p, err := retry.New(opts...)
		if err != nil {
			t.Fatal(err)
		}
		return outlast.Retry(p)
	}
	for name, opt := range map[string]outlast.HandleOption{
		"WithBreaker":   given(retry.WithBreaker(breaker)),
		"WithBudget":    given(retry.WithBudget(budget)),
		"WithLimit":     given(retry.WithLimit(limit)),
		"WithThrottle":  given(retry.WithThrottle(throttle)),
		"For":           given(retry.For(&retry.Target{Name: "shop"})),
		"Hedge":         given(retry.Hedge(retry.HedgeConfig{After: time.Second})),
		"OnExhausted":   given(retry.OnExhausted(retry.Pace)),
		"Observe":       given(retry.Observe(retry.Observer{End: func(retry.EndEvent) {}})),
		"NotIdempotent": given(retry.NotIdempotent()),
		"Independent":   given(retry.Independent()),
		"OneExchange":   given(retry.OneExchange()),
		"WithRand":      given(retry.WithRand(zero{})),
		"nil":           outlast.Retry(nil),
		"empty":         outlast.Retry(&retry.Policy{}),
		"calls":         outlast.Delay(time.Second),
	} {
		for form, register := range map[string]func(*outlast.Client, outlast.HandleOption){
			"Handle": func(c *outlast.Client, opt outlast.HandleOption) { outlast.Handle(c, "t", nothing, opt) },
			"Define": func(c *outlast.Client, opt outlast.HandleOption) {
				outlast.Define[string, outlast.None]("t", opt).Handle(c, outlast.NoResult(nothing))
			},
			"Definition.Handle": func(c *outlast.Client, opt outlast.HandleOption) {
				outlast.Define[string, outlast.None]("t").Handle(c, outlast.NoResult(nothing), opt)
			},
		} {
			client, err := outlast.Open(t.Context(), memory.New())
			if err != nil {
				t.Fatal(err)
			}
			register(client, opt)
			err = client.Start(t.Context())
			if name == "calls" && form == "Define" {
				if err != nil {
					t.Errorf("a delay of a definition: %v", err)
				}
			} else if refused := wantCode(t, err, task.CodeInvalid); !strings.Contains(refused.Message, name) || len(refused.Fields) != 1 {
				t.Errorf("%s of %s: %v", name, form, err)
			}
			if err := client.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	// What says nothing beyond what tasks are, or do.
	client, err := outlast.Open(t.Context(), memory.New())
	if err != nil {
		t.Fatal(err)
	}
	outlast.Handle(client, "t", nothing, given(retry.Idempotent(), retry.OnAny(), retry.FirstRunAfter(time.Second),
		retry.MaxCrashes(5), retry.OrderOnDead(retry.OrderSkip), retry.OnExhausted(retry.FailFast)))
	if err := client.Start(t.Context()); err != nil {
		t.Error(err)
	}
	if err := client.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func nothing(context.Context, string) error { return nil }

// zero is a source of random numbers that has only one.
type zero struct{}

func (zero) Float64() float64 { return 0 }
