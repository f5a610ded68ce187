package outlast_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// kit is a client on a store in memory, in virtual time.
type kit struct {
	*testing.T
	ctx    context.Context
	store  *memory.Store
	client *outlast.Client
	log    *logBook
}

// virtually runs a test in virtual time with a client that has not started.
func virtually(t *testing.T, body func(k *kit), opts ...outlast.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k := &kit{T: t, ctx: t.Context(), store: memory.New(), log: &logBook{}}
		k.client = k.open(k.store, append([]outlast.Option{outlast.WithLogger(k.log.logger())}, opts...)...)
		body(k)
	})
}

// open makes a client that ends with the test.
func (k *kit) open(s store.Backend, opts ...outlast.Option) *outlast.Client {
	k.Helper()
	client, err := outlast.Open(k.ctx, s, opts...)
	if err != nil {
		k.Fatal(err)
	}
	k.Cleanup(func() {
		if err := client.Stop(context.Background()); err != nil {
			k.Error(err)
		}
	})
	return client
}

func (k *kit) start() {
	k.Helper()
	if err := k.client.Start(k.ctx); err != nil {
		k.Fatal(err)
	}
}

func (k *kit) enqueue(d outlast.Draft) *outlast.Task {
	k.Helper()
	receipt, err := k.client.Enqueue(k.ctx, d)
	if err != nil {
		k.Fatal(err)
	}
	return receipt.Task
}

func (k *kit) get(id outlast.ID) *inspect.View {
	k.Helper()
	view, err := k.client.Inspector().Tasks.Get(k.ctx, id)
	if err != nil {
		k.Fatal(err)
	}
	return view
}

// after lets virtual time pass.
func (k *kit) after(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

func wantCode(t *testing.T, err error, code task.Code) *outlast.Error {
	t.Helper()
	var e *outlast.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got the error %v, want code %s", err, code)
	}
	return e
}

// inline is the policy that a text says.
func inline(text string) *retry.Policy {
	spec, err := retry.ParseSpec([]byte(text))
	if err != nil {
		panic(err)
	}
	made, err := spec.Policy()
	if err != nil {
		panic(err)
	}
	return made
}

// sent is a draft with a policy of its own as a server is sent it: a text, with what
// policies say beyond retries.
func sent(draft outlast.Draft, policy string) outlast.Draft {
	serving.SetRetry(&draft, json.RawMessage(policy))
	return draft
}

func ptr[T any](value T) *T { return &value }

// logBook keeps log lines.
type logBook struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (b *logBook) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.Write(line)
}

func (b *logBook) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// events returns the lines with a message.
func (b *logBook) events(t *testing.T, message string) []map[string]any {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []map[string]any
	for line := range bytes.Lines(b.lines.Bytes()) {
		var event map[string]any
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatal(err)
		}
		if event["msg"] == message {
			found = append(found, event)
		}
	}
	return found
}
