package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/gather"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// settler writes down how attempts ended, and brings memory in line with it.
type settler struct {
	*core
	steps        *steps.Keeper
	settles      *gather.Group[*attempt]
	completions  *gather.Group[*attempt] // of attempts that were completed in a transaction, before they are settled
	unsettled    unsettled               // results that the store does not take
	settling     context.Context         // ends when nothing more can be settled
	stopSettling context.CancelFunc
}

func newSettler(c *core) *settler {
	s := &settler{core: c}
	s.settling, s.stopSettling = context.WithCancel(context.Background())
	s.steps = steps.NewKeeper(s.keeping())
	s.settles = gather.New(gather.Config[*attempt]{
		Commit: s.commitSettles, Most: gather.Weight{Items: c.config.Batch, Bytes: mostCommitBytes}, Apart: 2,
	})
	return s
}

// finder reads tasks of any state.
type finder interface {
	Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error)
}

// keeping is what the steps of attempts need.
func (s *settler) keeping() steps.Config {
	config := steps.Config{
		Enqueue: s.config.Store.Enqueue, Undo: s.config.Registry.Undo, Most: gather.Weight{Items: s.config.Batch, Bytes: mostCommitBytes}, Limit: storeCall,
		Over: s.settling, Log: s.log, Committed: func(rows int, began time.Time) { s.committed("step", rows, began) },
	}
	config.Store, _ = store.As[store.Steps](s.config.Store)
	if from, ok := s.config.Store.(finder); ok {
		config.Find = from.Find
	}
	return config
}

// handIn ends an attempt, unless it has ended already.
func (s *settler) handIn(a *attempt, out *decided) {
	if a.ends() {
		a.end = *out
		s.settle(a)
	}
}

// settle gives the end of an attempt to the target's guards and to the settling
// group.
func (s *settler) settle(a *attempt) {
	a.end.settlement.Label = s.label(&a.run)
	s.follow(&a.end.settlement)
	if out := a.end.settlement.Outcome; out == task.OutcomeFailed || out == task.OutcomeDead {
		s.onFailure(&a.run, &a.end.settlement)
	}
	s.answered.add(a)
	if a.entry.TargetHolds() {
		signal(s.wake) // it may open the gates that are shut
	}
	to := s.settles
	if a.completion.Load() != nil { // after settled was set; see CompleteTx
		to = s.completions
	}
	if to.Put(a, gather.Weight{Items: 1, Bytes: len(a.end.settlement.Result)}) != gather.Taken {
		s.log.Warn("settle.dropped", "task", a.run.Task.ID.String(), "outcome", string(a.end.settlement.Outcome))
	}
}

// label says under what an attempt ran.
func (s *settler) label(r *Run) (l task.Label) {
	if p := r.Policy; p != nil && p.Version() > 0 {
		l.Policy, l.PolicyVersion = p.Name(), p.Version()
	}
	_, _, worker := task.Runner(r.Task.Node)
	l.Release = cmp.Or(worker, s.config.Node.Release)
	return l
}

// follow adds the tasks that are to be enqueued with the end of this one.
func (s *settler) follow(end *store.Settlement) {
	spec := &end.Task.Spec
	add := func(follow *task.Follow, kind task.FollowKind) {
		if follow == nil {
			return
		}
		if insert, ok := s.config.Registry.Follow(end.Task, follow, kind, end); ok {
			end.Follow = append(end.Follow, insert)
		}
	}
	switch end.Outcome {
	case task.OutcomeSucceeded:
		add(spec.OnSuccess, task.FollowOnSuccess)
	case task.OutcomeDead:
		fallback := spec.Fallback
		if fallback == nil {
			fallback = s.config.Registry.Fallback(end.Task)
		}
		add(fallback, task.FollowFallback)
		add(spec.OnDead, task.FollowOnDead)
	}
}

// onFailure adds what others want to be enqueued with the end of an attempt that
// failed. A panic there must not keep the attempt from ending.
func (s *settler) onFailure(run *Run, end *store.Settlement) {
	if s.config.OnFailure == nil {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			s.log.Error("settle.beside_panicked", "task", end.Task.ID.String(), "panic", fmt.Sprint(value))
		}
	}()
	end.Follow = append(end.Follow, s.config.OnFailure(run, end)...)
}

// commitSettles is the commit of the group of settlements, in the order of
// their ids, which is how stores keep them: repeated until the outcome is
// known.
func (s *settler) commitSettles(batch []*attempt) {
	slices.SortFunc(batch, func(a, b *attempt) int { return a.run.Task.ID.Compare(b.run.Task.ID) })
	if !s.undoAll(batch) {
		return
	}
	for len(batch) > 0 {
		n := fitting(batch)
		s.commitSome(batch[:n])
		batch = batch[n:]
	}
}

// fitting is how many of a batch go into one commit with what follows them: what undoes the
// steps of tasks may be larger than all else.
func fitting(batch []*attempt) (n int) {
	for bytes := 0; n < len(batch); n++ {
		for _, follow := range batch[n].end.settlement.Follow {
			bytes += len(follow.Task.Payload)
		}
		if n > 0 && bytes > mostCommitBytes {
			break
		}
	}
	return n
}

func (s *settler) commitSome(batch []*attempt) {
	settlements := make([]store.Settlement, len(batch))
	for i, a := range batch {
		settlements[i] = a.end.settlement
	}
	began := time.Now()
	results, known := s.settleUntilKnown(settlements)
	if !known {
		return // the node is gone; recovery will find these rows
	}
	s.committed("settle", len(batch), began)
	s.settled(batch, results)
}

// undoAll adds to the ends of a batch what undoes steps, but to those of which the store has
// refused what follows; repeated until it is known.
func (s *settler) undoAll(batch []*attempt) bool {
	var ends []*store.Settlement
	for _, a := range batch {
		if !a.again && a.end.settlement.Outcome == task.OutcomeDead {
			ends = append(ends, &a.end.settlement)
		}
	}
	if len(ends) == 0 {
		return true
	}
	s.lock()
	s.feedback() // the guards hear of the deaths, before one is put off
	s.unlock()
	return s.steps.Undo(ends) == nil
}

// undoLate undoes steps that remote workers have added while their attempts died.
func (s *settler) undoLate(batch []*attempt, results []store.Settled) {
	var died []*store.Settlement
	for i, a := range batch {
		if a.lease != nil && results[i].State == task.Dead {
			died = append(died, &a.end.settlement)
		}
	}
	s.wakeFor(s.steps.UndoLate(died))
}

// wakeFor has tasks found that were enqueued beside a settlement.
func (s *settler) wakeFor(late []store.Insert) {
	if len(late) == 0 {
		return
	}
	s.lock()
	for i := range late {
		s.changedLane(late[i].Task.ID.Lane(), store.AnyRank)
		s.agenda.LookFor(late[i].Task.ID.Lane(), store.AnyRank)
	}
	s.unlock()
	signal(s.load)
}

// settled does what follows from the store's answers.
func (s *settler) settled(batch []*attempt, results []store.Settled) {
	s.release(batch, results)
	for i, a := range batch {
		if results[i].Status != store.StatusRefused || a.again {
			s.report(a, results[i])
			if a.lease != nil {
				a.lease.End(results[i])
			}
		}
	}
	s.reported(batch)
	s.undoLate(batch, results)
	for i, a := range batch {
		if results[i].Status == store.StatusRefused && !a.again {
			s.refusedSettle(a, results[i].Err)
			s.commitSettles([]*attempt{a})
		}
	}
}

func (s *settler) settleUntilKnown(settlements []store.Settlement) ([]store.Settled, bool) {
	// A first call without an answer may be on a connection that went silent; later
	// ones get time for a store that is slow.
	began := time.Now()
	for pause, limit := 2*time.Millisecond, storeCall; ; pause, limit = min(2*pause, time.Second), 3*storeCall {
		ctx, cancel := s.storeContext(limit)
		results, err := s.config.Store.Settle(ctx, settlements)
		cancel()
		if err == nil {
			return results, true
		}
		if limit == storeCall {
			defer s.unsettled.over(&settlements[0])
		}
		s.unsettled.failed(&settlements[0], began, err)
		s.log.Warn("settle.repeated", "rows", len(settlements), "error", err)
		s.unknown("settle")
		if !background.Sleep(s.settling, pause) {
			return nil, false
		}
	}
}

// release frees the slots of settled attempts and puts those tasks that are
// pending again back into memory. Those whose settlement the store refused for
// its data stay: they are to end otherwise.
func (s *settler) release(batch []*attempt, results []store.Settled) {
	s.lock()
	defer s.unlock()
	s.feedback()
	s.reporting[batch[0]] = batch
	wanted := false
	for i, a := range batch {
		if results[i].Status == store.StatusRefused {
			if !a.again {
				continue
			}
			s.doubt() // the reconciler will hand the row back
		}
		wanted = wanted || s.agenda.WantsRead(a.entry.Lane())
		s.releaseOne(a, &results[i])
		for _, follow := range a.end.settlement.Follow {
			from := task.Rank(s.settledAfter(&a.end.settlement), follow.Task.Priority)
			s.changedLane(follow.Task.ID.Lane(), from)
			s.agenda.LookFor(follow.Task.ID.Lane(), from)
			wanted = true
		}
	}
	signal(s.wake)
	if wanted {
		signal(s.load)
	}
}

// reported notes that observers have heard of a batch.
func (s *settler) reported(batch []*attempt) {
	s.lock()
	defer s.unlock()
	delete(s.reporting, batch[0])
}

// settledAfter is a time of the store's clock before a settlement was stored, and
// seldom long before.
func (s *settler) settledAfter(end *store.Settlement) time.Time {
	const unknown = time.Second // of the difference of the clocks
	at := end.EndedAt.Add(-s.lag.known() - unknown)
	if claimed := end.Task.StartedAt; claimed.After(at) {
		return claimed
	}
	return at
}

func (s *settler) releaseOne(a *attempt, result *store.Settled) {
	entry := a.entry
	s.runs--
	s.bytes -= entry.Size
	entry.Run = nil
	if a.lease != nil {
		s.leases.Ended(a.lease)
	}
	s.agenda.End(entry, a.run.Deadline)
	switch again := result.Status == store.StatusOK && result.State == task.Pending; {
	case again && a.end.handOverTo != "":
		s.handOn(entry, a.end.handOverTo)
	case again:
		s.agenda.Again(entry, result.Entry, guard.RequirementAfter(a.run.Policy, &a.end.settlement))
		s.leave(entry)
	default:
		s.agenda.Forget(entry)
	}
	if entry.Key != "" && entry.Lane() != nil && (s.member.Leaving() || entry.Lane().DrainedUntil() > 0 && entry.Lane().DrainedUntil() > micros(time.Now())) {
		s.member.Balance() // it may be given back now
	}
	if entry.Lane() == nil && (result.State == task.Pending || entry.Key != "") {
		s.changedLane(entry.ID.Lane(), againFrom(result))
	}
}

// againFrom is the rank that a settled task has, if it is pending again.
func againFrom(result *store.Settled) int64 {
	switch {
	case result.State != task.Pending:
		return store.NoRank
	case result.Status != store.StatusOK:
		return store.AnyRank
	}
	return result.Entry.Rank
}

// handOn parks a task whose attempt was given up for a node with the ability. A
// row of another's lane is its owner's to park. The engine's lock must be held.
func (s *settler) handOn(entry *agenda.Entry, ability string) {
	l := entry.Lane()
	s.agenda.Forget(entry)
	if l == nil || s.agenda.Lane(l.Number()) != l {
		return
	}
	s.parking[entry.ID] = l.NoteLeft(ability)
	signal(s.load)
}

// refusedSettle records an outcome whose data the store refuses (a result or
// a message that it cannot keep) as a failure of category local. What follows that
// is left out only if the store then refuses it too: the task must end. What undoes its
// steps is never left out.
func (s *settler) refusedSettle(a *attempt, err error) {
	if a.local {
		follow := a.end.settlement.Follow
		undo := slices.DeleteFunc(slices.Clone(follow), func(f store.Insert) bool { return f.Task.Spec.Follows != task.FollowCompensation })
		s.log.Error("follow.lost", "task", a.entry.ID.String(), "tasks", len(follow)-len(undo), "error", err)
		a.end.settlement.Task, a.end.settlement.Follow, a.again = a.run.Task, undo, true
		return
	}
	s.log.Error("settle.refused", "task", a.entry.ID.String(), "error", err)
	was := a.end.settlement
	end := ending{run: &a.run, err: &localError{err}, started: was.StartedAt, ended: was.EndedAt, random: s.random, identify: s.config.Fingerprint}
	decideSafely(&a.end, &end)
	a.end.settlement.Label = was.Label
	s.follow(&a.end.settlement)
	if out := a.end.settlement.Outcome; out == task.OutcomeFailed || out == task.OutcomeDead {
		s.onFailure(&a.run, &a.end.settlement)
	}
	// What undoes steps is added to a death, and may be what is refused then.
	a.local, a.again = true, len(a.end.settlement.Follow) == 0 && a.end.settlement.Outcome != task.OutcomeDead
}

// localError is a failure of this node, not of what the task calls.
type localError struct{ err error }

func (l *localError) Error() string { return "the outcome could not be stored: " + errorText(l.err) }

func (l *localError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Local, Effect: retry.Done, Type: "store"}
}

// tooLate tells the observer of an end that came too late.
func (s *settler) tooLate(ctx context.Context, id task.ID, status store.Status) {
	if f := s.config.Observer.Stale; f != nil {
		f(ctx, id, status)
	}
}

// report tells the observer what has committed.
func (s *settler) report(a *attempt, result store.Settled) {
	end := &a.end
	if result.Status != store.StatusOK {
		//nolint:sloglint // the status is one of the store's constants
		s.log.Warn("settle."+string(result.Status), "task", a.entry.ID.String(),
			"claim", end.settlement.Task.Claim, "outcome", string(end.settlement.Outcome))
		s.tooLate((*afterwards)(a), a.entry.ID, result.Status)
		return
	}
	if a.kept != nil {
		s.log.Warn("settle.kept", "task", a.entry.ID.String(), "claim", end.settlement.Task.Claim, "error", a.kept)
	}
	if f := s.config.Observer.Settled; f != nil {
		f((*afterwards)(a), Outcome{Settlement: &end.settlement, State: result.State, Rule: end.rule, Delay: end.delay, Err: end.err, Policy: a.run.Policy})
	}
}

// Unsettled is a result that the store has not taken and that is handed in again
// and again, see [Stats].
type Unsettled struct {
	Since time.Time // when it was handed in first; zero if there is none
	Err   error     // of the last time
}

// unsettled are those of all commits, by their first settlement.
type unsettled struct {
	mu  sync.Mutex
	all map[*store.Settlement]Unsettled
}

func (u *unsettled) failed(first *store.Settlement, since time.Time, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[*store.Settlement]Unsettled{}
	}
	u.all[first] = Unsettled{since, err}
}

// over forgets a commit, whatever became of it.
func (u *unsettled) over(first *store.Settlement) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, first)
}

func (u *unsettled) oldest() (found Unsettled) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range u.all {
		if found.Since.IsZero() || one.Since.Before(found.Since) {
			found = one
		}
	}
	return found
}
