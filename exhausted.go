package outlast

import (
	"errors"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/alert/channel"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/push"
)

// After exhaustion a task waits for a while, one of an alert for longer: each try takes
// of what its channel may send in a minute. People and the log are told now and then.
const (
	exhaustedWait      = time.Second
	exhaustedAlertWait = 5 * time.Second
	exhaustedTell      = 10 * time.Second
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

// exhausted makes the failure of a request that this node lacked the means to make
// into one that costs no attempt: nothing was sent, and no receiver is to blame.
func (c *Client) exhausted(err error, wait time.Duration) error {
	failed, ok := errors.AsType[exhaustible](err)
	if !ok {
		return err
	}
	code := failed.Exhausted()
	if code == "" {
		return err
	}
	if c.metrics != nil {
		c.metrics.exhausted.WithLabelValues(code).Inc()
	}
	c.exhaustedCalls.Add(1)
	now := time.Now()
	if last := c.exhaustedAt.Load(); last == nil || now.Sub(*last) >= exhaustedTell {
		if c.exhaustedAt.CompareAndSwap(last, &now) {
			c.alerts.Exhausted(code, int(c.exhaustedCalls.Swap(0)))
			c.logger.Error("node.exhausted", slog.String("code", code), slog.Any("error", err),
				slog.String("hint", "tasks are handed back without cost until there is more: raise ulimit -n (LimitNOFILE), or lower engine.concurrency or limits.connections"))
		}
	}
	return &exhaustedCall{failed, wait}
}

// exhaustedCall is a request that could not be made.
type exhaustedCall struct {
	failed error
	wait   time.Duration
}

var _ engine.OutcomeError = (*exhaustedCall)(nil)

// Unwrap returns the failure.
func (e *exhaustedCall) Unwrap() error { return e.failed }

// Error implements error.
func (e *exhaustedCall) Error() string { return e.failed.Error() }

// HandlerOutcome implements [engine.OutcomeError].
func (e *exhaustedCall) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionRelease, After: e.wait}
}
