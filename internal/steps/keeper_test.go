package steps

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/gather"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// shelf keeps steps and answers reads as late as it is told.
type shelf struct {
	late  time.Duration
	mu    sync.Mutex
	reads int
	kept  []task.Step
}

func (s *shelf) AddSteps(_ context.Context, given []task.Step) ([]store.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, given...)
	statuses := make([]store.Status, len(given))
	for i := range statuses {
		statuses[i] = store.StatusOK
	}
	return statuses, nil
}

func (s *shelf) Signal(_ context.Context, step task.Step, _ ...store.Audit) (store.Signaled, error) {
	return store.Signaled{Status: store.StatusOK, Step: step, Added: true}, nil
}

func (s *shelf) StepsOf(ctx context.Context, _ []task.ID) ([]task.Step, error) {
	s.mu.Lock()
	s.reads++
	s.mu.Unlock()
	select {
	case <-time.After(s.late):
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// keeper answers from a shelf until the test ends.
func keeper(t *testing.T, s *shelf) *Keeper {
	k := NewKeeper(Config{Store: s, Most: gather.Weight{Items: 10, Bytes: 1 << 20}, Limit: time.Minute, Over: t.Context(),
		Log: slog.New(slog.DiscardHandler), Committed: func(int, time.Time) {}})
	k.Run()
	t.Cleanup(k.Close)
	return k
}

func nothing(context.Context) (task.Step, error) { return task.Step{}, nil }

// Steps side by side read once, and wait for that no longer than their contexts last.
func TestSideBySideReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{late: time.Second}
		var a Attempt
		a.Begin(keeper(t, s))
		var busy sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			busy.Go(func() {
				if _, err := a.Do(t.Context(), &task.Task{}, Call{Name: name, Do: nothing}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := a.Do(short, &task.Task{}, Call{Name: "c", Do: nothing}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		busy.Wait()
		if s.reads != 1 || len(s.kept) != 2 {
			t.Errorf("%d reads, %d steps", s.reads, len(s.kept))
		}
	})
}

// A first step that is asked for after the end of the attempt, or whose read comes back
// after it, is not done: a death has looked already for what it undoes.
func TestFirstStepAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{late: time.Second}
		k := keeper(t, s)
		for _, began := range []bool{false, true} {
			var a Attempt
			a.Begin(k)
			end := func() {
				if log := a.End(); log != nil {
					t.Error("it has asked for no step")
				}
			}
			if began {
				time.AfterFunc(s.late/2, end)
			} else {
				end()
			}
			if _, err := a.Do(t.Context(), &task.Task{}, Call{Name: "a", Do: nothing}); !isMisuse(err, "after the end") {
				t.Error(began, err)
			}
		}
		if len(s.kept) > 0 {
			t.Error(s.kept)
		}
	})
}
