package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// extending is the loop that keeps the leases of what is in hand, each a third of a lease
// after it began.
func (w *working) extending() {
	ticker := time.NewTicker(w.options.Lease / 6)
	defer ticker.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-ticker.C:
		}
		for due := w.due(); len(due) > 0; {
			some := due[:min(len(due), 1000)]
			due = due[len(some):]
			w.extend(some)
		}
	}
}

// due is what is to be extended now.
func (w *working) due() (due []*holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.held {
		if !h.gone && time.Since(h.since) >= w.options.Lease/3 {
			due = append(due, h)
		}
	}
	return due
}

func (w *working) extend(held []*holding) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.attempts), w.options.Lease/3)
	defer cancel()
	items := make([]ExtendItem, len(held))
	w.mu.Lock()
	for i, h := range held {
		items[i] = ExtendItem{ID: h.task.ID, Claim: h.task.Claim, Progress: h.progress}
	}
	w.mu.Unlock()
	asked := time.Now()
	results, err := w.client.Extend(ctx, items, w.options.Lease)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.options.Logger.Warn("extend.failed", "tasks", len(items), "error", err)
		if isDenied(err) {
			w.fail(&deniedError{err})
		}
		for _, h := range held {
			if time.Since(h.since) < w.options.Lease { // it may have been extended; later it is not this worker's any more
				h.lostAt = time.Now().Add(w.options.Lease)
			}
			if isRefused(err) {
				h.progress = nil // it can only be that
			}
		}
		return
	}
	for i, result := range results[:min(len(results), len(held))] {
		h := held[i]
		switch result.Status {
		case "stale_claim", "not_found":
			h.gone = true
			h.cancel(ErrLeaseLost)
			continue
		case "canceled":
			h.cancel(ErrCanceled)
		}
		h.leased(asked, w.options.Lease)
	}
}

// settling is the loop that tells the server how attempts ended, together those
// that end while a call is under way.
func (w *working) settling() {
	for {
		var batch []ending
		select {
		case e := <-w.ended:
			batch = append(batch, e)
		case <-w.done:
			return
		}
		for more := true; more && len(batch) < mostSettled; {
			select {
			case e := <-w.ended:
				batch = append(batch, e)
			default:
				more = false
			}
		}
		w.settle(batch)
	}
}

// settle tells the server, until it has heard or the leases have ended, after which
// the tasks run again elsewhere. What the server refuses is told in halves, so that
// only what is wrong fails.
func (w *working) settle(batch []ending) {
	for pending := [][]ending{batch}; len(pending) > 0; {
		some, refusal := w.tell(pending[0])
		pending = pending[1:]
		half := len(some) / 2
		switch {
		case refusal == nil:
		case half > 0:
			pending = append([][]ending{some[:half], some[half:]}, pending...)
		case some[0].result.Error == nil || some[0].result.Error.Code != task.BadResult:
			some[0].result = unsendable(&some[0].result, refusal)
			pending = append([][]ending{some}, pending...)
		default:
			w.lose(some, refusal)
		}
	}
}

// tell tells the server how attempts ended. If it refuses that for good, the refusal is
// returned with those that it still has to hear of.
func (w *working) tell(batch []ending) (untold []ending, refusal error) {
	var last error
	for try := 1; ; try++ {
		if batch = w.ours(batch, last); len(batch) == 0 {
			return nil, nil
		}
		if last = w.call(batch); last == nil {
			return nil, nil
		}
		w.options.Logger.Warn("settle.failed", "tasks", len(batch), "error", last)
		switch {
		case isDenied(last):
			w.fail(&deniedError{last})
			w.lose(batch, last)
			return nil, nil
		case isRefused(last):
			return batch, last
		}
		_ = pause(context.Background(), min(try, 10), last) // it ends by itself
	}
}

// call is one call for some attempts.
func (w *working) call(batch []ending) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	results := make([]TaskResult, len(batch))
	for i, e := range batch {
		results[i] = e.result
	}
	settled, err := w.client.Settle(ctx, results)
	if err == nil && len(settled) != len(results) {
		err = errors.New("client: the answer does not fit what was settled")
	}
	if err != nil {
		return err
	}
	for i, one := range settled {
		if one.Status != "ok" {
			w.options.Logger.Warn("settle.refused", "task", one.ID.String(), "status", one.Status, "outcome", results[i].Outcome)
		}
		close(batch[i].told)
	}
	return nil
}

// ours are the attempts whose leases may still hold.
func (w *working) ours(batch []ending, last error) []ending {
	var ours, lost []ending
	w.mu.Lock()
	for _, e := range batch {
		if e.gone || time.Now().After(e.lostAt) {
			lost = append(lost, e)
		} else {
			ours = append(ours, e)
		}
	}
	w.mu.Unlock()
	w.lose(lost, last)
	return ours
}

// lose gives up attempts of whose end the server does not hear.
func (w *working) lose(batch []ending, err error) {
	for _, e := range batch {
		w.options.Logger.Error("settle.lost", "task", e.task.ID.String(), "outcome", e.result.Outcome, "error", err)
		close(e.told)
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
// cannot even send it. What comes without a problem document is not the server's word: a
// proxy whose server is away may say 404. That a body is too large is for good, whoever says it.
func isRefused(err error) bool {
	var problem *Error
	if errors.As(err, &problem) {
		return problem.Status == http.StatusRequestEntityTooLarge ||
			problem.Status/100 == 4 && problem.Code != task.CodeInternal && !passing(err) && problem.Status != http.StatusRequestTimeout
	}
	return errors.Is(err, &task.Error{Code: task.CodeInvalid})
}
