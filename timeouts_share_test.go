package outlast_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/retry"
)

// A timeout that a task has of its own counts against the target of all only if the
// target had a fair time to answer: some callers' impatience shuts nothing for others.
func TestOwnTimeoutsCountWhenTheyAreFair(t *testing.T) {
	once := func(more string) *retry.Policy {
		return inline(fmt.Sprintf(`{"max_attempts": 1%s}`, more))
	}
	for _, c := range []struct {
		name  string
		takes time.Duration // an answer, 0 for one that never comes
		known time.Duration // what answers took before, 0 for none
		draft outlast.Draft
		opens bool
	}{
		{"a millisecond", 100 * time.Millisecond, 0, outlast.Draft{Timeout: time.Millisecond, Retry: once("")}, false},
		{"a millisecond, in the task's own policy", 100 * time.Millisecond, 0, outlast.Draft{Retry: once(`, "timeout": "1ms"`)}, false},
		{"less than usual, of a target that takes long", 20 * time.Second, 20 * time.Second, outlast.Draft{Timeout: 5 * time.Second, Retry: once("")}, false},
		{"as much as usual", 0, time.Second, outlast.Draft{Timeout: time.Second, Retry: once("")}, false},
		{"a target that hangs from the start", 0, 0, outlast.Draft{Timeout: time.Second, Retry: once("")}, true},
		{"a quick target that hangs", 0, 10 * time.Millisecond, outlast.Draft{Timeout: 100 * time.Millisecond, Retry: once("")}, true},
		{"as long as requests wait for anything", 0, 20 * time.Second, outlast.Draft{Timeout: 30 * time.Second, Retry: once("")}, true},
		{"the policy of the type", 0, time.Second, outlast.Draft{Policy: "brief"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			virtually(t, func(k *kit) {
				takes := c.known
				outlast.Handle(k.client, "ship", func(ctx context.Context, _ string) error {
					if takes == 0 {
						<-ctx.Done()
						return ctx.Err()
					}
					timer := time.NewTimer(takes)
					defer timer.Stop()
					select {
					case <-timer.C:
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				k.start()
				k.putPolicy("brief", `{"max_attempts": 1, "timeout": "100ms"}`)
				run := func(d outlast.Draft, n int) {
					for range n {
						d.Type = "ship"
						k.enqueue(d)
						k.after(31 * time.Second)
					}
				}
				if takes != 0 {
					run(outlast.Draft{Retry: once("")}, 20)
				}
				takes = c.takes
				c.draft.Type = "ship"
				for range 100 {
					k.enqueue(c.draft)
				}
				k.after(time.Minute)
				view, err := k.client.Inspector().Targets.Get(k.ctx, "ship")
				if err != nil {
					t.Fatal(err)
				}
				opened := len(k.log.events(t, "breaker.open")) > 0
				if opened != c.opens || !c.opens && (view.Breaker.Failures != 0 || view.Budget.Share != 1) {
					t.Fatalf("opened: %t, %+v", opened, view)
				}
				if c.opens {
					return
				}
				if takes = c.takes; takes == 0 {
					takes = c.known
				}
				other := k.enqueue(outlast.Draft{Type: "ship"})
				k.after(takes + time.Second)
				if got := k.get(other.ID); got.State != "succeeded" || got.Attempt != 1 {
					t.Errorf("the task of another caller: %+v", got)
				}
			})
		})
	}
}
