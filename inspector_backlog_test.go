package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// counting counts the calls that read, and the rows that came with them.
type counting struct {
	store.Backend
	calls, rows atomic.Int64
}

func (c *counting) Count(ctx context.Context, f store.Filter, most int) (int, error) {
	c.calls.Add(1)
	return c.Backend.Count(ctx, f, most)
}

func (c *counting) Backlog(ctx context.Context, lanes []uint16, most int) (store.Backlog, error) {
	c.calls.Add(1)
	return c.Backend.Backlog(ctx, lanes, most)
}

func (c *counting) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	found, err := c.Backend.Marks(ctx, lanes, most)
	if most > 0 { // the engine reads all that its lanes have, once
		c.calls.Add(1)
		c.rows.Add(int64(len(found)))
	}
	return found, err
}

func (c *counting) Holds(ctx context.Context, f store.HoldFilter) ([]store.Hold, error) {
	c.calls.Add(1)
	return c.Backend.Holds(ctx, f)
}

// The number of types that nobody can start, and that of keys that dead letters hold,
// cost no query each, and no more than a bound of rows.
func TestBacklogOfManyTypes(t *testing.T) {
	asked := map[int]int64{}
	for _, types := range []int{2, 3000} {
		synctest.Test(t, func(t *testing.T) {
			backend := &counting{Backend: memory.New()}
			defer backend.Close()
			c, err := outlast.Open(t.Context(), backend, outlast.WithAllQueues())
			if err != nil || c.Start(t.Context()) != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Stop(context.Background()) }()
			drafts := make([]outlast.Draft, types)
			for i := range drafts {
				drafts[i].Type = fmt.Sprint("type", i)
			}
			if _, err := c.EnqueueMany(t.Context(), drafts, true); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			calls, rows := backend.calls.Load(), backend.rows.Load()
			backlog, err := c.Inspector().Queues.Backlog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			queues, err := c.Inspector().Queues.Stats(t.Context())
			if err != nil || queues["default"].Pending != types || backlog.Due != types {
				t.Errorf("%+v, %v; %d are due", queues, err, backlog.Due)
			}
			asked[types] = backend.calls.Load() - calls
			if rows := backend.rows.Load() - rows; rows > 1000 {
				t.Errorf("%d rows were read for %d types", rows, types)
			}
			if told := len(backlog.Stranded["default"]); told < min(types, 100) {
				t.Errorf("%d of %d types are told", told, types)
			}
		})
	}
	if asked[2] != asked[3000] || asked[2] == 0 {
		t.Errorf("calls by number of types: %v", asked)
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

// TestMaxPushTimeoutOfSchedules: a schedule of the configuration file is not refused at
// each of its ticks for a timeout that is too long, as one that is put is at once; its
// requests are cut, as those of a policy are.
func TestMaxPushTimeoutOfSchedules(t *testing.T) {
	backend := memory.New()
	defer backend.Close()
	c, err := outlast.Open(t.Context(), backend, outlast.WithMaxPushTimeout(time.Minute), outlast.WithEnqueueOnly())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Inspector().Queues.Put(t.Context(), store.Queue{Name: "default"}); err != nil {
		t.Fatal(err)
	}
	s := inspect.Schedule{Name: "s", Every: time.Hour, Task: inspect.ScheduledTask{Target: &task.Request{URL: "https://example.com/"}, Timeout: 2 * time.Minute}}
	_, err = c.Inspector().Schedules.Put(t.Context(), s)
	wantCode(t, err, task.CodeInvalid)
	object, err := schedules.Object(&s)
	if err != nil {
		t.Fatal(err)
	}
	object.Managed = "file"
	if _, err := backend.Change(t.Context(), store.Change{Put: []store.Object{object}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Inspector().Schedules.Trigger(t.Context(), "s", outlast.ID{}); err != nil {
		t.Error(err)
	}
}
