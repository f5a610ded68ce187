package outlasttest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/outlasttest"
	"github.com/outlast-dev/outlast/task"
)

// A receiver that asks for ten seconds of rest gets them.
func testWebhook(t *testing.T) {
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		calls := 0
		k.Target("hooks.example.com", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if calls++; calls == 1 {
				w.Header().Set("Retry-After", "10")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		k.Start()
		draft := outlasttest.Of("http", map[string]string{"event": "paid"})
		draft.Target = &task.Request{URL: "https://hooks.example.com/paid"}
		id := k.Enqueue(draft)[0].ID
		k.After(time.Minute)
		attempts := outlasttest.RequireStory(t, k.Client, id, "failed throttled", "succeeded")
		if rest := attempts[1].StartedAt.Sub(attempts[0].EndedAt); rest < 10*time.Second {
			t.Errorf("it had a rest of %s", rest)
		}
	})
}

// In a test file this is TestWebhook.
func ExampleKit_Target() {
	tests["Kit.Target"] = testWebhook
}
