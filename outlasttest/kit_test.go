package outlasttest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/outlasttest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

type mail struct {
	To string `json:"to"`
}

var errNo, errAway = errors.New("no"), &away{}

// away is a failure of a service that is away.
type away struct{}

func (*away) Error() string { return "away" }

func (*away) RetryVerdict() retry.Verdict { return retry.Verdict{Category: retry.Unavailable} }

// steady is a policy without chance.
func steady(t *testing.T, interval time.Duration, attempts int, more ...retry.Option) *retry.Policy {
	t.Helper()
	policy, err := retry.New(append([]retry.Option{retry.Fixed(interval), retry.NoJitter(), retry.Attempts(attempts)}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// diary is what happened when, in the order of time.
type diary struct {
	mu    sync.Mutex
	began time.Time
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%12s ", time.Since(d.began))+fmt.Sprintf(format, args...))
}

func (d *diary) sorted() []string { return slices.Sorted(slices.Values(d.lines)) }

// At the pace of a kit everything happens when it happens in a program.
func TestPaceChangesNoTime(t *testing.T) {
	t.Parallel()
	kit, program := &diary{}, &diary{}
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) { live(t, k.Client, kit) })
	synctest.Test(t, func(t *testing.T) {
		client, err := outlast.Open(t.Context(), memory.New(), outlast.WithAlertFunc(outlasttest.Channel, func(context.Context, *alert.Message) error { return nil }))
		if err != nil {
			t.Fatal(err)
		}
		live(t, client, program)
		if err := client.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if len(kit.lines) < 40 {
		t.Errorf("only %d things have happened", len(kit.lines))
	}
	if got, want := kit.sorted(), program.sorted(); !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			a, b := "", ""
			if i < len(got) {
				a = got[i]
			}
			if i < len(want) {
				b = want[i]
			}
			mark := " "
			if a != b {
				mark = "!"
			}
			t.Logf("%s %-60s %s", mark, a, b)
		}
		t.Error("left what happens with a kit, right what happens in a program")
	}
}

// live lets a client do for half an hour what depends on time, and notes when it happens.
func live(t *testing.T, c *outlast.Client, d *diary) {
	ctx := t.Context()
	d.began = time.Now()
	handle := func(name string, fn func(info outlast.RunInfo) error, opts ...outlast.HandleOption) {
		outlast.Handle(c, name, func(ctx context.Context, _ mail) error {
			info, _ := outlast.Info(ctx)
			d.note("%s %d", name, info.Attempt)
			return fn(info)
		}, opts...)
	}
	handle("fails", func(outlast.RunInfo) error { return errNo }, outlast.Retry(steady(t, 4*time.Minute, 3)))
	handle("snoozes", func(outlast.RunInfo) error {
		if time.Since(d.began) < 20*time.Minute {
			return outlast.Snooze(7 * time.Minute)
		}
		return nil
	})
	handle("tick", func(outlast.RunInfo) error { return nil })
	handle("keyed", func(i outlast.RunInfo) error {
		if i.Attempt == 1 {
			return errNo
		}
		return nil
	}, outlast.Retry(steady(t, 90*time.Second, 5)))
	handle("guarded", func(outlast.RunInfo) error {
		if time.Since(d.began) < 12*time.Minute {
			return errAway
		}
		return nil
	}, outlast.Retry(steady(t, 2*time.Minute, 20)))
	handle("late", func(outlast.RunInfo) error { return nil })
	outlast.Handle(c, "long", func(ctx context.Context, _ mail) error {
		<-ctx.Done()
		d.note("long ended: %v", context.Cause(ctx))
		return ctx.Err()
	}, outlast.Retry(steady(t, 5*time.Minute, 2, retry.PerAttempt(6*time.Minute))))
	outlast.Handle(c, "endless", func(ctx context.Context, _ mail) error {
		<-ctx.Done()
		return ctx.Err()
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Start(ctx))
	_, err := c.Inspector().Schedules.Put(ctx, inspect.Schedule{Name: "often", Every: 3 * time.Minute, Task: inspect.ScheduledTask{Type: "tick"}})
	must(err)
	for _, draft := range []outlast.Draft{
		{Type: "fails"}, {Type: "snoozes"}, {Type: "long"}, {Type: "keyed", Key: "k"}, {Type: "keyed", Key: "k"},
		{Type: "late", Delay: 61 * time.Second}, {Type: "late", Delay: 17 * time.Minute}, {Type: "late", Delay: 29*time.Minute + time.Millisecond},
		{Type: "fails", Delay: time.Minute, TTL: 7 * time.Minute}, {Type: "unknown", TTL: 9 * time.Minute}, {Type: "endless"}, {Type: "guarded"}, {Type: "guarded"}, {Type: "guarded"},
	} {
		draft.Payload = []byte(`{}`)
		_, err := c.Enqueue(ctx, draft)
		must(err)
	}
	time.Sleep(13 * time.Minute) // sleep: virtual
	_, err = c.Enqueue(ctx, outlast.Draft{Type: "late"})
	must(err)
	letters := outlasttest.RequireDead(t, c, outlasttest.Want{Type: "fails", Reason: task.Exhausted, Count: 1})
	d.note("died %s", letters[0].FinishedAt.Sub(d.began))
	_, err = c.Inspector().Letters.Redrive(ctx, inspect.RedriveRequest{IDs: []task.ID{letters[0].ID}})
	must(err)
	endless := outlasttest.RequireEnqueued(t, c, outlasttest.Want{Type: "endless", State: task.Running})
	_, err = c.Inspector().Tasks.Cancel(ctx, endless[0].ID)
	must(err)
	time.Sleep(5 * time.Minute) // sleep: virtual
	_, err = c.Inspector().Schedules.Put(ctx, inspect.Schedule{Name: "once", At: time.Now().Add(4 * time.Minute), Task: inspect.ScheduledTask{Type: "tick"}})
	must(err)
	time.Sleep(12*time.Minute + time.Second) // sleep: virtual
	for _, one := range outlasttest.RequireEnqueued(t, c, outlasttest.Want{}) {
		ended := one.FinishedAt.Sub(d.began)
		if one.State == task.Canceled {
			ended = ended.Truncate(time.Minute) // it hears of that within about a second
		}
		d.note("%s is %s (%s) since %s", one.Type, one.State, one.DeadReason, ended)
	}
}
