package retry_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// mayRepeat is the rule of the gate in the words of the documentation.
func mayRepeat(c retry.Category, e retry.Effect, declared, named string, nested bool) bool {
	switch {
	case c == retry.Bug && named != "any":
		return false
	case slices.Contains([]retry.Category{retry.Permanent, retry.Canceled, retry.Deadline}, c) && named == "":
		return false
	case nested && e != retry.NotSent:
		return false
	case declared == "not":
		return e == retry.NotSent && c != retry.Unknown
	case named != "":
		return true
	case c == retry.Unknown:
		return declared == "idempotent"
	}
	return e == retry.NotSent || declared == "idempotent"
}

// Every category with every effect, declaration and kind of naming.
func TestGate(t *testing.T) {
	declarations := map[string][]retry.Option{
		"": nil, "idempotent": {retry.Idempotent()}, "not": {retry.NotIdempotent()},
	}
	count := 0
	for _, c := range retry.Categories() {
		namings := map[string][]retry.Option{
			"": nil, "on": {retry.On(c)}, "rule": {retry.Rules(retry.Rule{When: []retry.Category{c}})},
		}
		if c != retry.Canceled && c != retry.Deadline { // which OnAny leaves alone
			namings["any"] = []retry.Option{retry.OnAny()}
		}
		for declared, options := range declarations {
			for named, more := range namings {
				p := policy(t, append(slices.Clone(options), more...)...)
				for _, e := range []retry.Effect{retry.NotSent, retry.Maybe, retry.Done} {
					for _, nested := range []bool{false, true} {
						count++
						name := fmt.Sprintf("%s %s declared %q named by %q nested %v", c, e, declared, named, nested)
						got := p.Repeat(retry.Failure{
							Attempt: 2, Verdict: retry.Verdict{Category: c, Effect: e}, Nested: nested,
						}, nil)
						if want := mayRepeat(c, e, declared, named, nested); got.Retry != want || (got.Err == nil) != want {
							t.Errorf("%s: %+v, want %v", name, got, want)
						}
					}
				}
			}
		}
	}
	if count != (12*3+10)*3*3*2 {
		t.Fatalf("%d rows", count)
	}
}

// The reasons say what a caller can do about them.
func TestRepeatReasons(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	verdict := func(c retry.Category, e retry.Effect) retry.Verdict { return retry.Verdict{Category: c, Effect: e} }
	never := verdict(retry.Network, retry.NotSent)
	never.Hint.GiveUp = true
	rows := []struct {
		name    string
		failure retry.Failure
		opts    []retry.Option
		err     error
		rule    string
	}{
		{"bug", retry.Failure{Attempt: 1, Verdict: verdict(retry.Bug, retry.NotSent)}, []retry.Option{retry.Idempotent(), retry.On(retry.Bug)}, retry.ErrPermanent, "bug"},
		{"permanent", retry.Failure{Attempt: 1, Verdict: verdict(retry.Permanent, retry.Done)}, nil, retry.ErrPermanent, "policy"},
		{"canceled", retry.Failure{Attempt: 1, Verdict: verdict(retry.Canceled, retry.Maybe)}, nil, retry.ErrPermanent, "policy"},
		{"deadline", retry.Failure{Attempt: 1, Verdict: verdict(retry.Deadline, retry.Maybe)}, nil, retry.ErrNoTime, "policy"},
		{"maybe", retry.Failure{Attempt: 1, Verdict: verdict(retry.Network, retry.Maybe)}, nil, retry.ErrUnsafe, "effect"},
		{"unknown", retry.Failure{Attempt: 1, Verdict: verdict("", retry.Maybe)}, nil, retry.ErrUnknown, "effect"},
		{"unknown, not idempotent", retry.Failure{Attempt: 1, Verdict: verdict(retry.Unknown, retry.Maybe)},
			[]retry.Option{retry.NotIdempotent(), retry.OnAny()}, retry.ErrUnknown, "effect"},
		{"unknown, attempts used up", retry.Failure{Attempt: 8, Verdict: verdict(retry.Unknown, retry.Maybe)}, []retry.Option{retry.Idempotent()}, retry.ErrAttempts, "policy"},
		{"nested", retry.Failure{Attempt: 1, Nested: true, Verdict: verdict(retry.Network, retry.Maybe)}, []retry.Option{retry.Idempotent()}, retry.ErrNested, "nested"},
		{"hint", retry.Failure{Attempt: 1, Verdict: never}, nil, retry.ErrRejected, "hint"},
		{"late", retry.Failure{Attempt: 1, Verdict: verdict(retry.Unsent, retry.NotSent), Now: now, Deadline: now}, nil, retry.ErrNoTime, "unsent"},
		{"attempts", retry.Failure{Attempt: 8, Verdict: verdict(retry.Unsent, retry.NotSent)}, nil, retry.ErrAttempts, "policy"},
	}
	for _, row := range rows {
		got := policy(t, row.opts...).Repeat(row.failure, nil)
		if got.Err != row.err || got.Rule != row.rule || got.Retry || got.Cost != 0 { //nolint:errorlint // the very values
			t.Errorf("%s: %+v, want %v by %s", row.name, got, row.err, row.rule)
		}
	}
}

// A retry costs what its category says; after a first attempt that was not sent it
// is free.
func TestRepeatCosts(t *testing.T) {
	p := policy(t, retry.Idempotent())
	for _, c := range retry.Categories() {
		for attempt := 1; attempt <= 2; attempt++ {
			got := p.Repeat(retry.Failure{Attempt: attempt, Verdict: retry.Verdict{Category: c, Effect: retry.NotSent}}, nil)
			want := c.Advice().Cost
			if !got.Retry || c == retry.Unsent && attempt == 1 {
				want = 0
			}
			if got.Cost != want {
				t.Errorf("%s after attempt %d costs %v, want %v", c, attempt, got.Cost, want)
			}
		}
	}
}
