package policy_test

import (
	"testing"

	"github.com/outlast-dev/outlast/retry"

	_ "github.com/outlast-dev/outlast/internal/policy" // reads the expressions
)

// The allow-list of docs/how-to/migration.md: what the first rules name is retried, and
// nothing else.
func TestAllowList(t *testing.T) {
	spec, err := retry.ParseSpec([]byte(`{"rules": [
		{"when": ["network", "unsent", "timeout"]}, {"when": "type.endsWith(\"BusyException\")"}, {"when": "true", "then": "dead"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Policy()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range retry.Categories() {
		want := c == retry.Network || c == retry.Unsent || c == retry.Timeout
		if got := p.Decide(retry.Failure{Attempt: 1, Verdict: retry.Verdict{Category: c, Type: "java.lang.RuntimeException"}}, nil); got.Retry != want {
			t.Errorf("%s: %+v, want %v", c, got, want)
		}
	}
	if got := p.Decide(retry.Failure{Attempt: 1, Verdict: retry.Verdict{Category: retry.Unknown, Type: "com.shop.BusyException"}}, nil); !got.Retry {
		t.Errorf("a class by name: %+v", got)
	}
}
