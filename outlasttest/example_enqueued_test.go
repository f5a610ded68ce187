package outlasttest_test

import (
	"context"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/outlasttest"
)

// signUp is a function of a program that enqueues tasks.
func signUp(ctx context.Context, client *outlast.Client, address string) error {
	_, err := client.EnqueueMany(ctx, []outlast.Draft{
		outlasttest.Of("mail.welcome", map[string]string{"to": address}),
		{Type: "mail.tips", Delay: 72 * time.Hour},
	}, true)
	return err
}

func testSignUp(t *testing.T) {
	k := outlasttest.Open(t, outlast.WithEnqueueOnly())
	k.Start()
	if err := signUp(t.Context(), k.Client, "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{Type: "mail.welcome", Payload: map[string]string{"to": "ada@example.com"}, Count: 1})
	outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{Type: "mail.tips", Delay: 72 * time.Hour})
	outlasttest.RefuteEnqueued(t, k.Client, outlasttest.Want{Type: "mail.goodbye"})
}

// In a test file this is TestSignUp.
func ExampleRequireEnqueued() {
	tests["RequireEnqueued"] = testSignUp
}
