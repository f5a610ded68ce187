package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// extending is the loop that keeps the leases of what is being worked on.
func (w *working) extending() {
	ticker := time.NewTicker(w.options.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-ticker.C:
		}
		w.mu.Lock()
		items := make([]ExtendItem, 0, len(w.held))
		for id, held := range w.held {
			items = append(items, ExtendItem{ID: id, Claim: held.claim, Progress: held.progress})
		}
		w.mu.Unlock()
		for len(items) > 0 {
			some := items[:min(len(items), 1000)]
			items = items[len(some):]
			w.extend(some)
		}
	}
}

func (w *working) extend(items []ExtendItem) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.attempts), w.options.Lease/3)
	defer cancel()
	results, err := w.client.Extend(ctx, items, w.options.Lease)
	if err != nil {
		w.options.Logger.Warn("extend.failed", "tasks", len(items), "error", err)
		if isDenied(err) {
			w.fail(&deniedError{err})
		}
		return
	}
	for i, result := range results {
		switch result.Status {
		case "canceled":
			w.stop(items[i], ErrCanceled)
		case "stale_claim", "not_found":
			w.stop(items[i], ErrLeaseLost)
		}
	}
}

// stop ends the context of a task that is still being worked on.
func (w *working) stop(item ExtendItem, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if held := w.held[item.ID]; held != nil && held.claim == item.Claim {
		held.cancel(cause)
	}
}

// settling is the loop that tells the server how attempts ended, together those
// that end while a call is under way. It ends when no attempt runs any more and all
// is told.
func (w *working) settling() {
	for {
		var results []TaskResult
		select {
		case result := <-w.ended:
			results = append(results, result)
		case <-w.done:
			select {
			case result := <-w.ended:
				results = append(results, result)
			default:
				return
			}
		}
		for more := true; more && len(results) < mostSettled; {
			select {
			case result := <-w.ended:
				results = append(results, result)
			default:
				more = false
			}
		}
		w.settle(results)
	}
}

// settle tells the server, until it has heard or the leases have ended, after which
// the tasks run again elsewhere. What the server refuses is told in halves, so that
// only what is wrong fails.
func (w *working) settle(results []TaskResult) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.attempts), max(w.options.Lease, answerTime))
	defer cancel()
	for pending := [][]TaskResult{results}; len(pending) > 0; {
		some := pending[0]
		pending = pending[1:]
		refusal := w.tell(ctx, some)
		half := len(some) / 2
		switch {
		case refusal == nil:
		case half > 0:
			pending = append([][]TaskResult{some[:half], some[half:]}, pending...)
		case some[0].Error == nil || some[0].Error.Code != task.BadResult:
			pending = append([][]TaskResult{{unsendable(&some[0], refusal)}}, pending...)
		default:
			w.options.Logger.Error("settle.lost", "task", some[0].ID.String(), "error", refusal)
		}
	}
}

// tell tells the server of results. The error is its refusal of them, which is for good.
func (w *working) tell(ctx context.Context, results []TaskResult) (refusal error) {
	for try := 1; ; try++ {
		settled, err := w.client.Settle(ctx, results)
		if err == nil {
			for i, one := range settled {
				if one.Status != "ok" {
					w.options.Logger.Warn("settle.refused", "task", results[i].ID.String(), "status", one.Status, "outcome", results[i].Outcome)
				}
			}
			return nil
		}
		w.options.Logger.Warn("settle.failed", "tasks", len(results), "error", err)
		denied, refused := isDenied(err), isRefused(err)
		switch {
		case denied:
			w.fail(&deniedError{err})
			return nil
		case refused:
			return err
		case pause(ctx, min(try, 10), err) != nil:
			w.options.Logger.Error("settle.lost", "tasks", len(results), "error", err)
			return nil
		}
	}
}

// unsendable is the failure of an attempt of whose end the server takes no word.
func unsendable(r *TaskResult, refusal error) TaskResult {
	err := &badResult{fmt.Errorf("the server refuses how the attempt ended (%s): %w", r.Outcome, refusal)}
	return TaskResult{ID: r.ID, Claim: r.Claim, Outcome: string(task.OutcomeFailed), Error: errorOf(context.Background(), err)}
}

// deniedError ends the work of a worker that the server does not let work.
type deniedError struct{ err error }

func (d *deniedError) Error() string { return d.err.Error() }

// isDenied reports whether the server denies the worker everything: its token is not good.
func isDenied(err error) bool {
	var problem *Error
	return errors.As(err, &problem) && (problem.Status == http.StatusUnauthorized || problem.Status == http.StatusForbidden || problem.Code == task.CodeRateLimited)
}

// isRefused reports whether the server would refuse the request again, or the client
// cannot even send it.
func isRefused(err error) bool {
	var problem *Error
	if errors.As(err, &problem) {
		return problem.Status/100 == 4 && !passing(err) && problem.Status != http.StatusRequestTimeout
	}
	return errors.Is(err, &task.Error{Code: task.CodeInvalid})
}

// workContext is the context of an attempt, with what [Progress] needs.
type workContext struct {
	context.Context
	working *working
	id      task.ID
}

type workKey struct{}

// Value implements [context.Context].
func (c *workContext) Value(key any) any {
	if key == (workKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Progress reports how far an attempt has come: any value that is JSON of at most 4
// KiB. It goes to the server with the next extension of the lease. Outside of a
// [WorkHandler] it is an error.
func Progress(ctx context.Context, value any) error {
	of, ok := ctx.Value(workKey{}).(*workContext)
	if !ok {
		return errors.New("client: no attempt runs in this context")
	}
	text, err := json.Marshal(value)
	if err != nil || len(text) > 4<<10 {
		return errors.Join(err, task.Invalid("progress", "must be JSON of at most 4 KiB", ""))
	}
	of.working.mu.Lock()
	defer of.working.mu.Unlock()
	if held := of.working.held[of.id]; held != nil {
		held.progress = text
	}
	return nil
}

// RetryAfter makes an attempt fail with err, and the next one start after d instead
// of the policy's delay. The policy still counts the attempts.
func RetryAfter(d time.Duration, err error) error {
	return &steering{outcome: string(task.OutcomeFailed), after: (*Duration)(&d), err: err}
}

// Snooze asks to run again after d, a second at the least. It is no failure and
// costs no attempt.
func Snooze(d time.Duration) error {
	return &steering{outcome: string(task.OutcomeSnoozed), after: (*Duration)(&d)}
}

// GiveUp ends a task now as a dead letter, whatever attempts are left.
func GiveUp(err error) error { return &steering{outcome: string(task.OutcomeDead), err: err} }

// Drop ends a task now as canceled: it is no longer wanted, and nobody needs to look
// at it.
func Drop(err error) error { return &steering{outcome: string(task.OutcomeCanceled), err: err} }

// steering is an error by which a handler says what is to follow.
type steering struct {
	outcome string
	after   *Duration
	err     error
}

func (s *steering) Error() string {
	if s.err == nil {
		return s.outcome
	}
	return s.err.Error()
}

func (s *steering) Unwrap() error { return s.err }
