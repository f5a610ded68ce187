package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// Whatever ends a claim deletes the row of outlast_task or writes into it a number that is
// not below that of the claim, also where the fence is a row of outlast_run: a settlement,
// one in a transaction of a caller, a recovery. So who shares the lock of that row keeps
// its claims from ending until the commit. Who waits for the lock sees the row as it
// is then, and the claim log and outlast_run as before: both say who was given the claim,
// and the row whether it has ended. What was set apart meanwhile still runs, and its
// number in apart does not count here. A recovery passes over a row that is locked as
// it sets it apart: the log still has it when it looks again.
//
// The lock is taken by the statement that has the data: a process that stands still while
// it sends them, or is cut off, holds nothing up.
var (
	// addSteps adds steps of tasks that run under their claims: by the log, or apart.
	// Inputs: clock, ids and claims, each pair once; of each step id, claim, number, what
	// is known of it, result, argument (null for none). Returns ids and claims.
	addSteps = wire.NewQuery(`INSERT INTO outlast_step AS s (id, lane, seq, claim, recorded_at, written, about, result, argument)
SELECT u.id, l.lane, u.seq, u.claim, ` + wire.NowHere + `, pg_current_xact_id(), u.about, u.result, u.argument
FROM (SELECT t.id, t.lane, p.claim FROM unnest($2::uuid[], $3::bigint[]) AS p (id, claim) JOIN outlast_task t ON t.id = p.id
 WHERE t.id = ANY($2::uuid[]) /*t.lane of ($2::uuid[])[1]*/ AND ` + endedLast + ` < p.claim
 AND ((SELECT true FROM outlast_claim c WHERE c.lane = t.lane AND c.claim = p.claim AND t.id = ANY(c.ids) /*c.lane of ($2::uuid[])[1]*/ LIMIT 1)
  OR (SELECT true FROM outlast_run r WHERE r.id = t.id AND r.claim = p.claim /*r.lane of ($2::uuid[])[1]*/ LIMIT 1)) ORDER BY t.id FOR SHARE OF t) l
JOIN unnest($4::uuid[], $5::bigint[], $6::bigint[], $7::text[], $8::bytea[], $9::bytea[]) AS u (id, claim, seq, about, result, argument)
 ON u.id = l.id AND u.claim = l.claim RETURNING s.id, s.claim`)

	// selectSteps reads what was added since tasks were created, the oldest first: a day
	// of ended tasks goes as a whole, and their steps after it. Inputs: ids, each once.
	selectSteps = wire.NewQuery(`SELECT s.id, s.seq, s.claim, s.about, s.result, s.argument FROM unnest($1::uuid[]) AS u (id)
CROSS JOIN LATERAL (SELECT created_at FROM outlast_task WHERE id = u.id /*lane of ($1::uuid[])[1]*/
 UNION ALL SELECT created_at FROM outlast_dead WHERE id = u.id /*lane of ($1::uuid[])[1]*/
 UNION ALL SELECT created_at FROM outlast_done WHERE id = u.id /*lane of ($1::uuid[])[1]*/ LIMIT 1) t
CROSS JOIN LATERAL (SELECT * FROM outlast_step s WHERE s.id = u.id AND s.claim >= t.created_at /*s.lane of ($1::uuid[])[1]*/ OFFSET 0) s ORDER BY s.claim, s.written`)

	// addSignal adds what ends a wait, under the lock of the task. Inputs: id, lane, number,
	// claim, now, what is known of it, result.
	addSignal = wire.NewQuery(`INSERT INTO outlast_step (id, lane, seq, claim, recorded_at, written, about, result)
VALUES ($1::uuid, $2::integer, $3::bigint, $4::bigint, $5::bigint, pg_current_xact_id(), $6::text, $7::bytea)`)

	// lockTask takes the lock of a live row against others that look for signals or add some.
	// What is to be known is read next, in a snapshot that is younger than the lock.
	lockTask = wire.NewQuery(`SELECT t.id FROM outlast_task t WHERE t.id = $1::uuid /*t.lane of $1::uuid*/ FOR NO KEY UPDATE OF t`)

	deleteSteps = wire.NewQuery(`DELETE FROM outlast_step WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)
)

// endedLast is past without the claim under which the row was set apart.
const endedLast = `greatest(t.claim, t.created_at, 0)`

// AddSteps implements [store.Steps]. It waits for a transaction of a caller that has
// settled one of the tasks.
func (s *Store) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	statuses := make([]store.Status, len(steps))
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	laneOf := func(i int) uint16 { return steps[i].Task.Lane() }
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(laneOf(i), laneOf(j)), steps[i].Task.Compare(steps[j].Task))
	})
	lanes := parts(s.spread, order, laneOf)
	err := lanewise(len(lanes), func(lane int) error {
		a, err := addingOf(steps, lanes[lane])
		if err != nil {
			return err
		}
		err = s.partitioning(ctx, func() error {
			_, err := s.pipeline(ctx, a.call(s))
			return err
		})
		for _, i := range lanes[lane] {
			statuses[i] = a.statusOf(&steps[i])
		}
		return err
	})
	if wire.Refusal(err) && wire.CodeOf(err) != wire.CodeNoPartition {
		err = refusedData(err)
	}
	if err != nil {
		return nil, err
	}
	return statuses, nil
}

// adding are the arguments and the answer of addSteps.
type adding struct {
	running            []task.ID // under asked
	asked              []int64
	ids                []task.ID
	claims, seqs       []int64
	abouts             wire.JSONs
	results, arguments [][]byte
	added              map[stepClaim]bool
}

// stepClaim is a claim under which steps are added.
type stepClaim struct {
	id    task.ID
	claim int64
}

// stepName tells the steps of a task apart.
type stepName struct {
	id         task.ID
	name       string
	occurrence int
}

// addingOf adds those steps that the places name: of several that replace one another
// under one claim the last.
func addingOf(steps []task.Step, places []int) (*adding, error) {
	type one struct {
		stepName
		claim int64
	}
	oneOf := func(s *task.Step) one { return one{nameOf(s), s.Claim} }
	last := make(map[one]int, len(places))
	for _, i := range places {
		last[oneOf(&steps[i])] = i
	}
	a := &adding{}
	asked := map[stepClaim]bool{}
	for _, i := range places {
		step := &steps[i]
		if last[oneOf(step)] != i {
			continue
		}
		about, result, argument, err := stored.Step(step)
		if err != nil {
			return nil, refusedData(err)
		}
		if of := (stepClaim{step.Task, step.Claim}); !asked[of] {
			asked[of] = true
			a.running, a.asked = append(a.running, of.id), append(a.asked, of.claim)
		}
		a.ids, a.claims, a.seqs = append(a.ids, step.Task), append(a.claims, step.Claim), append(a.seqs, int64(step.Seq))
		a.abouts, a.results, a.arguments = append(a.abouts, about), append(a.results, result), append(a.arguments, argument)
	}
	return a, nil
}

func (a *adding) call(s *Store) *wire.Call {
	return &wire.Call{
		Query: addSteps, Args: []any{s.offset(), a.running, a.asked, a.ids, a.claims, a.seqs, a.abouts, a.results, a.arguments},
		Start: func() { a.added = make(map[stepClaim]bool, len(a.ids)) },
		Scan: func(r wire.Row) error {
			a.added[stepClaim{r.ID(0), r.Int(1)}] = true
			return nil
		},
	}
}

func (a *adding) statusOf(step *task.Step) store.Status {
	if a.added[stepClaim{step.Task, step.Claim}] {
		return store.StatusOK
	}
	return store.StatusStale
}

func nameOf(s *task.Step) stepName { return stepName{s.Task, s.Name, s.Occurrence} }

// StepsOf implements [store.Steps].
func (s *Store) StepsOf(ctx context.Context, ids []task.ID) (steps []task.Step, err error) {
	if len(ids) == 0 {
		return nil, ended(s)
	}
	ids = slices.Clone(ids)
	slices.SortFunc(ids, task.ID.Compare)
	var all []task.Step
	var calls []*wire.Call
	for _, part := range s.byLane(slices.Compact(ids)) {
		calls = append(calls, stepsCall(part, &all))
	}
	calls[0].Start = func() { all = nil }
	if _, err := s.pipeline(ctx, calls...); err != nil {
		return nil, err
	}
	return newestSteps(all), nil
}

// stepsCall appends the rows of tasks of a lane to those of others.
func stepsCall(ids []task.ID, all *[]task.Step) *wire.Call {
	return &wire.Call{Query: selectSteps, Args: []any{ids}, Scan: func(r wire.Row) error {
		step := task.Step{Task: r.ID(0), Seq: int(r.Int(1)), Claim: r.Int(2)}
		stored.SetStep(&step, r.Blob(3), r.Blob(4), r.Blob(5))
		*all = append(*all, step)
		return nil
	}}
}

// steps reads those of a task.
func (t *tx) steps(ctx context.Context, id task.ID) (all []task.Step, err error) {
	if err := t.Run(ctx, stepsCall([]task.ID{id}, &all)); err != nil {
		return nil, err
	}
	return newestSteps(all), nil
}

// awaited lets a task run at once that would wait for a signal that is there. A signal that
// comes behind the lock sees the task as it waits.
func (t *tx) awaited(ctx context.Context, a *ending.Attempt) error {
	if len(a.Awaits) == 0 {
		return nil
	}
	if _, err := wire.Exec(ctx, t, lockTask, a.ID); err != nil {
		return err
	}
	steps, err := t.steps(ctx, a.ID)
	if err == nil && signals.Ready(a.Task, steps, a.Awaits) {
		a.Due()
	}
	return err
}

// Hold implements [sqlstore.Changer]. A task that is to be moved must not be claimed meanwhile.
func (t coldTx) Hold(id task.ID, move bool) (*task.Task, error) {
	if move {
		if _, err := wire.Exec(t.ctx, t, lockToChange, int32(id.Lane())); err != nil {
			return nil, err
		}
	}
	if _, err := wire.Exec(t.ctx, t, lockTask, id); err != nil {
		return nil, err
	}
	return get(t.ctx, t, id)
}

// Steps implements [sqlstore.Changer].
func (t coldTx) Steps(id task.ID) ([]task.Step, error) { return t.steps(t.ctx, id) }

// AddSignal implements [sqlstore.Changer]. Of a task that was never claimed its creation is
// what tells the row from those of one whose id came again.
func (t coldTx) AddSignal(of *task.Task, step *task.Step) error {
	about, result, _, err := stored.Step(step)
	if err != nil {
		return refusedData(err)
	}
	claim := max(of.Claim, stored.Micro(of.CreatedAt))
	_, err = wire.Exec(t.ctx, t, addSignal, of.ID, int32(of.ID.Lane()), int64(step.Seq), claim, t.now, wire.JSONText(about), result)
	return err
}

// newestSteps leaves out of steps, the oldest first, those that were replaced, and orders
// them. What cannot be read replaces nothing: it is not known what it is.
func newestSteps(all []task.Step) []task.Step {
	newest := make(map[stepName]int, len(all))
	for i := range all {
		if all[i].Unreadable == "" {
			newest[nameOf(&all[i])] = i
		}
	}
	kept := all[:0]
	for i := range all {
		if step := all[i]; step.Unreadable != "" || newest[nameOf(&step)] == i {
			kept = append(kept, step)
		}
	}
	slices.SortStableFunc(kept, stored.StepOrder)
	return kept
}
