package retry_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

func TestGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(time.Second), retry.NoJitter(), retry.Idempotent(), retry.Attempts(3), retry.FirstRunAfter(time.Minute))
		start := time.Now()
		fn, calls := failing(errNetwork, errNetwork)
		h := retry.Go(t.Context(), p, fn)
		if closed(h.Done()) {
			t.Error("done before it began")
		}
		if err := h.Wait(); err != nil || len(*calls) != 3 || time.Since(start) != time.Minute+2*time.Second || !closed(h.Done()) {
			t.Errorf("%v after %d calls, %v", err, len(*calls), time.Since(start))
		}
		h.Stop() // too late
		if err := h.Wait(); err != nil {
			t.Error(err)
		}

		fn, _ = failing(errNetwork, errNetwork, errNetwork)
		end := asError(t, retry.Go(t.Context(), p, fn).Wait())
		if end.Reason != retry.ErrAttempts || end.Last != errNetwork || end.Attempts != 3 { //nolint:errorlint // the very values
			t.Errorf("got %+v", end)
		}
	})
}

// While it waits there is no goroutine.
func TestGoHoldsNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	p := policy(t, retry.Fixed(time.Hour), retry.NoJitter(), retry.Idempotent())
	var handles []*retry.Handle
	var failed sync.WaitGroup
	for range 1000 {
		failed.Add(1)
		handles = append(handles, retry.Go(t.Context(), p, func(context.Context) error { failed.Done(); return errNetwork }))
	}
	failed.Wait()
	for wait := 0; runtime.NumGoroutine() > before && wait < 1000; wait++ {
		time.Sleep(time.Millisecond) // sleep: the goroutines of the attempts are about to end
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines, %d before", now, before)
	}
	for _, h := range handles {
		h.Stop()
	}
	for _, h := range handles {
		if err := h.Wait(); !errors.Is(err, retry.ErrStopped) {
			t.Fatal(err)
		}
	}
}

func TestGoStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(time.Minute), retry.NoJitter(), retry.Idempotent())

		// In a wait.
		start := time.Now()
		fn, calls := failing(errNetwork, errNetwork)
		h := retry.Go(t.Context(), p, fn)
		time.Sleep(90 * time.Second)
		h.Stop()
		h.Stop()
		end := asError(t, h.Wait())
		if end.Reason != retry.ErrStopped || end.Last != errNetwork || end.Attempts != 2 || len(*calls) != 2 || time.Since(start) != 90*time.Second { //nolint:errorlint // the very values
			t.Errorf("in a wait: %+v after %v", end, time.Since(start))
		}
		if !errors.Is(end, context.Canceled) {
			t.Errorf("in a wait: %v does not tell that the context ended", end)
		}

		// In an attempt: it is told, and Wait waits for it.
		start = time.Now()
		h = retry.Go(t.Context(), p, func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			return context.Cause(ctx)
		})
		synctest.Wait()
		h.Stop()
		if closed(h.Done()) {
			t.Error("done while the attempt runs")
		}
		if err := h.Wait(); !errors.Is(err, retry.ErrStopped) || time.Since(start) != time.Second {
			t.Errorf("in an attempt: %v after %v", err, time.Since(start))
		}

		// By the function itself.
		var own *retry.Handle
		ready := make(chan struct{})
		own = retry.Go(t.Context(), p, func(context.Context) error { <-ready; own.Stop(); return errNetwork })
		close(ready)
		if end := asError(t, own.Wait()); end.Reason != retry.ErrStopped || end.Last != errNetwork || end.Attempts != 1 { //nolint:errorlint // the very values
			t.Errorf("by the function: %+v", end)
		}

		// A success that came first counts.
		h = retry.Go(t.Context(), p, func(ctx context.Context) error { <-ctx.Done(); return nil })
		synctest.Wait()
		h.Stop()
		if err := h.Wait(); err != nil {
			t.Errorf("a success: %v", err)
		}
	})
}

// The caller's context ends it like Stop, and an ended one starts nothing.
func TestGoCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(time.Minute), retry.NoJitter(), retry.Idempotent())
		ctx, cancel := context.WithTimeout(t.Context(), 61*time.Second)
		defer cancel()
		fn, calls := failing(errNetwork, errNetwork)
		err := retry.Go(ctx, p, fn).Wait()
		if !errors.Is(err, retry.ErrNoTime) || len(*calls) != 2 {
			t.Errorf("%v after %d calls", err, len(*calls))
		}

		ctx, stop := context.WithCancelCause(t.Context())
		stop(errMissing)
		fn, calls = failing()
		if err := retry.Go(ctx, p, fn).Wait(); !errors.Is(err, errMissing) || len(*calls) != 0 {
			t.Errorf("%v after %d calls", err, len(*calls))
		}
	})
}

// Pace and the guards work as in Do.
func TestGoPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		target.Breaker.Force(time.Now(), retry.Open)
		p := policy(t, retry.For(target), retry.Fixed(time.Minute), retry.NoJitter(), retry.OnExhausted(retry.Pace))
		start := time.Now()
		fn, calls := failing()
		h := retry.Go(t.Context(), p, fn)
		if err := h.Wait(); !errors.Is(err, retry.ErrBreakerOpen) || time.Since(start) != time.Minute || len(*calls) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		h = retry.Go(t.Context(), p, fn)
		time.Sleep(time.Second)
		h.Stop()
		start = time.Now()
		if err := h.Wait(); !errors.Is(err, retry.ErrBreakerOpen) || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A function that ends its goroutine ends the operation.
func TestGoAborted(t *testing.T) {
	target := everyGuard(t)
	h := retry.Go(t.Context(), policy(t, retry.For(target)), func(context.Context) error { runtime.Goexit(); return nil })
	if end := asError(t, h.Wait()); end.Attempts != 1 || end.Last == nil || taken(target) != 0 {
		t.Errorf("got %+v, %d places", end, taken(target))
	}
}

// Stop against attempts that fail and waits that end at the same moment: no
// attempt begins after Stop and Wait, Wait returns after the last one, and no
// attempt sees a live context after Stop.
func TestGoStopRaces(t *testing.T) {
	p := policy(t, retry.Fixed(50*time.Microsecond), retry.Idempotent(), retry.Unlimited())
	for round := range 300 {
		var attempts, inside atomic.Int64
		var stopped atomic.Bool
		h := retry.Go(t.Context(), p, func(ctx context.Context) error {
			was := stopped.Load() // read first: the context must have ended by then
			if was && ctx.Err() == nil {
				t.Error("an attempt after Stop with a live context")
			}
			attempts.Add(1)
			inside.Add(1)
			defer inside.Add(-1)
			return errNetwork
		})
		for attempts.Load() < int64(round%4) {
			runtime.Gosched()
		}
		var stoppers sync.WaitGroup
		for range 3 {
			stoppers.Go(func() {
				h.Stop()
				stopped.Store(true)
				_ = h.Wait()
			})
		}
		end := asError(t, h.Wait())
		if inside.Load() != 0 {
			t.Fatal("Wait returned during an attempt")
		}
		made := attempts.Load()
		stoppers.Wait()
		if end.Attempts != int(made) || attempts.Load() != made {
			t.Fatalf("%d attempts reported, %d at Wait, %d now", end.Attempts, made, attempts.Load())
		}
	}
}
