package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// lockRun takes the lock of a row that runs apart; what else is to be known of
	// the task is read next, in a snapshot that is younger than the lock.
	lockRun = wire.NewQuery(`SELECT claim FROM outlast_run WHERE id = $1::uuid /*lane of $1::uuid*/ FOR UPDATE`)

	// selectRow reads what a settlement needs to know of a live row.
	selectRow = wire.NewQuery(`SELECT ` + entryColumns + `, state::bigint, claim, cancel, priority, node, started_at, unstarted FROM outlast_live WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// endedBy reads the state and claim of an ended task.
	endedBy = wire.NewQuery(`SELECT state::bigint, claim FROM outlast_done WHERE id = $1::uuid /*lane of $1::uuid*/
UNION ALL SELECT 3::bigint, claim FROM outlast_dead WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// attemptOutcome reads how the attempt of a claim was recorded.
	attemptOutcome = wire.NewQuery(`SELECT outcome FROM outlast_attempt WHERE id = $1::uuid /*lane of $1::uuid*/ AND claim = $2::bigint`)

	// endRow moves a row to the ended ones, under the lock of its row in
	// outlast_run. Inputs: id, state, claim, started at (0 for none), ended
	// at, finished at, attempts spent, last error (null: keep), node, outcome
	// ('' if the row is no record of the attempt), result, cancel requested,
	// label (null: none).
	endRow = wire.NewQuery(takeRow+endInsert+` FROM t`, endInsert+fromRow, deleteRow)

	// cancelRow is endRow for one that no settlement ends. Returns its spec, null unless it
	// may be that of a member of a group.
	cancelRow = wire.NewQuery(takeRow+endInsert+` FROM t`+memberSpec, endInsert+fromRow+memberSpec, deleteRow)

	// putBackRow makes a row pending again. Inputs: id, run at, rank, attempt,
	// claim, error (null: keep), claim that left no history (0 for none), now,
	// when it failed (0: keep).
	putBackRow = wire.NewQuery(`UPDATE outlast_task SET run_at = $2::bigint, rank = $3::bigint, park = 0, attempt = $4::bigint, claim = $5::bigint,
last_error = coalesce($6::text, last_error), unstarted = nullif($7::bigint, 0), updated_at = $8::bigint,
failed_at = coalesce(nullif($9::bigint, 0), failed_at) WHERE id = $1::uuid /*lane of $1::uuid*/`)

	deleteRun = wire.NewQuery(`DELETE FROM outlast_run WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// addAttempts records ended attempts. Inputs: now, ids, lanes, numbers,
	// claims, started at (0 for none), ended at, delays, nodes, outcomes,
	// failures, labels.
	addAttempts = wire.NewQuery(`INSERT INTO outlast_attempt (recorded_at, id, lane, number, claim, started_at, ended_at, next_delay, node, outcome, failure, label)
SELECT $1::bigint, id, lane, number, claim, nullif(started_at, 0), ended_at, next_delay, node, outcome, failure, label
FROM `+attemptColumns, `INSERT INTO outlast_attempt (recorded_at, id, lane, number, claim, started_at, ended_at, next_delay, node, outcome, failure, label)
SELECT $1::bigint, id, a.lane, number, claim, nullif(started_at, 0), ended_at, next_delay, node, outcome, failure, label
FROM outlast_anchor a CROSS JOIN `+attemptColumns+` WHERE true /*a.lane is ($3::integer[])[1]*/`)
)

const (
	attemptColumns = `unnest($2::uuid[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[])
 AS u (id, lane, number, claim, started_at, ended_at, next_delay, node, outcome, failure, label)`

	// A row that ends is taken out of outlast_task and inserted elsewhere: in
	// one statement, or with Citus, which would send it to and fro, in two.
	takeRow   = `WITH t AS (DELETE FROM outlast_task WHERE id = $1::uuid RETURNING *) `
	fromRow   = ` FROM outlast_task t WHERE id = $1::uuid /*lane of $1::uuid*/`
	deleteRow = `DELETE FROM outlast_task WHERE id = $1::uuid /*lane of $1::uuid*/`

	memberSpec = ` RETURNING CASE WHEN spec LIKE '%"group":%' THEN spec END`

	endInsert = `INSERT INTO outlast_done (id, lane, priority, state, run_at, claim, seq, created_at, started_at, ended_at, finished_at, attempt, crashes, cancel,
 queue, type, target, policy, key, spec, last_error, failed_at, node, outcome, result, payload, label)
SELECT id, lane, priority, $2::bigint, run_at, $3::bigint, seq, created_at, nullif($4::bigint, 0), $5::bigint, $6::bigint, $7::bigint, crashes, $12::boolean,
 queue, type, target, policy, key, spec, coalesce($8::text, last_error), failed_at, $9::text, $10::text, $11::bytea, payload, $13::text`
)

// history are the arguments of addAttempts.
type history struct {
	ids                                     []task.ID
	lanes                                   []int32
	numbers, claims, started, ended, delays []int64
	nodes                                   wire.Optionals
	outcomes                                []string
	failures                                wire.JSONs
	labels                                  wire.Optionals
}

func (h *history) add(id task.ID, a *stored.Attempt) {
	h.ids, h.lanes, h.numbers = append(h.ids, id), append(h.lanes, int32(id.Lane())), append(h.numbers, int64(a.Number))
	h.claims, h.started, h.ended = append(h.claims, a.Claim), append(h.started, a.StartedAt), append(h.ended, a.EndedAt)
	h.delays, h.nodes = append(h.delays, a.NextDelay), append(h.nodes, a.Node)
	h.outcomes, h.failures = append(h.outcomes, string(a.Outcome)), append(h.failures, a.Failure)
	h.labels = append(h.labels, a.Label)
}

func (h *history) insert(ctx context.Context, t *tx) error {
	if len(h.ids) == 0 {
		return nil
	}
	return t.Run(ctx, h.call(t.now))
}

func (h *history) call(now int64) *wire.Call {
	return &wire.Call{Query: addAttempts, Args: []any{now, h.ids, h.lanes, h.numbers, h.claims, h.started, h.ended, h.delays, h.nodes, h.outcomes, h.failures, h.labels}}
}

// errRefused carries what a settlement was refused for out of its
// transaction, which is undone.
type errRefused struct{ error }

// rest settles what goes apart, a few in one transaction. If the data of one is
// refused, nothing was done, and each of the few goes alone.
func (b *settling) rest(ctx context.Context) error {
	slices.SortStableFunc(b.apart, func(i, j int) int { return b.all[i].Task.ID.Compare(b.all[j].Task.ID) })
	for few := range slices.Chunk(b.apart, fewTogether) {
		err := b.few(ctx, few)
		if isRefused(err) {
			for _, i := range few {
				if err = b.few(ctx, []int{i}); isRefused(err) {
					b.results[i], err = store.Settled{Status: store.StatusRefused, Err: reasonOf(err)}, nil
				}
				if err != nil {
					return err
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *settling) few(ctx context.Context, places []int) error {
	return b.store.partitioning(ctx, func() error {
		return b.store.write(ctx, func(t *tx) (err error) {
			for _, i := range places {
				if b.results[i], err = t.settle(ctx, &b.all[i], true); err != nil {
					return err
				}
			}
			return t.countLetters(ctx)
		})
	})
}

func isRefused(err error) bool {
	return errors.As(err, new(errRefused)) || wire.Refusal(err) && wire.CodeOf(err) != wire.CodeNoPartition
}

// reasonOf is what a caller is told of a refusal.
func reasonOf(err error) error {
	var refused errRefused
	if errors.As(err, &refused) {
		return refused.error
	}
	return refusedData(err)
}

// settle ends one attempt: one that runs by the claim log gets a row of its own
// first, which is the fence of all that follows. With repeats, a settlement that is recorded
// already is answered as the first one was, else as stale.
func (t *tx) settle(ctx context.Context, s *store.Settlement, repeats bool) (store.Settled, error) {
	var live *ending.Row
	var calls []*wire.Call
	if s.Task.Key == "" {
		calls = append(calls, &wire.Call{Query: setOneApart, Args: []any{s.Task.ID, s.Task.Claim}})
	}
	err := t.Run(ctx, append(calls, &wire.Call{Query: lockRun, Args: []any{s.Task.ID}}, rowCall(s.Task.ID, &live))...)
	if err != nil {
		return store.Settled{}, err
	}
	if live == nil || live.State != task.Running || live.Claim != s.Task.Claim {
		return t.notRunning(ctx, s, live, repeats)
	}
	a := ending.Of(s, live, t.now)
	switch a.Outcome {
	case task.OutcomeDead:
		return t.die(ctx, a, live)
	case task.OutcomeSucceeded:
		return t.end(ctx, a, live, succeeded)
	case task.OutcomeCanceled:
		return t.end(ctx, a, live, canceled)
	}
	if err := t.awaited(ctx, a); err != nil {
		return store.Settled{}, err
	}
	return t.putBack(ctx, a, live)
}

// readRow reads a live row, nil if there is none.
func (t *tx) readRow(ctx context.Context, id task.ID) (live *ending.Row, err error) {
	err = t.Run(ctx, rowCall(id, &live))
	return live, err
}

func rowCall(id task.ID, live **ending.Row) *wire.Call {
	return &wire.Call{Query: selectRow, Args: []any{id}, Scan: func(r wire.Row) error {
		*live = &ending.Row{
			Entry: scanEntry(r), State: sqlstore.States[r.Int(entryWidth)], Claim: r.Int(entryWidth + 1), Cancel: r.Bool(entryWidth + 2),
			Priority: int(r.Int(entryWidth + 3)), Node: r.Text(entryWidth + 4), StartedAt: r.Time(entryWidth + 5), Unstarted: r.Int(entryWidth + 6),
		}
		return nil
	}}
}

// notRunning answers a settlement whose row does not run under its claim.
func (t *tx) notRunning(ctx context.Context, s *store.Settlement, live *ending.Row, repeats bool) (store.Settled, error) {
	// Between two looks the task may have ended, or been sent back: it is
	// gone only if it was seen nowhere again and again.
	for range 3 {
		if live != nil {
			break
		}
		_, err := wire.One(ctx, t, endedBy, func(r wire.Row) { live = &ending.Row{State: sqlstore.States[r.Int(0)], Claim: r.Int(1)} }, s.Task.ID)
		if err == nil && live == nil {
			live, err = t.readRow(ctx, s.Task.ID)
		}
		if err != nil {
			return store.Settled{}, err
		}
	}
	if !repeats && live != nil {
		return store.Settled{Status: store.StatusStale}, nil
	}
	recorded, err := t.recorded(ctx, s, live)
	return ending.Repeated(s, live, recorded), err
}

// recorded is how the attempt of the claim was recorded, "" if it was not.
func (t *tx) recorded(ctx context.Context, s *store.Settlement, live *ending.Row) (recorded task.Outcome, err error) {
	if live == nil {
		return "", nil
	}
	if live.State != task.Dead {
		_, err = wire.One(ctx, t, attemptOutcome, func(r wire.Row) { recorded = task.Outcome(r.Text(0)) }, s.Task.ID, s.Task.Claim)
		return recorded, err
	}
	attempts, err := sqlstore.DeadHistory(t.reader(ctx), s.Task.ID)
	for i := range attempts {
		if attempts[i].Claim == s.Task.Claim {
			recorded = attempts[i].Outcome
		}
	}
	return recorded, err
}

// record writes the history row of an attempt, if it has one.
func (t *tx) record(a *ending.Attempt, delay int64) (calls []*wire.Call, err error) {
	if a.Unstarted {
		return nil, nil
	}
	failure, err := stored.Failure(a.Failure)
	if err != nil {
		return nil, errRefused{refusedData(err)}
	}
	var h history
	h.add(a.ID, &stored.Attempt{
		Number: a.Number, Claim: a.Claim, Node: a.Node, StartedAt: stored.Micro(a.Started), EndedAt: a.Ended,
		Outcome: a.Outcome, Failure: failure, NextDelay: delay, Label: a.Label.String(),
	})
	return []*wire.Call{h.call(t.now)}, nil
}

// end moves the row to the ended ones, where it also records the attempt
// unless that has a failure of its own.
func (t *tx) end(ctx context.Context, a *ending.Attempt, live *ending.Row, state int) (store.Settled, error) {
	var calls []*wire.Call
	outcome := string(a.Outcome)
	failure, err := stored.Failure(a.Failure)
	if err == nil && (a.Unstarted || a.Failure != nil) {
		outcome = ""
		calls, err = t.record(a, 0)
	}
	if err != nil {
		return store.Settled{}, errRefused{refusedData(err)}
	}
	err = t.Run(ctx, append(calls, &wire.Call{Query: deleteRun, Args: []any{a.ID}}, &wire.Call{Query: endRow, Args: []any{
		a.ID, state, a.Claim, stored.Micro(a.Started), a.Ended, t.now, a.After, wire.JSONText(failure), wire.Optional(a.Node), outcome, []byte(a.Result), live.Cancel,
		wire.Optional(a.Label.String()),
	}})...)
	if err != nil {
		return store.Settled{}, err
	}
	t.counts.Ended(a.Task, sqlstore.States[state])
	return store.Settled{Status: store.StatusOK, State: sqlstore.States[state]}, t.follow(ctx, a.Follow)
}

// cancel is the call that ends a row as canceled, with arguments of endRow.
func (t *tx) cancel(id task.ID, args ...any) *wire.Call {
	return &wire.Call{Query: cancelRow, Args: append([]any{id, canceled}, args...), Scan: func(r wire.Row) error {
		t.counts.Ended(&task.Task{ID: id, Spec: stored.SpecOf(r[0])}, task.Canceled)
		return nil
	}}
}

// putBack makes the row pending again.
func (t *tx) putBack(ctx context.Context, a *ending.Attempt, live *ending.Row) (store.Settled, error) {
	entry := a.Retry(live, t.now)
	failure, err := stored.Failure(a.Failure)
	if err != nil {
		return store.Settled{}, errRefused{refusedData(err)}
	}
	calls, err := t.record(a, a.Delay(entry.RunAt))
	if err != nil {
		return store.Settled{}, err
	}
	unstarted := int64(0)
	if a.Unstarted {
		unstarted = a.Claim
	}
	err = t.Run(ctx, append(calls, &wire.Call{Query: deleteRun, Args: []any{a.ID}}, &wire.Call{Query: putBackRow, Args: []any{
		a.ID, entry.RunAt, entry.Rank, entry.Attempt, a.ClaimAfter(t.now), wire.JSONText(failure), unstarted, t.now, a.FailedAt(),
	}})...)
	if err != nil {
		return store.Settled{}, err
	}
	return store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}, t.follow(ctx, a.Follow)
}

// follow inserts the tasks that follow an ended one.
func (t *tx) follow(ctx context.Context, items []store.Insert) error {
	if len(items) == 0 {
		return nil
	}
	_, err := insertAll(ctx, t, items)
	if typed := new(task.Error); errors.As(err, &typed) {
		return errRefused{typed}
	}
	return err
}
