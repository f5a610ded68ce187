// Package background is what the housekeeping of a node is started and stopped by.
package background

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Loops are functions that run beside everything else until they are stopped.
// The zero value is ready.
type Loops struct {
	stop    context.CancelFunc
	running sync.WaitGroup
}

// Start runs each function in a goroutine of its own. Their context ends at Stop, and has
// nothing of ctx but its pace. Call it once.
func (l *Loops) Start(ctx context.Context, loops ...func(context.Context)) {
	ctx, stop := context.WithCancel(WithPace(context.Background(), PaceOf(ctx)))
	l.stop = stop
	for _, loop := range loops {
		l.running.Go(func() { loop(ctx) })
	}
}

// Started reports whether Start was called.
func (l *Loops) Started() bool { return l.stop != nil }

// Stop ends the context of the functions and waits until they have returned, no
// longer than ctx, whose error it returns then. It does nothing before Start, and
// may be called again.
func (l *Loops) Stop(ctx context.Context) error {
	if l.stop == nil {
		return nil
	}
	l.stop()
	done := make(chan struct{})
	go func() {
		l.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Sleep waits for d; false if ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Join joins errors that say different things.
func Join(errs ...error) (all error) {
	for _, err := range errs {
		if err != nil && !errors.Is(all, err) {
			all = errors.Join(all, err)
		}
	}
	return all
}
