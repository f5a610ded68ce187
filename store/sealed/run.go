package sealed

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Undecryptable is the class of the failure of a task that could not be opened,
// and its code.
const Undecryptable = "undecryptable"

// Unproven is the class of the failure of a task that waits because an object that it
// goes by, such as its policy, is one that nobody vouches for, and its code.
const Unproven = "unproven"

// leastWait is how long a task that does not open waits at least before the next look: as
// long as it has not opened already, up to mostWait.
const leastWait = 30 * time.Second

// Claim implements [store.Store]. A task that does not open is claimed and handed
// back in one call, and reported as one that is due later.
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	claimed, err := s.Backend.Claim(ctx, claim)
	if err != nil {
		return claimed, err
	}
	var refusals []store.Refusal
	claimed.Tasks, refusals = s.openAll(ctx, claimed.Tasks)
	claimed.Refused = append(claimed.Refused, refusals...)
	return claimed, nil
}

// Running implements [store.Store]. Tasks that do not open are handed back, and
// are not among those returned.
func (s *Store) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	running, err := s.Backend.Running(ctx, node, ids)
	if err != nil {
		return nil, err
	}
	running, _ = s.openAll(ctx, running)
	return running, nil
}

// openAll opens tasks that run, and hands back those that do not open.
func (s *Store) openAll(ctx context.Context, tasks []*task.Task) (opened []*task.Task, refusals []store.Refusal) {
	var back []store.Settlement
	opened = tasks[:0]
	for _, t := range tasks {
		code, err := Undecryptable, s.ring.openToRun(t)
		if err == nil && s.gate != nil && s.ring.current != nil {
			code, err = Unproven, s.gate(t)
		}
		if err == nil {
			opened = append(opened, t)
			continue
		}
		if code == Undecryptable {
			if s.unreadable != nil {
				s.unreadable(t, err)
			}
			s.unopened.add(t.ID, MissingKey(err), s.now())
		}
		back = append(back, s.handBack(t, code, err))
	}
	if len(back) == 0 {
		return opened, nil
	}
	clear(tasks[len(opened):])
	settled, err := s.Backend.Settle(ctx, back)
	if err != nil {
		return opened, nil // they run, and nobody runs them: found by Running
	}
	for i := range settled {
		refusals = append(refusals, refusal(back[i].Task, &settled[i]))
	}
	return opened, refusals
}

func refusal(t *task.Task, settled *store.Settled) store.Refusal {
	if settled.Status != store.StatusOK || settled.Entry.ID.IsZero() {
		return store.Refusal{ID: t.ID, Reason: store.ReasonGone}
	}
	return store.Refusal{ID: t.ID, Reason: store.ReasonLater, Entry: settled.Entry}
}

// Unopened counts the tasks that did not open here in the last minutes, by the name of
// the key, as [Status.Waiting] does. It reads no store.
func (s *Store) Unopened() map[string]int { return s.unopened.counts(s.now()) }

func waitAfter(already time.Duration) time.Duration { return min(max(already, leastWait), mostWait) }

// handBack makes a task wait that does not open. It costs no attempt and no row of
// history; the failure stays on the task, with the time since when.
func (s *Store) handBack(t *task.Task, code string, cause error) store.Settlement {
	now := s.now()
	since := now
	if last := t.LastError; last != nil && last.Code == code && last.At.Before(now) {
		since = last.At
	}
	failure := &task.Failure{
		Category: string(retry.Local), Type: code, Code: code, Effect: string(retry.NotSent),
		Message: cause.Error(), At: since, Delay: waitAfter(now.Sub(since)),
	}
	failure.Fingerprint = s.Fingerprint(t.Type, failure)
	return store.Settlement{
		Task: t, Outcome: task.OutcomeSnoozed, Unstarted: true, StartedAt: now, EndedAt: now,
		RunAt: now.Add(failure.Delay), Failure: failure,
	}
}

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	sealed, refused := s.sealSettlements(settlements)
	if refused == nil {
		return s.Backend.Settle(ctx, sealed)
	}
	some := make([]store.Settlement, 0, len(sealed))
	for i := range sealed {
		if refused[i] == nil {
			some = append(some, sealed[i])
		}
	}
	results, err := s.Backend.Settle(ctx, some)
	if err != nil {
		return nil, err
	}
	out := make([]store.Settled, len(sealed))
	for i := range out {
		if refused[i] != nil {
			out[i] = store.Settled{Status: store.StatusRefused, Err: refused[i]}
			continue
		}
		out[i], results = results[0], results[1:]
	}
	return out, nil
}

// sealSettlements seals what attempts leave behind. Refused has the reasons of
// those that must not get into the database; nil if there is none.
func (s *Store) sealSettlements(settlements []store.Settlement) (sealed []store.Settlement, refused map[int]error) {
	refuse := func(i int, err error) {
		if refused == nil {
			refused = make(map[int]error)
		}
		refused[i] = err
	}
	if s.ring.current == nil {
		for i := range settlements {
			if store.IsSealed(settlements[i].Result) {
				refuse(i, forged("result"))
			} else if err := forgedInsert(settlements[i].Follow); err != nil {
				refuse(i, err)
			}
		}
		return settlements, refused
	}
	sealed = make([]store.Settlement, len(settlements))
	for i := range settlements {
		one, err := s.sealSettlement(settlements[i])
		if err != nil {
			refuse(i, err)
		}
		sealed[i] = one
	}
	return sealed, refused
}

func (s *Store) sealSettlement(settlement store.Settlement) (store.Settlement, error) {
	if settlement.Task == nil {
		return settlement, nil // the store says what is wrong
	}
	k, id := s.ring.current, settlement.Task.ID[:]
	if len(settlement.Result) > task.MaxResult {
		return settlement, &task.Error{Code: task.CodeTooLarge, Message: "the result is too large"}
	}
	if settlement.Result != nil {
		settlement.Result = k.seal(part{of: id, name: "result"}, settlement.Result)
	}
	settlement.Failure = k.sealFailure(id, settlement.Failure)
	var err error
	settlement.Follow, err = s.sealInserts(settlement.Follow, k)
	return settlement, err
}
