package outlast

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// chosen is a client with policies of every kind, and tasks that have them.
func chosen(tb testing.TB) (*registry, map[string]*task.Task) {
	tb.Helper()
	s := memory.New()
	c, err := Open(tb.Context(), s)
	if err != nil {
		tb.Fatal(err)
	}
	Handle(c, "coded", func(context.Context, string) error { return nil }, Policy("payment"))
	made, err := retry.New(retry.Attempts(7))
	if err != nil {
		tb.Fatal(err)
	}
	Handle(c, "built", func(context.Context, string) error { return nil }, Retry(made))
	c.registry.policies.Take([]store.Object{
		{Kind: policy.Kind, Name: "p", Version: 3, Body: []byte(`{"max_attempts": 3}`)},
		{Kind: policy.Kind, Name: "tried", Version: 2, Body: []byte(`{"max_attempts": 9, "canary": {"share": "0.0001%", "base_version": 1, "base": {"max_attempts": 6}}}`)},
		{Kind: policy.KindType, Name: "limited", Body: []byte(`{"max_attempts": 2}`)},
	})
	return c.registry, map[string]*task.Task{
		"default": {Type: "t", Queue: "default"}, "named": {Type: "t", Policy: "p"}, "preset": {Type: "t", Policy: "payment"},
		"handler": {Type: "coded"}, "built": {Type: "built"}, "gone": {Type: "coded", Policy: "was-here-before"}, "limited": {Type: "limited"}, "tried": {ID: task.ID{1}, Type: "t", Policy: "tried"}, "inline": {Type: "t", Spec: task.Spec{Retry: json.RawMessage(`{"max_attempts": 4}`)}},
	}
}

// Every attempt asks for its policy: that costs no memory.
func TestPolicyOfATaskDoesNotAllocate(t *testing.T) {
	r, tasks := chosen(t)
	want := map[string]int{"default": 8, "named": 3, "preset": 5, "handler": 5, "built": 7, "gone": 5, "limited": 2, "tried": 6, "inline": 4}
	for name, one := range tasks {
		made, err := r.Policy(one) // the first time makes what is kept
		if err != nil || made.MaxAttempts() != want[name] {
			t.Errorf("%s: %d attempts, %v", name, made.MaxAttempts(), err)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = r.Policy(one) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkPolicyOfATask(b *testing.B) {
	r, tasks := chosen(b)
	for name, one := range tasks {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Policy(one); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
