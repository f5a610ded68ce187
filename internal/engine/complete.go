package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/gather"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Completion inside a transaction of the handler. [Engine.CompleteTx] ends the
// attempt in the store, inside that transaction; whether it commits is the
// handler's affair, and may be unknown to everybody but the database. So what
// such a handler returns decides nothing yet. First the engine reads whether
// the row still runs under the claim:
//
//   - it does not: the transaction has committed, or the claim was lost. The
//     success is settled once more, and the store answers ok or stale.
//   - it does: nothing has committed. A failure is settled as ever. From a
//     handler that returned nil it is a failure too, of category local.
//
// The second way may wait for a transaction that is still open, and finds the
// success recorded if that commits: then the success stands. It goes apart
// from other settlements, which must not wait with it.

const (
	mostContests = 4               // settlements at once that may wait for a transaction of a handler
	contestCall  = time.Second     // how long the first try holds a connection; later ones do for longer, up to storeCall
	contestPause = 5 * time.Second // between two of them at most
)

// completer ends attempts in transactions of their handlers.
type completer struct {
	*settler
	contests  sync.WaitGroup // only the goroutine of completions adds
	contested chan struct{}  // the places of contests
}

func newCompleter(s *settler) *completer {
	p := &completer{settler: s, contested: make(chan struct{}, mostContests)}
	s.completions = gather.New(gather.Config[*attempt]{
		Commit: p.commitCompletions, Most: gather.Weight{Items: s.config.Batch, Bytes: mostCommitBytes},
	})
	return p
}

// CompleteTx ends an attempt as succeeded inside a transaction of its handler,
// with the result and the follow-up tasks: the task has succeeded exactly if
// the transaction commits. Errors are a [*task.Error] with a code, of which
// "stale_claim" says that the task is not this attempt's any more, or whatever
// the database said; after each of them the transaction is to be rolled back.
// After a rollback another transaction may be tried.
func (p *completer) CompleteTx(ctx context.Context, run *Run, tx any, result []byte) error {
	settler, ok := store.As[store.TxSettler](p.config.Store)
	if !ok {
		return &task.Error{Code: task.CodeUnavailable, Message: "this store cannot join transactions of the caller"}
	}
	a := run.attempt
	if a == nil {
		return noAttempt()
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the attempt's context has ended: %w", errors.Join(err, differing(context.Cause(ctx), err)))
	}
	a.completion.CompareAndSwap(nil, &completion{})
	if a.settled.Load() { // after completion was set: handIn looks in the other order
		return noAttempt()
	}
	a.steps.Refuse()
	c := a.completion.Load()
	if c.by(tx) {
		return &task.Error{Code: task.CodeConflict, Message: "this transaction has completed the task already", Hint: "complete a task once in a transaction"}
	}
	s := store.Settlement{Task: run.Task, Outcome: task.OutcomeSucceeded, StartedAt: a.began, EndedAt: time.Now(), Result: result, Label: p.label(run)}
	p.follow(&s)
	settled, err := settler.SettleTx(ctx, tx, s)
	if err != nil {
		return err
	}
	switch settled.Status {
	case store.StatusOK:
		c.note(tx, s)
		return nil
	case store.StatusRefused:
		return settled.Err
	}
	return &lateError{&task.Error{
		Code: task.CodeStaleClaim, Message: "the task does not run under claim " + fmt.Sprint(run.Task.Claim) + " any more",
		Hint: "roll back and return this error: the work was done by an earlier transaction, or is done by a later run",
	}}
}

// Step does a part of the handler's work, unless an earlier attempt has: then it returns
// what that has stored. What is done is on disk under the attempt's claim when it returns.
func (r *Run) Step(ctx context.Context, call steps.Call) (*task.Step, error) {
	a, err := r.stepping(call.Name)
	if err != nil {
		return nil, err
	}
	done, err := a.steps.Do(ctx, r.Task, call)
	return r.stepped(call.Name, done, err)
}

// Await returns the signal of a name, or an error by which the task waits for it until the
// timeout, which counts from the first call.
func (r *Run) Await(ctx context.Context, name string, timeout time.Duration) (*task.Step, error) {
	a, err := r.stepping(name)
	if err != nil {
		return nil, err
	}
	signal, err := a.steps.Await(ctx, r.Task, name, timeout)
	if waiting := new(steps.Waiting); errors.As(err, &waiting) {
		return nil, &await{waiting}
	}
	return r.stepped(name, signal, err)
}

// await lets a task wait until a signal comes, or its time is over.
type await struct{ *steps.Waiting }

// HandlerOutcome implements [OutcomeError].
func (a *await) HandlerOutcome() HandlerOutcome {
	return HandlerOutcome{Action: ActionAwait, After: time.Until(a.Until)}
}

// stepping is the attempt if it may have steps.
func (r *Run) stepping(name string) (*attempt, error) {
	a := r.attempt
	if a == nil || !a.steps.Begun() {
		return nil, noAttempt()
	}
	if a.completion.Load() != nil {
		return nil, &task.Error{Code: task.CodeConflict, Message: "step " + task.Quote(name) + " comes after the task was completed in a transaction", Hint: "complete it after the last step"}
	}
	return a, nil
}

// stepped is what a handler is told of a step.
func (r *Run) stepped(name string, done *task.Step, err error) (*task.Step, error) {
	if undoing := new(steps.Undoing); errors.As(err, &undoing) {
		return nil, &snooze{undoing}
	}
	switch {
	case errors.Is(err, steps.ErrOver):
		return nil, ErrStopping
	case errors.Is(err, steps.ErrStale):
		r.attempt.ctx.cancel(ErrLost) // nothing that it does counts any more
		return nil, &lateError{&task.Error{
			Code: task.CodeStaleClaim, Message: "the task does not run under claim " + fmt.Sprint(r.Task.Claim) + " any more, so that step " + task.Quote(name) + " was not stored",
			Hint: "return this error: another run does the step",
		}}
	}
	return done, err
}

// snooze lets a task wait until what undoes its steps has ended.
type snooze struct{ *steps.Undoing }

// HandlerOutcome implements [OutcomeError].
func (s *snooze) HandlerOutcome() HandlerOutcome {
	return HandlerOutcome{Action: ActionSnooze, After: steps.Pause}
}

func noAttempt() error {
	return &task.Error{Code: task.CodeConflict, Message: "no attempt runs in this context", Hint: "call it before the handler returns, with the handler's context; in a test, outlasttest.Run has attempts, outlasttest.Work has none"}
}

// differing is err unless it is the other one.
func differing(err, other error) error {
	if errors.Is(err, other) {
		return nil
	}
	return err
}

// lateError says that the task was not the attempt's any more. Trying again in
// another transaction changes nothing about that.
type lateError struct{ err *task.Error }

func (l *lateError) Error() string { return l.err.Error() }
func (l *lateError) Unwrap() error { return l.err }
func (l *lateError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent, Type: "claim", Code: string(task.CodeStaleClaim)}
}

// errUncommitted is the failure of a handler that asked for a completion in
// its transaction, and returned well although that has not committed.
var errUncommitted error = uncommittedError{}

type uncommittedError struct{}

func (uncommittedError) Error() string {
	return "the handler returned nil, but the transaction that completes the task did not commit"
}

func (uncommittedError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Local, Effect: retry.Maybe, Type: "transaction", Code: "not_committed"}
}

// commitCompletions is the commit of the group of attempts whose handlers asked
// for a completion in a transaction of their own.
func (p *completer) commitCompletions(batch []*attempt) {
	p.lock()
	p.feedback() // the guards hear what the handlers said, before it is replaced
	p.unlock()
	open, known := p.stillRun(batch)
	if !known {
		return // the node is gone; recovery will find what still runs
	}
	var over []*attempt
	for _, a := range batch {
		if t := a.run.Task; open[t.ID] == t.Claim {
			p.contests.Go(func() { p.contest(a) })
		} else {
			p.completed(a)
			over = append(over, a)
		}
	}
	if len(over) > 0 {
		p.commitSettles(over)
	}
}

// stillRun reads which rows run, with their claims.
func (p *completer) stillRun(batch []*attempt) (claims map[task.ID]int64, known bool) {
	nodes := map[string][]task.ID{} // this one, by the id that it had at the claim
	for _, a := range batch {
		t := a.run.Task
		nodes[t.Node] = append(nodes[t.Node], t.ID)
	}
	claims = map[task.ID]int64{}
	for node, ids := range nodes {
		for pause := 2 * time.Millisecond; ; pause = min(2*pause, time.Second) {
			ctx, cancel := context.WithTimeout(p.settling, storeCall)
			rows, err := p.config.Store.Running(ctx, node, ids)
			cancel()
			if err == nil {
				for _, t := range rows {
					claims[t.ID] = t.Claim
				}
				break
			}
			p.log.Warn("complete.repeated", "rows", len(ids), "error", err)
			if !background.Sleep(p.settling, pause) {
				return nil, false
			}
		}
	}
	return claims, true
}

// completed makes the end of an attempt, whose row does not run any more, the
// success that was recorded in the handler's transaction, if one was.
func (p *completer) completed(a *attempt) {
	c := a.completion.Load()
	c.mu.Lock()
	s := c.settlement
	c.mu.Unlock()
	if s.Task == nil { // the store's answer was lost, or it said that the claim was
		s = a.end.settlement
		s.Outcome, s.Result, s.Failure, s.DeadReason, s.Follow = task.OutcomeSucceeded, nil, nil, "", nil
	}
	a.again, a.kept, a.end = true, a.end.err, decided{settlement: s}
}

// contest settles an attempt whose handler's transaction had not committed when
// it was looked at.
func (p *completer) contest(a *attempt) {
	if late := new(lateError); a.end.settlement.Outcome == task.OutcomeSucceeded || errors.As(a.end.err, &late) {
		p.uncommitted(a)
	}
	if !p.undoAll([]*attempt{a}) {
		return
	}
	limit := contestCall
	began := time.Now()
	defer p.unsettled.over(&a.end.settlement)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, contestPause) {
		results, err := p.settleApart(a.end.settlement, limit)
		limit = min(2*limit, storeCall)
		if err == nil && results[0].Status == store.StatusStale {
			p.completed(a)
			p.commitSettles([]*attempt{a})
			return
		}
		if err == nil {
			p.settled([]*attempt{a}, results)
			return
		}
		p.unsettled.failed(&a.end.settlement, began, err)
		p.log.Warn("settle.repeated", "rows", 1, "error", err)
		if !background.Sleep(p.settling, pause) {
			return
		}
	}
}

// uncommitted makes the end of an attempt that was none a failure.
func (p *completer) uncommitted(a *attempt) {
	was := &a.end.settlement
	end := ending{run: &a.run, err: errUncommitted, cause: a.end.cause, started: was.StartedAt, ended: was.EndedAt, random: p.random, identify: p.config.Fingerprint}
	decideSafely(&a.end, &end)
	p.follow(&a.end.settlement)
}

// settleApart settles one attempt, in its turn among those that may have to
// wait for a lock.
func (p *completer) settleApart(s store.Settlement, limit time.Duration) ([]store.Settled, error) {
	select {
	case p.contested <- struct{}{}:
	case <-p.settling.Done():
		return nil, p.settling.Err()
	}
	defer func() { <-p.contested }()
	ctx, cancel := context.WithTimeout(p.settling, limit)
	defer cancel()
	return p.config.Store.Settle(ctx, []store.Settlement{s})
}
