package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// A canary in the file is tried over the version in force before; the same file read
// again changes nothing, and without the key the version holds for all tasks.
func TestCanaryOfAFile(t *testing.T) {
	s := memory.New()
	tried := "policies:\n  a:\n    max_attempts: 5\n    canary: %s\n"
	_, err := Apply(t.Context(), s, parsed(t, fmt.Sprintf(tried, "10%")), "n")
	if err == nil || !strings.Contains(err.Error(), "f.yaml:4: policies.a.canary: there is no version before it") || object(t, s, policy.Kind, "a") != nil {
		t.Fatalf("got %v", err)
	}
	is := func(version int64, body string) {
		t.Helper()
		if a := object(t, s, policy.Kind, "a"); a.Version != version || a.Managed != "file" || string(a.Body) != body {
			t.Errorf("version %d: %s", a.Version, a.Body)
		}
	}
	applies(t, s, "policies: {a: {max_attempts: 3}}\n", Applied)
	is(1, `{"max_attempts":3}`)
	applies(t, s, fmt.Sprintf(tried, "10%"), Applied)
	is(2, `{"max_attempts":5,"canary":{"share":"10%","base_version":1,"base":{"max_attempts":3}}}`)
	applies(t, s, fmt.Sprintf(tried, "10%"), Unchanged)
	applies(t, s, fmt.Sprintf(tried, "10%")+"revision: again\n", Applied)
	is(2, `{"max_attempts":5,"canary":{"share":"10%","base_version":1,"base":{"max_attempts":3}}}`)
	applies(t, s, fmt.Sprintf(tried, "50"), Applied)
	is(3, `{"max_attempts":5,"canary":{"share":"50%","base_version":1,"base":{"max_attempts":3}}}`)
	applies(t, s, "policies: {a: {max_attempts: 5}}\n", Applied)
	is(4, `{"max_attempts":5}`)

	// What the API has put is the version before too.
	if _, err := s.Change(t.Context(), store.Change{Put: []store.Object{{Kind: policy.Kind, Name: "b", Body: []byte(`{}`)}}}); err != nil {
		t.Fatal(err)
	}
	applies(t, s, "policies: {b: {ttl: 1m, canary: 1%}}\n", Applied)
	if b := object(t, s, policy.Kind, "b"); b.Version != 2 || string(b.Body) != `{"ttl":"1m0s","canary":{"share":"1%","base_version":1,"base":{}}}` {
		t.Errorf("%+v", b)
	}
}

func TestBadCanariesOfAFile(t *testing.T) {
	for _, bad := range []string{"0", "101", "x", "-1", "0%", "", "{share: 10%}"} {
		_, err := Parse("f.yaml", []byte("policies:\n  a:\n    canary: "+bad+"\n"))
		if err == nil || !strings.Contains(err.Error(), "f.yaml:3: policies.a.canary") || !strings.Contains(err.Error(), `such as "10%"`) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	_, err := Parse("f.yaml", []byte("schedules:\n  s: {every: 1h, task: {type: x, retry: {canary: 10%}}}\n"))
	if err == nil || !strings.Contains(err.Error(), "schedules.s.task.retry.canary") {
		t.Errorf("got %v", err)
	}
}
