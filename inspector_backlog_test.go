package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// counting counts the calls of Count.
type counting struct {
	store.Backend
	counts atomic.Int64
}

func (c *counting) Count(ctx context.Context, f store.Filter, most int) (int, error) {
	c.counts.Add(1)
	return c.Backend.Count(ctx, f, most)
}

// The number of types that nobody can start costs no query each.
func TestBacklogOfManyTypes(t *testing.T) {
	backend := &counting{Backend: memory.New()}
	defer backend.Close()
	c, err := outlast.Open(t.Context(), backend, outlast.AsServer())
	if err != nil || c.Start(t.Context()) != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Stop(context.Background()) }()
	const types = 300
	for i := range types {
		if _, err := c.Enqueue(t.Context(), outlast.Draft{Type: fmt.Sprint("type", i)}); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); ; {
		before := backend.counts.Load()
		backlog, err := c.Inspector().Backlog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(backlog.Stranded["default"]) == types {
			if asked := backend.counts.Load() - before; asked > 60 || backlog.Due != types {
				t.Errorf("%d counts for %d types; %d are due", asked, types, backlog.Due)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d types are known", len(backlog.Stranded["default"]))
		}
	}
}

// No request may hold a slot longer than the node allows.
func TestMaxPushTimeout(t *testing.T) {
	backend := memory.New()
	defer backend.Close()
	c, err := outlast.Open(t.Context(), backend, outlast.WithMaxPushTimeout(time.Minute))
	if err != nil || c.Start(t.Context()) != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Stop(context.Background()) }()
	target := &task.Request{URL: "https://example.com/"}
	var refused *task.Error
	_, err = c.Enqueue(t.Context(), outlast.Draft{Target: target, Timeout: 2 * time.Minute})
	if !errors.As(err, &refused) || refused.Code != task.CodeInvalid || refused.Fields[0].Path != "timeout" || refused.Hint == "" {
		t.Errorf("a longer one: %v", err)
	}
	for _, draft := range []outlast.Draft{{Target: target, Timeout: time.Minute, Delay: time.Hour}, {Type: "own", Timeout: 2 * time.Minute, Delay: time.Hour}} {
		if _, err := c.Enqueue(t.Context(), draft); err != nil {
			t.Error(err)
		}
	}
	if _, err := outlast.Open(t.Context(), memory.New(), outlast.WithMaxPushTimeout(48*time.Hour)); err == nil {
		t.Error("two days were accepted")
	}
}
