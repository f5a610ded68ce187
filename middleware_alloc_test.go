package outlast

import (
	"context"
	"testing"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// passing is middleware that does nothing.
func passing() Option {
	return WithMiddleware(Middleware{
		Handle: func(ctx context.Context, payload []byte, next func(context.Context, []byte) error) error {
			return next(ctx, payload)
		},
		Enqueue: func(ctx context.Context, all []Draft, next func(context.Context, []Draft) ([]Receipt, error)) ([]Receipt, error) {
			return next(ctx, all)
		},
	})
}

// Where there is no middleware an attempt costs its context, as before there was any, and an
// enqueue nothing of what one with middleware does.
func TestNoMiddlewareDoesNotAllocate(t *testing.T) {
	allocations := func(opts ...Option) (attempt, enqueue float64) {
		c, err := Open(t.Context(), memory.New(), opts...)
		if err != nil {
			t.Fatal(err)
		}
		Handle(c, "t", func(context.Context, []byte) error { return nil })
		ctx, run, one := t.Context(), &engine.Run{Task: &task.Task{Type: "t"}}, c.registry.Run("t")
		attempt = testing.AllocsPerRun(100, func() { _, _ = one(ctx, run) })
		c.state.Store(started)
		enqueue = testing.AllocsPerRun(100, func() { _, _ = c.Enqueue(ctx, Draft{Type: "t", DedupeWindow: -1}) })
		c.state.Store(stopped)
		return attempt, enqueue
	}
	attempt, enqueue := allocations()
	attemptWith, enqueueWith := allocations(passing())
	if attempt != 1 || attemptWith <= attempt {
		t.Errorf("an attempt makes %v allocations, with middleware %v", attempt, attemptWith)
	}
	t.Logf("a refused enqueue makes %v allocations, with middleware %v", enqueue, enqueueWith)
	if enqueueWith <= enqueue {
		t.Errorf("a refused enqueue makes %v allocations, with middleware %v", enqueue, enqueueWith)
	}
}
