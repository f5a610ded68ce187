package engine

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Ending is what a remote worker says of the end of an attempt.
type Ending struct {
	ID     task.ID
	Claim  int64
	Result []byte
	// Err is nil for a success. As with a handler's error, a [OutcomeError] says what is
	// to follow; [ErrReleased] hands the task back.
	Err error
}

// SettleLeased ends attempts that remote workers ran, each fenced by its claim
// number: those of tasks that this node has leased, together with all that it
// settles, and those of other nodes, which may be gone. One answer per item, in
// the same order; a repeat of a recorded outcome is StatusOK. After an error the
// outcome of all is unknown, and the call may be repeated as it stands.
func (w *remote) SettleLeased(ctx context.Context, endings []Ending) ([]store.Settled, error) {
	results := make([]store.Settled, len(endings))
	ended := make([]*lease.Lease, len(endings))
	for i := range endings {
		l := w.leases.Here(endings[i].ID, endings[i].Claim)
		if l != nil && w.finish(leased(l), endings[i].Result, endings[i].Err) {
			ended[i] = l
		}
	}
	var others []int
	for i, l := range ended {
		if l == nil {
			others = append(others, i)
			continue
		}
		select {
		case <-l.Over():
			results[i] = l.Result()
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-w.end.settling.Done():
			return nil, ErrStopping
		}
	}
	return results, w.settleElsewhere(ctx, endings, others, results)
}

// settleElsewhere settles what is not among this node's attempts.
func (w *remote) settleElsewhere(ctx context.Context, endings []Ending, places []int, results []store.Settled) error {
	for len(places) > 0 {
		some := places[:min(len(places), mostFound)]
		places = places[len(some):]
		var ids []task.ID
		for _, i := range some {
			ids = append(ids, endings[i].ID)
		}
		tasks, err := w.find(ctx, ids)
		if err != nil {
			return err
		}
		s := elsewhere{remote: w, results: results}
		for _, i := range some {
			s.add(i, &endings[i], tasks[endings[i].ID])
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
		for _, i := range some {
			if results[i].Status != store.StatusOK {
				w.end.tooLate(context.WithoutCancel(ctx), endings[i].ID, results[i].Status)
			}
		}
	}
	return nil
}

// mostFound is how many tasks are read at once.
const mostFound = 500

func (w *remote) find(ctx context.Context, ids []task.ID) (map[task.ID]*task.Task, error) {
	from, ok := w.config.Store.(finder)
	if !ok {
		return nil, ErrNoPolls
	}
	found := make(map[task.ID]*task.Task, len(ids))
	for page := (store.Page{Limit: mostFound}); ; {
		tasks, next, err := from.Find(ctx, store.Filter{IDs: ids}, page)
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			found[t.ID] = t
		}
		if page.Cursor = next; next == "" {
			return found, nil
		}
	}
}

// elsewhere are attempts that end here and were leased by other nodes, or have
// ended before.
type elsewhere struct {
	remote  *remote
	results []store.Settled

	ends   []*decided
	places []int
	failed []bool // the worker has said failed, of an attempt that has ended
}

// add decides how an attempt ends, if it runs. Of one that has ended, the outcome
// is handed to the store all the same, which knows whether it is the recorded one.
func (s *elsewhere) add(place int, given *Ending, t *task.Task) {
	if t == nil {
		s.results[place].Status = store.StatusNotFound
		return
	}
	runs := t.State == task.Running && t.Claim == given.Claim
	if runs && !task.Leased(t.Node) {
		s.results[place].Status = store.StatusStale // it was never a remote worker's
		return
	}
	policy, err := s.remote.config.Registry.Policy(t)
	if err != nil {
		policy = retry.Default()
	}
	copied := *t
	copied.Claim = given.Claim
	run := Run{Task: &copied, Policy: policy, MaxAttempts: policy.MaxAttempts()}
	if t.Spec.MaxAttempts > 0 {
		run.MaxAttempts = t.Spec.MaxAttempts
	}
	run.Deadline = deadline(t, policy)
	end := ending{run: &run, result: given.Result, err: given.Err, started: t.StartedAt, ended: time.Now(), random: s.remote.random, identify: s.remote.config.Fingerprint}
	out := new(decided)
	decideEnding(out, &end)
	out.settlement.Label = s.remote.end.label(&run)
	if runs {
		s.remote.end.follow(&out.settlement)
	}
	s.ends, s.places = append(s.ends, out), append(s.places, place)
	s.failed = append(s.failed, !runs && (out.settlement.Outcome == task.OutcomeFailed || out.settlement.Outcome == task.OutcomeDead))
}

// settle hands all to the store. A failure that was recorded may have been the
// last one or not: what is no repeat of the one may be a repeat of the other.
func (s *elsewhere) settle(ctx context.Context) error {
	if len(s.ends) == 0 {
		return nil
	}
	results, err := s.commit(ctx, s.ends)
	if err != nil {
		return err
	}
	var again []*decided
	var places []int
	for i, result := range results {
		s.results[s.places[i]] = result
		if result.Status != store.StatusStale || !s.failed[i] {
			continue
		}
		other := *s.ends[i]
		if other.settlement.Outcome == task.OutcomeDead {
			other.settlement.Outcome, other.settlement.DeadReason = task.OutcomeFailed, ""
		} else {
			other.settlement.Outcome, other.settlement.DeadReason = task.OutcomeDead, task.Exhausted
		}
		again, places = append(again, &other), append(places, s.places[i])
	}
	if len(again) == 0 {
		return nil
	}
	if results, err = s.commit(ctx, again); err != nil {
		return err
	}
	for i, result := range results {
		s.results[places[i]] = result
	}
	return nil
}

// commit settles, and lets the owners of the lanes and the nodes that leased know.
func (s *elsewhere) commit(ctx context.Context, ends []*decided) ([]store.Settled, error) {
	w := s.remote
	var dying []*store.Settlement
	for _, end := range ends {
		if !s.repeats(end) {
			dying = append(dying, &end.settlement)
		}
	}
	if w.end.steps.Undo(dying) != nil {
		return nil, ErrStopping
	}
	settlements := make([]store.Settlement, len(ends))
	for i, end := range ends {
		settlements[i] = end.settlement
	}
	began := time.Now()
	results, err := w.config.Store.Settle(ctx, settlements)
	if err != nil {
		return nil, err
	}
	w.committed("settle", len(ends), began)
	var died []*store.Settlement
	for i, end := range ends {
		if results[i].State == task.Dead && !s.repeats(end) {
			died = append(died, &end.settlement)
		}
	}
	w.end.wakeFor(w.end.steps.UndoLate(died))
	w.lock()
	for i := range results {
		if results[i].Status == store.StatusOK {
			w.learnSettled(&settlements[i], &results[i])
		}
	}
	w.unlock()
	signal(w.wake)
	signal(w.load)
	if f := w.config.Observer.Settled; f != nil {
		for i, end := range ends {
			if results[i].Status == store.StatusOK && !s.repeats(end) {
				f(context.WithoutCancel(ctx), Outcome{Settlement: &settlements[i], State: results[i].State, Rule: end.rule, Delay: end.delay, Err: end.err, Policy: end.policy})
			}
		}
	}
	return results, nil
}

// repeats reports whether an end was recorded before.
func (s *elsewhere) repeats(end *decided) bool { return end.settlement.Task.State != task.Running }

// learnSettled puts a task that another node had leased back into memory, or tells
// the owner of its lane, and tells the node that leased it. The engine's lock must
// be held.
func (w *remote) learnSettled(s *store.Settlement, result *store.Settled) {
	lane := s.Task.ID.Lane()
	w.sighted(s.Task.ID)
	w.changedLane(lane, againFrom(result))
	w.member.Wakeups.ChangedLease(s.Task.Node, lane)
	if result.State == task.Pending {
		w.agenda.LookFor(lane, result.Entry.Rank)
		w.learn(result.Entry)
	}
	for _, follow := range s.Follow {
		from := task.Rank(w.end.settledAfter(s), follow.Task.Priority)
		w.changedLane(follow.Task.ID.Lane(), from)
		w.agenda.LookFor(follow.Task.ID.Lane(), from)
	}
}
