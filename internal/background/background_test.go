package background

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var loops Loops
		if err := loops.Stop(t.Context()); err != nil || loops.Started() {
			t.Errorf("stopped before it began: %v", err)
		}
		turns, began := 0, time.Now()
		loops.Start(t.Context(), func(ctx context.Context) {
			for Sleep(ctx, time.Minute) {
				turns++
			}
		}, func(ctx context.Context) {
			<-ctx.Done()
			Sleep(context.WithoutCancel(ctx), time.Second) // slow to end
		})
		Sleep(t.Context(), 10*time.Minute+time.Second)
		brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := loops.Stop(brief); !errors.Is(err, context.DeadlineExceeded) || !loops.Started() {
			t.Errorf("a bounded stop: %v", err)
		}
		if err := loops.Stop(t.Context()); err != nil || turns != 10 || time.Since(began) != 10*time.Minute+2*time.Second {
			t.Errorf("%v after %d turns and %s", err, turns, time.Since(began))
		}
	})
}
