package group_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/store/memory"
)

// A worker that restarts - it leaves, and joins a moment later - is known to the other
// nodes again at once.
func TestRestartedMemberIsKnownAtOnce(t *testing.T) {
	for _, down := range []time.Duration{0, 2 * time.Second, 4 * time.Second, 8 * time.Second, 20 * time.Second} {
		for _, flying := range []bool{false, true} {
			t.Run(down.String()+map[bool]string{true: " while a task runs there"}[flying], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := memory.New()
					a, b := node(t, s, nil), node(t, s.Handle(), nil)
					for range 60 { // it beats for five minutes
						join(t, a, "m", nil)
						time.Sleep(5 * time.Second)
					}
					if _, err := send(b, nil); err != nil {
						t.Fatal(err)
					}
					if flying {
						end := make(chan struct{})
						defer close(end)
						go func() {
							_ = b.Send(context.Background(), "g", func(context.Context, string, func()) group.Verdict {
								<-end
								return group.Verdict{}
							})
						}()
						synctest.Wait()
					}
					if _, err := a.Remove(t.Context(), "g", "m"); err != nil {
						t.Fatal(err)
					}
					time.Sleep(down)
					var deaf time.Duration
					for i := range 120 {
						join(t, a, "m", nil)
						time.Sleep(5 * time.Second)
						if _, err := send(b, nil); err != nil {
							deaf = time.Duration(i+1) * 5 * time.Second
						}
					}
					if deaf > 10*time.Second {
						t.Errorf("the other node knows of no living member for %s after it is back", deaf)
					}
				})
			})
		}
	}
}
