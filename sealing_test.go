package outlast_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

func encryption(id string, fill byte) outlast.Option {
	return outlast.WithEncryption(sealed.Keys{Secrets: map[string][]byte{id: bytes.Repeat([]byte{fill, 7}, 16)}})
}

// With encryption a handler gets what was enqueued, its fallback too, and people
// see it; the store has none of it.
func TestEncryptedTask(t *testing.T) {
	virtually(t, func(k *kit) {
		var got []string
		note := func(_ context.Context, text string) error {
			got = append(got, text)
			return errors.New("canary error")
		}
		outlast.Handle(k.client, "pay", note, outlast.MaxAttempts(2))
		outlast.Handle(k.client, "refund", func(_ context.Context, text string) error {
			got = append(got, "refund "+text)
			return nil
		})
		k.start()
		one := k.enqueue(outlast.Draft{Type: "pay", Payload: []byte(`"canary"`), Fallback: &task.Follow{Type: "refund"}})
		k.after(time.Minute)
		if strings.Join(got, ", ") != "canary, canary, refund canary" {
			t.Errorf("ran with %q", got)
		}
		view := k.get(one.ID)
		if view.State != task.Dead || string(view.Payload) != `"canary"` || !strings.Contains(view.LastError.Message, "canary error") {
			t.Errorf("shown as %+v", view.Task)
		}
		for _, id := range []task.ID{one.ID, view.FallbackTask} {
			below, err := k.store.Get(k.ctx, id)
			if err != nil || bytes.Contains(below.Payload, []byte("canary")) || below.LastError != nil && strings.Contains(below.LastError.Message, "canary") {
				t.Errorf("the store has %+v, %v", below, err)
			}
		}
		if again := k.enqueue(outlast.Draft{ID: one.ID, Type: "pay", Payload: []byte(`"canary"`), Fallback: &task.Follow{Type: "refund"}}); again.ID != one.ID {
			t.Errorf("a repeat is %s", again.ID)
		}
	}, encryption("k1", 1))
}

// A node without the key leaves a task where it is, for as long as it takes, and
// says so; a node with the key then runs it.
func TestNodeWithoutTheKey(t *testing.T) {
	virtually(t, func(k *kit) {
		handle := func(c *outlast.Client, to *[]string) {
			outlast.Handle(c, "pay", func(_ context.Context, text string) error {
				*to = append(*to, text)
				return nil
			})
		}
		var wrong, right []string
		handle(k.client, &wrong)
		k.start()
		sealing, err := sealed.Wrap(k.store, sealed.Keys{Secrets: map[string][]byte{"k1": bytes.Repeat([]byte{1, 7}, 16)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		queues, err := k.client.Inspector().Queues(k.ctx)
		if err != nil {
			t.Fatal(err)
		}
		given := &task.Task{ID: outlast.NewID().WithLane(defaultLane(queues)), Queue: "default", Type: "pay", Target: "pay", Payload: []byte(`"canary"`)}
		if _, err := sealing.Enqueue(k.ctx, []store.Batch{{Items: []store.Insert{{Task: given}}}}); err != nil {
			t.Fatal(err)
		}
		k.after(24 * time.Hour)
		view := k.get(given.ID)
		if view.State != task.Pending || view.Attempt != 0 || view.Crashes != 0 || view.LastError == nil || view.LastError.Code != sealed.Undecryptable || len(wrong) > 0 {
			t.Fatalf("after a day it is %+v, with %+v", view.Task, view.LastError)
		}
		looks := len(k.log.events(t, "task.undecryptable"))
		if looks < 24*6 || looks > 24*6+10 {
			t.Errorf("%d looks in a day", looks)
		}
		if err := k.client.Stop(k.ctx); err != nil {
			t.Fatal(err)
		}
		second := k.open(k.store, encryption("k1", 1))
		handle(second, &right)
		if err := second.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(10*time.Minute + time.Second)
		if strings.Join(right, "") != "canary" {
			t.Errorf("with the key it ran with %q", right)
		}
	})
}

// defaultLane is a lane of the default queue.
func defaultLane(queues []outlast.Queue) uint16 {
	for _, queue := range queues {
		if queue.Name == task.DefaultQueue {
			return queue.Numbers[0]
		}
	}
	return 0
}
