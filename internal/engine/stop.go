package engine

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	yieldTime  = 2 * time.Second // for handlers to return after their context ended
	settleTime = 5 * time.Second // for the last settlements
)

// Stop ends the engine gracefully: no new claims, running attempts get the
// grace time, or less if ctx ends first, the rest is handed back without
// cost, lanes are freed and the node leaves. Idempotent: later calls wait
// for the first and return what it returned.
func (e *Engine) Stop(ctx context.Context) error {
	if !e.started.Load() {
		return nil
	}
	e.stopOnce.Do(func() { e.stopErr = e.stop(ctx) })
	return e.stopErr
}

func (e *Engine) stop(ctx context.Context) error {
	e.member.SetLeaving()
	e.dispatcher.stopClaims()
	e.waitForDispatcher(ctx)
	e.member.Retire(ctx)
	e.waitForHandlers(ctx)
	e.enqueues.Close() // not sooner: handlers may enqueue while they finish
	e.stopRunning()    // first: loops of the membership may be in calls of ours
	e.member.StopLoops()
	e.loops.Wait()
	e.run.pool.stop()
	e.releaseRest()
	settled := make(chan struct{})
	go func() { e.closeSettles(); close(settled) }()
	select {
	case <-settled:
	case <-time.After(settleTime):
		e.stopSettling()
		<-settled
	}
	e.stopSettling()
	e.member.StopBeat()
	return e.member.Leave(ctx)
}

// closeSettles waits for the settlements that were handed in.
func (e *Engine) closeSettles() {
	e.end.steps.Close()
	e.completions.Close()
	e.contests.Wait()
	e.settles.Close()
}

// waitForDispatcher waits for a claim under way; what a later answer brings
// is not started any more.
func (e *Engine) waitForDispatcher(ctx context.Context) {
	select {
	case <-e.dispatcher.dispatched:
	case <-ctx.Done():
	case <-time.After(e.config.Grace):
	}
	e.lock()
	e.halted = true
	e.unlock()
}

// waitForHandlers gives running attempts the grace time, then ends their
// contexts and gives them a little time to return.
func (e *Engine) waitForHandlers(ctx context.Context) {
	idle := make(chan struct{})
	go func() { e.run.handlers.Wait(); close(idle) }()
	grace := time.NewTimer(e.config.Grace)
	defer grace.Stop()
	select {
	case <-idle:
		return
	case <-grace.C:
	case <-ctx.Done():
	}
	e.run.stopAttempts(ErrStopping)
	select {
	case <-idle:
	case <-time.After(yieldTime):
	}
}

// releaseRest hands back the tasks of handlers that did not return. What
// they still answer is dropped, and would be refused.
func (e *Engine) releaseRest() {
	e.lock()
	rest := slices.Collect(e.unended)
	e.unlock()
	for _, a := range rest {
		if a.lease != nil {
			continue // it is its worker's, who tells another node how it ends
		}
		e.handIn(a, &decided{rule: ErrStopping.Error(), settlement: store.Settlement{
			Task: a.run.Task, Outcome: task.OutcomeReleased, StartedAt: a.run.Task.StartedAt, EndedAt: time.Now(),
		}})
	}
}
