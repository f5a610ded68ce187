package engine

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// ended is an attempt on its way to its settlement on disk.
type ended struct {
	attempt *attempt
	again   bool  // the store has refused the outcome once
	kept    error // what a handler returned whose success was recorded before; see complete.go
	decided
}

func (e *ended) weigh() weight { return weight{1, len(e.settlement.Result)} }

// handIn gives the outcome of an attempt to the settling group, once.
func (e *Engine) handIn(a *attempt, out decided) {
	if a.settled.Swap(true) {
		return
	}
	e.follow(&out.settlement)
	to := e.settles
	if a.completion.Load() != nil { // after settled was set; see CompleteTx
		to = e.completions
	}
	if to.put(&ended{attempt: a, decided: out}) != taken {
		e.log.Warn("settle.dropped", "task", out.settlement.Task.ID.String(), "outcome", string(out.settlement.Outcome))
	}
}

// follow adds the tasks that are to be enqueued with the end of this one.
func (e *Engine) follow(s *store.Settlement) {
	spec := &s.Task.Spec
	add := func(follow *task.Follow, kind FollowKind) {
		if follow == nil {
			return
		}
		if insert, ok := e.config.Registry.Follow(s.Task, follow, kind, s); ok {
			s.Follow = append(s.Follow, insert)
		}
	}
	switch s.Outcome {
	case task.OutcomeSucceeded:
		add(spec.OnSuccess, FollowOnSuccess)
	case task.OutcomeDead:
		add(spec.Fallback, FollowFallback)
		add(spec.OnDead, FollowOnDead)
	}
}

// commitSettles is the commit of the group of settlements, in the order of
// their ids, which is how stores keep them: repeated until the outcome is
// known.
func (e *Engine) commitSettles(batch []*ended) {
	slices.SortFunc(batch, func(a, b *ended) int { return a.settlement.Task.ID.Compare(b.settlement.Task.ID) })
	settlements := make([]store.Settlement, len(batch))
	for i, end := range batch {
		settlements[i] = end.settlement
	}
	began := time.Now()
	results, known := e.settleUntilKnown(settlements)
	if !known {
		return // the node is gone; recovery will find these rows
	}
	e.committed("settle", len(batch), began)
	e.settled(batch, results)
}

// settled does what follows from the store's answers.
func (e *Engine) settled(batch []*ended, results []store.Settled) {
	refused := e.release(batch, results)
	for i, end := range batch {
		if results[i].Status != store.StatusRefused || end.again {
			e.report(end, results[i])
		}
	}
	for _, end := range refused {
		e.commitSettles([]*ended{end})
	}
}

func (e *Engine) settleUntilKnown(settlements []store.Settlement) ([]store.Settled, bool) {
	// A first call without an answer may be on a connection that went silent; later
	// ones get time for a store that is slow.
	for pause, limit := 2*time.Millisecond, storeCall; ; pause, limit = min(2*pause, time.Second), 3*storeCall {
		ctx, cancel := e.storeContext(limit)
		results, err := e.config.Store.Settle(ctx, settlements)
		cancel()
		if err == nil {
			return results, true
		}
		e.log.Warn("settle.repeated", "rows", len(settlements), "error", err)
		if !sleep(e.settling, pause) {
			return nil, false
		}
	}
}

// release frees the slots of settled attempts and puts those tasks that are
// pending again back into memory. It returns the attempts whose settlement
// the store refused for its data, rewritten as failures of category local.
func (e *Engine) release(batch []*ended, results []store.Settled) (refused []*ended) {
	e.mu.Lock()
	defer e.mu.Unlock()
	wanted := false
	for i, end := range batch {
		if results[i].Status == store.StatusRefused {
			if !end.again {
				refused = append(refused, e.refusedSettle(end, results[i].Err))
				continue
			}
			e.doubt() // the reconciler will hand the row back
		}
		entry := end.attempt.entry
		wanted = wanted || e.near.wants(entry.lane)
		if l := entry.lane; l != nil && entry.Key != "" && len(l.marks) > 0 {
			l.released(entry.Key)
		}
		delete(e.runs, entry.ID)
		e.bytes -= entry.Size
		e.near.end(entry)
		if results[i].Status == store.StatusOK && results[i].State == task.Pending {
			e.near.again(entry, results[i].Entry, tollAfter(end.attempt.run.Policy, &end.settlement))
		} else {
			e.near.forget(entry)
		}
		if entry.Key != "" && entry.lane != nil && (e.stops.Load() || entry.lane.drained > 0 && entry.lane.drained > micros(time.Now())) {
			signal(e.balance) // it may be given back now
		}
		if entry.lane == nil && (results[i].State == task.Pending || entry.Key != "") {
			e.changedLane(entry.ID.Lane())
		}
		for _, follow := range end.settlement.Follow {
			e.changedLane(follow.Task.ID.Lane())
			e.near.lookFor(follow.Task.ID.Lane(), task.Rank(end.settlement.EndedAt, follow.Task.Priority))
			wanted = true
		}
	}
	signal(e.wake)
	if wanted {
		signal(e.load)
	}
	return refused
}

// refusedSettle records an outcome whose data the store refuses (a result or
// a message that it cannot keep) as a failure of category local.
func (e *Engine) refusedSettle(end *ended, err error) *ended {
	e.log.Error("settle.refused", "task", end.attempt.entry.ID.String(), "error", err)
	again := decideSafely(ending{
		run: &end.attempt.run, err: &localError{err}, started: end.settlement.StartedAt, ended: end.settlement.EndedAt, random: e.random,
	})
	again.settlement.Follow = nil
	return &ended{attempt: end.attempt, again: true, decided: again}
}

// localError is a failure of this node, not of what the task calls.
type localError struct{ err error }

func (l *localError) Error() string { return "the outcome could not be stored: " + errorText(l.err) }

func (l *localError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Local, Effect: retry.Done, Type: "store"}
}

// report tells the observer what has committed.
func (e *Engine) report(end *ended, result store.Settled) {
	if result.Status != store.StatusOK {
		//nolint:sloglint // the status is one of the store's constants
		e.log.Warn("settle."+string(result.Status), "task", end.attempt.entry.ID.String(),
			"claim", end.settlement.Task.Claim, "outcome", string(end.settlement.Outcome))
		return
	}
	if end.kept != nil {
		e.log.Warn("settle.kept", "task", end.attempt.entry.ID.String(), "claim", end.settlement.Task.Claim, "error", end.kept)
	}
	if f := e.config.Observer.Settled; f != nil {
		f(Outcome{Settlement: &end.settlement, State: result.State, Rule: end.rule, Delay: end.delay, Err: end.err})
	}
}
