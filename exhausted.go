package outlast

import (
	"errors"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/push"
)

// After exhaustion a task waits for a while, and the log is told of it now and then.
const (
	exhaustedWait = time.Second
	exhaustedTell = 10 * time.Second
)

// exhausted makes the failure of a request that this node lacked the means to make
// into one that costs no attempt: nothing was sent, and no receiver is to blame.
func (c *Client) exhausted(err error) error {
	failed, ok := errors.AsType[*push.Error](err)
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
	now := time.Now()
	if last := c.exhaustedAt.Load(); last == nil || now.Sub(*last) >= exhaustedTell {
		if c.exhaustedAt.CompareAndSwap(last, &now) {
			c.logger.Error("node.exhausted", slog.String("code", code), slog.Any("error", err),
				slog.String("hint", "tasks are handed back without cost until there is more: raise ulimit -n (LimitNOFILE), or lower engine.concurrency or limits.connections"))
		}
	}
	return &exhaustedCall{failed}
}

// exhaustedCall is a request that could not be made.
type exhaustedCall struct{ failed *push.Error }

var _ engine.Steerer = (*exhaustedCall)(nil)

// Unwrap returns the failure.
func (e *exhaustedCall) Unwrap() error { return e.failed }

// Error implements error.
func (e *exhaustedCall) Error() string { return e.failed.Error() }

// Steer implements [engine.Steerer].
func (e *exhaustedCall) Steer() engine.Steer {
	return engine.Steer{Action: engine.SteerRelease, After: exhaustedWait}
}
