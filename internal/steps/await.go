package steps

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// longestAwait bounds waits for signals, so that no time overflows.
const longestAwait = 10 * 365 * 24 * time.Hour

// ErrTimeout says that no signal has come in time.
var ErrTimeout = errors.New("no signal came in time")

// Timeout is [ErrTimeout] of one name. It is final: a signal that comes later is refused.
type Timeout struct{ Name string }

func (t *Timeout) Error() string {
	return "no signal " + task.Quote(t.Name) + " came in time"
}

// Unwrap is [ErrTimeout].
func (t *Timeout) Unwrap() error { return ErrTimeout }

// RetryVerdict says that another attempt would find the same.
func (t *Timeout) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent, Type: "signal", Code: "timeout"}
}

// Waiting says that a signal has not come yet.
type Waiting struct {
	Name  string
	Until time.Time
}

func (w *Waiting) Error() string {
	return "waits for signal " + task.Quote(w.Name) + " until " + w.Until.UTC().Format(time.RFC3339)
}

// Await returns the signal of a name. It fails with a [Waiting] as long as there is none, which
// is stored, and with a [Timeout] once none has come in time.
func (a *Attempt) Await(ctx context.Context, t *task.Task, name string, timeout time.Duration) (*task.Step, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if timeout <= 0 || timeout > longestAwait {
		return nil, &Misuse{"a wait for signal " + task.Quote(name) + " of " + timeout.String() + " is none", "wait for more than nothing, and for ten years at most"}
	}
	log, err := a.known(ctx, t, name)
	if err != nil {
		return nil, err
	}
	wait, end, err := log.Await(name)
	if err == nil && wait == nil && end == nil {
		wait, err = a.do(ctx, log, Call{Name: name, Type: task.StepAwait, Do: func(context.Context) (task.Step, error) {
			return task.Step{Until: stored(later(time.Now(), t.RunAt).Add(timeout))}, nil
		}})
	}
	if err == nil && end == nil {
		end, err = a.look(ctx, t, log, wait)
	}
	switch {
	case err != nil:
		return nil, err
	case end == nil:
		return nil, &Waiting{name, wait.Until}
	case end.Type == task.StepTimeout:
		return nil, &Timeout{name}
	}
	return end, nil
}

// look is what has ended a wait that is stored, nil for nothing yet. That the time is over is
// stored, unless a signal was faster. The store's clock has passed the time for which the task
// was snoozed, whatever that of this node says.
func (a *Attempt) look(ctx context.Context, t *task.Task, log *Log, wait *task.Step) (end *task.Step, err error) {
	if now := later(time.Now(), t.RunAt); now.Before(wait.Until) {
		end, err = a.by.signalOf(ctx, t, wait.Name)
	} else {
		end, err = a.by.timeOut(ctx, t, wait.Name)
	}
	if err != nil {
		return nil, err
	}
	if end != nil && end.Unreadable != "" {
		return nil, &Unreadable{end.Unreadable}
	}
	log.Waits(wait, end)
	return end, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// signalOf reads what has ended the wait for a name since the attempt began.
func (k *Keeper) signalOf(ctx context.Context, t *task.Task, name string) (*task.Step, error) {
	all, err := k.read(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if s := &all[i]; s.EndsWait() && s.Name == name && !s.Forgotten(t) {
			return s, nil
		}
	}
	return nil, nil
}

// timeOut stores that none has come in time, and returns what stands. It is repeated until the
// outcome is known, as long as the attempt lasts: nothing was done that has to be on disk.
func (k *Keeper) timeOut(ctx context.Context, t *task.Task, name string) (*task.Step, error) {
	step := task.Step{Task: t.ID, Claim: t.Claim, Attempt: t.Attempt, Name: name, Type: task.StepTimeout}
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		call, cancel := context.WithTimeout(ctx, k.config.Limit)
		done, err := k.config.Store.Signal(call, step)
		cancel()
		refused := (*task.Error)(nil)
		switch {
		case err == nil && done.Status != store.StatusOK:
			return nil, ErrStale
		case err == nil:
			return &done.Step, nil
		case errors.As(err, &refused) && refused.Code != task.CodeUnavailable:
			return nil, err
		}
		k.config.Log.Warn("step.repeated", "rows", 1, "error", err)
		if !background.Sleep(ctx, pause) {
			return nil, context.Cause(ctx)
		}
	}
}

// Await asks for the signal of a name: for the wait that is stored, and what has ended it. With
// neither the wait is to be stored now, as by [Log.Begin].
func (l *Log) Await(name string) (wait, end *task.Step, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	end = l.ends[name]
	if end != nil && !l.closed && l.done[place{name, l.asked[name] + 1}] == nil {
		return nil, end, nil
	}
	wait, err = l.begin(name, task.StepAwait)
	return wait, end, err
}

// Waits notes that the attempt waits, or with an end that it does so no longer.
func (l *Log) Waits(wait, end *task.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end == nil {
		l.waits[wait.Name] = wait
		return
	}
	delete(l.waits, wait.Name)
	l.ends[wait.Name] = end
	l.keep(end)
}

// Awaits are the signals for which an attempt waits, and when the first of the waits is over.
func (l *Log) Awaits() (names []string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	names = slices.Sorted(maps.Keys(l.waits))
	for _, wait := range l.waits {
		if until.IsZero() || wait.Until.Before(until) {
			until = wait.Until
		}
	}
	return names, until
}
