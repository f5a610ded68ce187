package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// lease is what a node knows of the lease of an attempt that a remote worker runs.
type lease struct {
	worker   string
	length   time.Duration // as it was given last
	until    time.Time     // its end, as far as this node knows; guarded by the engine's lock, as the next two
	asked    time.Time     // when the store was asked last whether it still holds
	doubt    bool          // the store is to be asked soon
	progress json.RawMessage

	over   chan struct{} // closed when the attempt is settled, or is not this node's any more
	result store.Settled // once it is settled
}

// end notes the end of an attempt, if it is leased.
func (l *lease) end(result store.Settled) {
	if l != nil {
		l.result = result
		close(l.over)
	}
}

// endLate ends attempts of remote workers whose time is over.
func (e *Engine) endLate(now time.Time) {
	var late []*attempt
	e.mu.Lock()
	for a := range e.remote.held {
		if !a.ctx.limit.IsZero() && now.After(a.ctx.limit) {
			late = append(late, a)
		}
	}
	e.mu.Unlock()
	for _, a := range late {
		e.finish(a, nil, context.DeadlineExceeded)
	}
}

// letGo forgets an attempt whose task is not its worker's any more: another node
// has settled it, or its lease has ended. The engine's lock must be held.
func (e *Engine) letGo(a *attempt) {
	if !a.ends() {
		return // it is being settled; the store will refuse that
	}
	if time.Now().After(a.lease.until) {
		e.remote.dismiss(a.lease.worker)
	}
	e.near.conclude(a.entry, answer{silent: true, at: time.Now(), policy: a.run.Policy})
	e.lookAgain(a.entry)
	e.releaseOne(a, &store.Settled{Status: store.StatusStale})
	a.lease.end(store.Settled{Status: store.StatusStale})
}

// Extension is what a remote worker says of a task that it runs.
type Extension struct {
	ID       task.ID
	Claim    int64
	Progress json.RawMessage // what it reports of its work, kept on this node while the attempt runs
}

// Extend moves the ends of leases to lease from now: of tasks that any node has
// leased. One answer per item.
func (e *Engine) Extend(ctx context.Context, items []Extension, lease time.Duration) ([]store.Extended, error) {
	leaser, ok := store.As[store.Leaser](e.config.Store)
	if !ok {
		return nil, ErrNoPolls
	}
	asked := make([]store.LeaseItem, len(items))
	for i, item := range items {
		asked[i] = store.LeaseItem{ID: item.ID, Claim: item.Claim}
	}
	began := time.Now()
	results, err := leaser.Extend(ctx, asked, lease)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, item := range items {
		a := e.leasedHere(item.ID, item.Claim)
		if a == nil {
			continue
		}
		if results[i].Status != store.StatusOK {
			e.doubtLease(a.lease) // it may be another's by now
			continue
		}
		a.lease.length, a.lease.until, a.lease.asked = lease, began.Add(lease), began
		if item.Progress != nil {
			a.lease.progress = item.Progress
		}
		if results[i].CancelRequested {
			a.ctx.cancel(ErrCanceled)
		}
		if w := e.remote.workers[a.lease.worker]; w != nil {
			w.seen = began
		}
	}
	return results, nil
}

// leasedHere is the attempt of a task that this node has leased under a claim. The
// engine's lock must be held.
func (e *Engine) leasedHere(id task.ID, claim int64) *attempt {
	if known := e.near.known[id]; known != nil && known.isLeased() && known.attempt.run.Task.Claim == claim {
		return known.attempt
	}
	return nil
}

// Lease is what this node knows of the lease of a task that it has given to a worker:
// until when the worker has it at least, and what that has reported last. Both are
// zero where it knows of none.
func (e *Engine) Lease(t *task.Task) (until time.Time, progress json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.leasedHere(t.ID, t.Claim); a != nil {
		if until = a.lease.until; !until.After(time.Now()) {
			until = time.Time{} // another node has extended it
		}
		return until, a.lease.progress
	}
	return time.Time{}, nil
}

// finish ends an attempt that a remote worker runs by what it came to, and reports
// whether it had not ended before.
func (e *Engine) finish(a *attempt, result []byte, err error) bool {
	if !a.ends() {
		return false
	}
	end := ending{run: &a.run, result: result, err: err, started: a.began, ended: time.Now(), random: e.random}
	end.usual = time.Duration(a.entry.stream.target.usual.Load())
	end.cause = a.ctx.end(end.ended)
	decideEnding(&a.end, &end)
	e.settle(a)
	return true
}

// decideEnding says what becomes of a task whose worker has said how its attempt
// ended.
func decideEnding(out *decided, end *ending) {
	if errors.Is(end.err, ErrReleased) {
		*out = decided{rule: ErrReleased.Error(), settlement: store.Settlement{
			Task: end.run.Task, Outcome: task.OutcomeReleased, StartedAt: end.started, EndedAt: end.ended,
		}}
		return
	}
	decideSafely(out, end)
}

// ErrReleased is the end of an attempt whose worker hands the task back, at no
// cost.
var ErrReleased = errors.New("the worker handed the task back")
