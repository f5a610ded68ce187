package admission

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/task"
)

var errAway = errors.New("away")

// fake is a store that answers after a time, and counts what it is asked.
type fake struct {
	check, prepare, refresh atomic.Int32
	late                    time.Duration
	err                     error
	open                    chan struct{} // what writes waits for it, if there is one
}

func (s *fake) early() *Early {
	asked := func(count *atomic.Int32) func(context.Context) error {
		return func(ctx context.Context) error {
			count.Add(1)
			select {
			case <-time.After(s.late):
				return s.err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	write := asked(&s.prepare)
	return NewEarly(asked(&s.check), func(ctx context.Context) error {
		if s.open != nil {
			select {
			case <-s.open:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return write(ctx)
	}, asked(&s.refresh))
}

// Callers at once share a look; the next one comes when what is known is old.
func TestLooksAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{late: 20 * time.Millisecond}
		e := s.early()
		for range 50 {
			go func() {
				if err := e.Ready(t.Context(), false); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep(500 * time.Millisecond)
		if s.check.Load() != 1 || s.prepare.Load() != 1 || s.refresh.Load() != 1 {
			t.Errorf("checked %d times, prepared %d, read %d", s.check.Load(), s.prepare.Load(), s.refresh.Load())
		}
		time.Sleep(time.Second)
		if err := e.Ready(t.Context(), true); err != nil || s.refresh.Load() != 2 || s.check.Load() != 1 {
			t.Errorf("%v, read %d times", err, s.refresh.Load())
		}
	})
}

// A call in a transaction waits for no other that waits for the transaction.
func TestTransactionsWaitForNoWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{open: make(chan struct{})}
		e, written := s.early(), false
		go func() {
			if err := e.Ready(t.Context(), false); err != nil {
				t.Error(err)
			}
			written = true
		}()
		synctest.Wait()
		if err := e.Ready(t.Context(), true); err != nil {
			t.Error(err)
		}
		if s.prepare.Load() != 0 || written {
			t.Error("it was not asked to wait")
		}
		close(s.open)
		synctest.Wait()
		if !written || s.refresh.Load() != 2 {
			t.Errorf("what was made was not read: %v, %d", written, s.refresh.Load())
		}
	})
}

// Nobody waits longer than its context, for the store or for somebody else.
func TestContextsHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{late: time.Hour}
		e := s.early()
		go func() { _ = e.Ready(t.Context(), true) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		began := time.Now()
		if err := e.Ready(ctx, false); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 200*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		err := e.Ready(t.Context(), true)
		if !errors.Is(err, &task.Error{Code: task.CodeUnavailable}) || time.Since(began) > 2*lookTime {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// What the store says has a code, and is tried again by the next call; a start is tried by
// the same way.
func TestErrorsHaveCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{err: errAway}
		e := s.early()
		typed, ok := errors.AsType[*task.Error](e.Ready(t.Context(), false))
		if !ok || typed.Code != task.CodeUnavailable || typed.RetryAfter == 0 || !errors.Is(typed, errAway) {
			t.Errorf("got %v", typed)
		}
		s.err = nil
		if err := e.Ready(t.Context(), false); err != nil || s.prepare.Load() != 2 {
			t.Errorf("%v after %d", err, s.prepare.Load())
		}
		if err := e.Alone(t.Context(), func(context.Context) error { return errAway }); !errors.Is(err, errAway) {
			t.Error(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		e := s.early()
		if err := e.Alone(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
		if err := e.Ready(t.Context(), false); err != nil || s.prepare.Load()+s.check.Load() != 0 || s.refresh.Load() != 1 {
			t.Errorf("%v: a start had prepared it", err)
		}
	})
}

// A look that was under way when queues were made does not pass for one that knows them.
func TestWhatWasMadeIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{late: 300 * time.Millisecond, open: make(chan struct{})}
		close(s.open)
		e := s.early()
		go func() { _ = e.Ready(t.Context(), true) }() // checks and reads until 600 ms
		if err := e.Ready(t.Context(), false); err != nil || s.refresh.Load() != 2 {
			t.Errorf("%v, read %d times", err, s.refresh.Load())
		}
	})
}
