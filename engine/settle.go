package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (a *attempt) weigh() weight { return weight{1, len(a.end.settlement.Result)} }

// ends reports whether the attempt ends now: whoever is told so, once, says how.
func (a *attempt) ends() bool { return !a.settled.Swap(true) }

// handIn ends an attempt, unless it has ended already.
func (e *Engine) handIn(a *attempt, out *decided) {
	if a.ends() {
		a.end = *out
		e.settle(a)
	}
}

// settle gives the end of an attempt to the target's guards and to the settling
// group.
func (e *Engine) settle(a *attempt) {
	a.end.settlement.Label = e.label(&a.run)
	e.follow(&a.end.settlement)
	e.beside(&a.run, &a.end.settlement)
	e.answer(a)
	to := e.settles
	if a.completion.Load() != nil { // after settled was set; see CompleteTx
		to = e.completions
	}
	if to.put(a) != taken {
		e.log.Warn("settle.dropped", "task", a.run.Task.ID.String(), "outcome", string(a.end.settlement.Outcome))
	}
}

// label says under what an attempt ran.
func (e *Engine) label(r *Run) (l task.Label) {
	if p := r.Policy; p != nil && p.Version() > 0 {
		l.Policy, l.PolicyVersion = p.Name(), p.Version()
	}
	_, _, worker := task.Runner(r.Task.Node)
	l.Release = cmp.Or(worker, e.config.Node.Release)
	return l
}

// follow adds the tasks that are to be enqueued with the end of this one.
func (e *Engine) follow(s *store.Settlement) {
	spec := &s.Task.Spec
	add := func(follow *task.Follow, kind task.FollowKind) {
		if follow == nil {
			return
		}
		if insert, ok := e.config.Registry.Follow(s.Task, follow, kind, s); ok {
			s.Follow = append(s.Follow, insert)
		}
	}
	switch s.Outcome {
	case task.OutcomeSucceeded:
		add(spec.OnSuccess, task.FollowOnSuccess)
	case task.OutcomeDead:
		fallback := spec.Fallback
		if fallback == nil {
			fallback = e.config.Registry.Fallback(s.Task)
		}
		add(fallback, task.FollowFallback)
		add(spec.OnDead, task.FollowOnDead)
	}
}

// beside adds what others want to be enqueued with the end of an attempt that
// failed. A panic there must not keep the attempt from ending.
func (e *Engine) beside(run *Run, s *store.Settlement) {
	if e.config.Beside == nil || s.Outcome != task.OutcomeFailed && s.Outcome != task.OutcomeDead {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			e.log.Error("settle.beside_panicked", "task", s.Task.ID.String(), "panic", fmt.Sprint(value))
		}
	}()
	s.Follow = append(s.Follow, e.config.Beside(run, s)...)
}

// commitSettles is the commit of the group of settlements, in the order of
// their ids, which is how stores keep them: repeated until the outcome is
// known.
func (e *Engine) commitSettles(batch []*attempt) {
	slices.SortFunc(batch, func(a, b *attempt) int { return a.run.Task.ID.Compare(b.run.Task.ID) })
	settlements := make([]store.Settlement, len(batch))
	for i, a := range batch {
		settlements[i] = a.end.settlement
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
func (e *Engine) settled(batch []*attempt, results []store.Settled) {
	e.release(batch, results)
	for i, a := range batch {
		if results[i].Status != store.StatusRefused || a.again {
			e.report(a, results[i])
			a.lease.end(results[i])
		}
	}
	for i, a := range batch {
		if results[i].Status == store.StatusRefused && !a.again {
			e.refusedSettle(a, results[i].Err)
			e.commitSettles([]*attempt{a})
		}
	}
}

func (e *Engine) settleUntilKnown(settlements []store.Settlement) ([]store.Settled, bool) {
	// A first call without an answer may be on a connection that went silent; later
	// ones get time for a store that is slow.
	began := time.Now()
	defer e.unsettled.over(&settlements[0])
	for pause, limit := 2*time.Millisecond, storeCall; ; pause, limit = min(2*pause, time.Second), 3*storeCall {
		ctx, cancel := e.storeContext(limit)
		results, err := e.config.Store.Settle(ctx, settlements)
		cancel()
		if err == nil {
			return results, true
		}
		e.unsettled.failed(&settlements[0], began, err)
		e.log.Warn("settle.repeated", "rows", len(settlements), "error", err)
		e.unknown("settle")
		if !sleep(e.settling, pause) {
			return nil, false
		}
	}
}

// release frees the slots of settled attempts and puts those tasks that are
// pending again back into memory. Those whose settlement the store refused for
// its data stay: they are to end otherwise.
func (e *Engine) release(batch []*attempt, results []store.Settled) {
	e.lock()
	defer e.unlock()
	wanted := false
	for i, a := range batch {
		if results[i].Status == store.StatusRefused {
			if !a.again {
				continue
			}
			e.doubt() // the reconciler will hand the row back
		}
		wanted = wanted || e.near.wants(a.entry.lane)
		e.releaseOne(a, &results[i])
		for _, follow := range a.end.settlement.Follow {
			e.changedLane(follow.Task.ID.Lane())
			e.near.lookFor(follow.Task.ID.Lane(), task.Rank(e.settledAfter(&a.end.settlement), follow.Task.Priority))
			wanted = true
		}
	}
	signal(e.wake)
	if wanted {
		signal(e.load)
	}
}

// settledAfter is a time of the store's clock before a settlement was stored, and
// seldom long before.
func (e *Engine) settledAfter(s *store.Settlement) time.Time {
	const unknown = time.Second // of the difference of the clocks
	at := s.EndedAt.Add(-e.lagged() - unknown)
	if claimed := s.Task.StartedAt; claimed.After(at) {
		return claimed
	}
	return at
}

func (e *Engine) releaseOne(a *attempt, result *store.Settled) {
	entry := a.entry
	if l := entry.lane; l != nil && entry.Key != "" && len(l.marks) > 0 {
		l.released(entry.Key)
	}
	e.runs--
	e.bytes -= entry.Size
	entry.attempt = nil
	if a.lease != nil {
		e.remote.ended(a)
	}
	e.near.end(entry)
	entry.readDeadline(a.run.Deadline)
	switch again := result.Status == store.StatusOK && result.State == task.Pending; {
	case again && a.end.elsewhere != "":
		e.handOn(entry, a.end.elsewhere)
	case again:
		e.near.again(entry, result.Entry, tollAfter(a.run.Policy, &a.end.settlement))
	default:
		e.near.forget(entry)
	}
	if entry.Key != "" && entry.lane != nil && (e.stops.Load() || entry.lane.drained > 0 && entry.lane.drained > micros(time.Now())) {
		signal(e.balance) // it may be given back now
	}
	if entry.lane == nil && (result.State == task.Pending || entry.Key != "") {
		e.changedLane(entry.ID.Lane())
	}
}

// refusedSettle records an outcome whose data the store refuses (a result or
// a message that it cannot keep) as a failure of category local. What follows that
// is left out only if the store then refuses it too: the task must end.
func (e *Engine) refusedSettle(a *attempt, err error) {
	if a.local {
		e.log.Error("follow.lost", "task", a.entry.ID.String(), "tasks", len(a.end.settlement.Follow), "error", err)
		a.end.settlement.Task, a.end.settlement.Follow, a.again = a.run.Task, nil, true
		return
	}
	e.log.Error("settle.refused", "task", a.entry.ID.String(), "error", err)
	was := a.end.settlement
	end := ending{run: &a.run, err: &localError{err}, started: was.StartedAt, ended: was.EndedAt, random: e.random}
	decideSafely(&a.end, &end)
	a.end.settlement.Label = was.Label
	e.follow(&a.end.settlement)
	e.beside(&a.run, &a.end.settlement)
	a.local, a.again = true, len(a.end.settlement.Follow) == 0
}

// localError is a failure of this node, not of what the task calls.
type localError struct{ err error }

func (l *localError) Error() string { return "the outcome could not be stored: " + errorText(l.err) }

func (l *localError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Local, Effect: retry.Done, Type: "store"}
}

// tooLate tells the observer of an end that came too late.
func (e *Engine) tooLate(id task.ID, status store.Status) {
	if f := e.config.Observer.Stale; f != nil {
		f(id, status)
	}
}

// report tells the observer what has committed.
func (e *Engine) report(a *attempt, result store.Settled) {
	end := &a.end
	if result.Status != store.StatusOK {
		//nolint:sloglint // the status is one of the store's constants
		e.log.Warn("settle."+string(result.Status), "task", a.entry.ID.String(),
			"claim", end.settlement.Task.Claim, "outcome", string(end.settlement.Outcome))
		e.tooLate(a.entry.ID, result.Status)
		return
	}
	if a.kept != nil {
		e.log.Warn("settle.kept", "task", a.entry.ID.String(), "claim", end.settlement.Task.Claim, "error", a.kept)
	}
	if f := e.config.Observer.Settled; f != nil {
		f(Outcome{Settlement: &end.settlement, State: result.State, Rule: end.rule, Delay: end.delay, Err: end.err, Policy: a.run.Policy})
	}
}
