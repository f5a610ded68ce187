package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// historian reads what became of the runs of a task.
type historian interface {
	Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error)
}

// mostLost is how many lost runs are told one by one.
const mostLost = 3

// crashLoop is the failure of a task whose runs were lost too often. It says how the
// last of them were: the lease of a worker that lives may have ended, too.
type crashLoop struct {
	lost int
	how  []string // the last ones, oldest first
}

// Error says how often, and how.
func (c *crashLoop) Error() string {
	text := fmt.Sprintf("%d runs of this task were lost", c.lost)
	if len(c.how) == 0 {
		return text
	}
	return text + ": " + strings.Join(c.how, "; ")
}

// same is what crash loops have in common, for fingerprints: no worker's or node's name.
func (c *crashLoop) same() string { return "runs of this task were lost" }

// crashLoop tells how the runs of a task were lost. What cannot be read is left out.
func (r *runner) crashLoop(t *task.Task) *crashLoop {
	out := &crashLoop{lost: t.Crashes}
	from, ok := r.config.Store.(historian)
	if !ok {
		return out
	}
	ctx, cancel := r.storeContext(storeCall)
	defer cancel()
	attempts, err := from.Attempts(ctx, t.ID)
	if err != nil {
		r.log.Warn("history.failed", "task", t.ID.String(), "error", err)
		return out
	}
	for _, a := range slices.Backward(attempts) {
		if how := a.Lost(); how != "" && len(out.how) < min(mostLost, out.lost) {
			out.how = append(out.how, how)
		}
	}
	slices.Reverse(out.how)
	return out
}

// overdue is why a task ends whose deadline has passed before it could start.
func (r *runner) overdue(t *task.Task) error {
	if target, known := r.Target(t.Target); known && target.Held.Failures > 0 {
		return fmt.Errorf("%w while nobody took the task: %s", retry.ErrDeadline, target.Held.Error)
	}
	return retry.ErrDeadline
}
