package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// Where Citus has distributed the tables, the usual settlements of a lane are
// one transaction.
var (
	// fenceRuns deletes running rows under their claims, unless they have a
	// cancel request. Who has deleted one has the row in outlast_task for
	// himself. Inputs: ids, claims.
	fenceRuns = wire.NewQuery(`DELETE FROM outlast_run r USING unnest($1::uuid[], $2::bigint[]) AS u (id, claim)
WHERE r.id = u.id AND r.claim = u.claim AND NOT r.cancel /*r.lane of ($1::uuid[])[1]*/ RETURNING r.id`)

	// dropTasks deletes tasks that this transaction has locked. Inputs: lane, ids.
	dropTasks = wire.NewQuery(`DELETE FROM outlast_task WHERE lane = $1::integer AND id = ANY($2::uuid[])`)

	// succeedLane ends tasks of a lane as succeeded, in the manner of succeedRows; the
	// rows in outlast_task stay locked until they are deleted. Inputs: clock, node, ids,
	// claims, started at, ended at (0: now), results and labels (each null if
	// there are none), whether fenceRuns was the fence. Returns their ids.
	succeedLane = wire.NewQuery(`INSERT INTO outlast_done AS d (id, lane, priority, state, run_at, claim, seq, created_at, started_at, ended_at, finished_at, attempt, crashes, cancel,
 queue, type, target, policy, key, spec, last_error, failed_at, node, outcome, result, payload, label)
SELECT id, lane, priority, 2, run_at, ran, seq, created_at, started, coalesce(nullif(ended, 0), ` + wire.NowHere + `), ` + wire.NowHere + `, attempt + 1, crashes, false,
 queue, type, target, policy, key, spec, last_error, failed_at, $2::text, 'succeeded', result, payload, label
FROM (SELECT t.*, u.claim AS ran, u.started, u.ended, u.result, u.label FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[], $8::text[])
 AS u (id, claim, started, ended, result, label) JOIN outlast_task t ON t.id = u.id WHERE ` + fmt.Sprintf(fencedLane, 9) + ` FOR UPDATE OF t) t RETURNING d.id`)

	// putBackLane makes tasks of a lane pending again, in the manner of putBackRows.
	// Inputs: clock, node, ids, claims, run at (0: now), started at, ended at (0: now),
	// outcomes, failures (null: none), whether the attempt is spent, whether it has a
	// history row, labels (null: none), whether fenceRuns was the fence. Returns the
	// entries.
	putBackLane = wire.NewQuery(`UPDATE outlast_task t SET run_at = u.run_at, rank = u.run_at - t.priority * 30000000::bigint, park = 0, attempt = t.attempt + u.spent::integer,
 claim = CASE WHEN u.outcome = 'released' THEN greatest(mod(u.claim, 9223372036854775807) + 1, u.now) ELSE u.claim END,
 last_error = coalesce(u.failure, t.last_error), failed_at = CASE WHEN u.outcome = 'failed' AND u.recorded THEN u.ended_at ELSE t.failed_at END,
 updated_at = u.now, unstarted = CASE WHEN u.recorded THEN NULL ELSE u.claim END
FROM ` + backColumns + ` WHERE t.id = u.id AND ` + fmt.Sprintf(fencedLane, 13) + `
RETURNING t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, octet_length(t.payload), t.share_key`)

	// recordLane writes the history of what putBackLane has put back. Inputs: its own, but
	// for the last.
	recordLane = wire.NewQuery(`INSERT INTO outlast_attempt (id, lane, number, claim, started_at, ended_at, recorded_at, next_delay, node, outcome, failure, label)
SELECT t.id, t.lane, t.attempt + 1 - u.spent::integer, u.claim, u.started_at, u.ended_at, u.now, greatest(0, t.run_at - u.ended_at), $2::text, u.outcome, u.failure, u.label
FROM ` + backColumns + ` JOIN outlast_task t ON t.id = u.id WHERE u.recorded /*t.lane of ($3::uuid[])[1]*/`)
)

const (
	backColumns = `(SELECT id, claim, run_at + (run_at = 0)::integer * now AS run_at, started_at, ended_at + (ended_at = 0)::integer * now AS ended_at, outcome, failure, spent, recorded, label, now
 FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::boolean[], $11::boolean[], $12::text[])
 AS u (id, claim, run_at, started_at, ended_at, outcome, failure, spent, recorded, label) CROSS JOIN (SELECT ` + wire.NowHere + ` AS now) n) u`

	// fencedLane is whether a row t runs under the claim of u, by the log, unless it has
	// been found to run apart.
	fencedLane = `($%d::boolean OR ` + past + ` < u.claim AND EXISTS (SELECT 1 FROM outlast_claim c WHERE c.claim = u.claim AND c.node = $2::text /*c.lane of ($3::uuid[])[1]*/)) /*t.lane of ($3::uuid[])[1]*/`
)

// manySpread settles lane by lane, several at once.
func (b *settling) manySpread(ctx context.Context, places []int) error {
	places = slices.DeleteFunc(slices.Clone(places), func(i int) bool {
		_, err := stored.Failure(b.all[i].Failure)
		if err != nil {
			b.results[i] = store.Settled{Status: store.StatusRefused, Err: refusedData(err)}
		}
		return err != nil
	})
	lanes := b.byLane(places)
	return lanewise(len(lanes), func(i int) error { return b.many(ctx, lanes[i]) })
}

// byLane parts settlements by lane.
func (b *settling) byLane(places []int) (parts [][]int) {
	at := map[uint16]int{}
	for _, i := range places {
		lane := b.all[i].Task.ID.Lane()
		n, ok := at[lane]
		if !ok {
			n = len(parts)
			at[lane], parts = n, append(parts, nil)
		}
		parts[n] = append(parts[n], i)
	}
	return parts
}

// laneTogether is together for settlements of one lane: what runs by the log is ended,
// and the fence of the others asked, in the round trip that begins the transaction, and
// the rest is done in the one that commits it.
func (b *settling) laneTogether(ctx context.Context, places []int) error {
	places = slices.Clone(places)
	slices.SortFunc(places, func(i, j int) int { return b.all[i].Task.ID.Compare(b.all[j].Task.ID) })
	var logged, others []int
	for _, i := range places {
		if t := b.all[i].Task; b.store.log.Number(t.ID) == t.Claim {
			logged = append(logged, i)
		} else {
			others = append(others, i)
		}
	}
	byLog, err := b.endsOf(logged)
	if err != nil {
		return err
	}
	var fenced map[task.ID]bool
	var apart *laneEnds
	err = b.store.begun(ctx, func(t *tx, c *wire.Conn) (err error) {
		apart, err = b.endsOf(slices.DeleteFunc(slices.Clone(others), func(i int) bool { return !fenced[b.all[i].Task.ID] }))
		if err != nil {
			return err
		}
		rest, err := byLog.rest()
		if err != nil {
			return err
		}
		last, err := apart.rest()
		if calls := slices.Concat(apart.calls(true), rest, last); err == nil && len(calls) > 0 {
			err = c.Run(ctx, append(calls, &wire.Call{Query: wire.CommitTx})...)
		}
		return err
	}, append(b.fence(others, &fenced), byLog.calls(false)...)...)
	if err != nil {
		return err
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	byLog.answer()
	apart.answer()
	for _, i := range others {
		if !fenced[b.all[i].Task.ID] {
			b.apart = append(b.apart, i)
		}
	}
	return nil
}

// fence is the call that asks which of those that are not known to run by the log run
// apart.
func (b *settling) fence(places []int, fenced *map[task.ID]bool) []*wire.Call {
	if len(places) == 0 {
		return nil
	}
	ids, claims := make([]task.ID, len(places)), make([]int64, len(places))
	for n, i := range places {
		ids[n], claims[n] = b.all[i].Task.ID, b.all[i].Task.Claim
	}
	return []*wire.Call{{Query: fenceRuns, Args: []any{ids, claims}, Start: func() { *fenced = map[task.ID]bool{} }, Scan: func(r wire.Row) error {
		(*fenced)[r.ID(0)] = true
		return nil
	}}}
}

// laneEnds are settlements of one lane that have the same fence.
type laneEnds struct {
	*settling
	places []int
	wins   successes
	backs  givenBack
}

func (b *settling) endsOf(places []int) (*laneEnds, error) {
	e := &laneEnds{settling: b, places: places}
	for _, i := range places {
		if b.all[i].Outcome == task.OutcomeSucceeded {
			e.wins.add(&b.all[i])
		} else if err := e.backs.add(&b.all[i]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// calls end what the fence lets pass; passed says that it has.
func (e *laneEnds) calls(passed bool) (calls []*wire.Call) {
	w := &e.wins
	if len(w.ids) > 0 {
		calls = append(calls, &wire.Call{
			Query: succeedLane, Args: []any{e.store.offset(), e.node, w.ids, w.claims, w.started, w.ends, wire.OptionalArray(w.results), w.labelArray(), passed},
			Start: func() { w.ended = make(map[task.ID]bool, len(w.ids)) },
			Scan: func(r wire.Row) error {
				w.ended[r.ID(0)] = true
				return nil
			},
		})
	}
	if len(e.backs.ids) > 0 {
		calls = append(calls, e.backs.callOf(putBackLane, append(e.backs.args(e.store, e.node), passed)))
	}
	return calls
}

// rest are the calls after that: unless their answer is to come, for what was ended alone.
func (e *laneEnds) rest() (calls []*wire.Call, err error) {
	won, backs := e.wins.ids, &e.backs
	if e.wins.ended != nil {
		won = slices.DeleteFunc(slices.Clone(won), func(id task.ID) bool { return !e.wins.ended[id] })
	}
	if backs.entries != nil && len(backs.entries) < len(backs.ids) {
		backs = &givenBack{}
		for _, i := range e.places {
			if _, back := e.backs.entries[e.all[i].Task.ID]; back && err == nil {
				err = backs.add(&e.all[i])
			}
		}
	}
	if len(won) > 0 {
		calls = append(calls, &wire.Call{Query: dropTasks, Args: []any{e.all[e.places[0]].Task.ID.Lane(), won}})
	}
	if len(backs.ids) > 0 {
		calls = append(calls, &wire.Call{Query: recordLane, Args: backs.args(e.store, e.node)})
	}
	return calls, err
}

// answer fills in the results; what was not ended goes apart.
func (e *laneEnds) answer() {
	for _, i := range e.places {
		id := e.all[i].Task.ID
		entry, back := e.backs.entries[id]
		switch {
		case back:
			e.results[i] = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
		case e.wins.ended[id]:
			e.results[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
		default:
			e.settling.apart = append(e.settling.apart, i)
		}
	}
}
