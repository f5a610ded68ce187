// Package exhaustion is about requests that a node lacked the means to make.
package exhaustion

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/push"
)

// After exhaustion a task waits for a while, one of an alert for longer: each try takes
// of what its channel may send in a minute. People and the log are told now and then.
const (
	Wait      = time.Second
	AlertWait = 5 * time.Second
	tellEvery = 10 * time.Second
)

// exhaustible is the failure of a call that may have been for want of the means to make it.
type exhaustible interface {
	error
	Exhausted() string
}

var (
	_ exhaustible = (*push.Error)(nil)
	_ exhaustible = (*channel.Error)(nil)
)

// Watch tells people of such requests, now and then. It is safe for concurrent use.
type Watch struct {
	logger   *slog.Logger
	observed func(code string)
	alert    func(code string, calls int)
	calls    atomic.Int64              // that could not be made since people were told last
	told     atomic.Pointer[time.Time] // when that was
}

// New makes a watch. Observed is told of each call with the system's code, such as EMFILE,
// and alert now and then, with the number of calls.
func New(logger *slog.Logger, observed func(code string), alert func(code string, calls int)) *Watch {
	return &Watch{logger: logger, observed: observed, alert: alert}
}

// Judge makes the failure of a request that this node lacked the means to make
// into one that costs no attempt: nothing was sent, and no receiver is to blame.
func (w *Watch) Judge(err error, wait time.Duration) error {
	failed, ok := errors.AsType[exhaustible](err)
	if !ok {
		return err
	}
	code := failed.Exhausted()
	if code == "" {
		return err
	}
	w.observed(code)
	w.calls.Add(1)
	now := time.Now()
	if last := w.told.Load(); last == nil || now.Sub(*last) >= tellEvery {
		if w.told.CompareAndSwap(last, &now) {
			w.alert(code, int(w.calls.Swap(0)))
			w.logger.Error("node.exhausted", slog.String("code", code), slog.Any("error", err),
				slog.String("hint", "tasks are handed back without cost until there is more: raise ulimit -n (LimitNOFILE), or lower engine.concurrency or limits.connections"))
		}
	}
	return &call{failed, wait}
}

// call is a request that could not be made.
type call struct {
	failed error
	wait   time.Duration
}

var _ engine.OutcomeError = (*call)(nil)

// Unwrap returns the failure.
func (e *call) Unwrap() error { return e.failed }

// Error implements error.
func (e *call) Error() string { return e.failed.Error() }

// HandlerOutcome implements [engine.OutcomeError].
func (e *call) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionRelease, After: e.wait}
}
