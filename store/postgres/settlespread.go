package postgres

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Where Citus has distributed the tables, the usual settlements of a lane are
// one transaction: the fence in the round trip that begins it, the rest in the
// one that commits it.
var (
	// fenceRuns deletes running rows under their claims, unless they have a
	// cancel request. Who has deleted one has the row in outlast_task for
	// himself. Inputs: ids, claims.
	fenceRuns = newQuery(`DELETE FROM outlast_run r USING unnest($1::uuid[], $2::bigint[]) AS u (id, claim)
WHERE r.id = u.id AND r.claim = u.claim AND NOT r.cancel /*r.lane of ($1::uuid[])[1]*/ RETURNING r.id`)

	// succeedLane ends tasks of a lane as succeeded. Inputs: now, ids, node,
	// claims, started at, ended at (0: now), results and labels (each null if
	// there are none).
	succeedLane = newQuery(`INSERT INTO outlast_done (id, lane, priority, state, run_at, claim, seq, created_at, started_at, ended_at, finished_at, attempt, crashes, cancel,
 queue, type, target, policy, key, spec, last_error, failed_at, node, outcome, result, payload, label)
SELECT t.id, t.lane, priority, 2, run_at, ($4::bigint[])[at], seq, created_at, ($5::bigint[])[at], coalesce(nullif(($6::bigint[])[at], 0), $1::bigint), $1::bigint, attempt + 1, crashes, false,
 queue, type, target, policy, key, spec, last_error, failed_at, $3::text, 'succeeded', ($7::bytea[])[at], payload, ($8::text[])[at]
FROM unnest($2::uuid[]) WITH ORDINALITY AS u (id, at) JOIN outlast_task t ON t.id = u.id WHERE true /*t.lane of ($2::uuid[])[1]*/`)

	// putBackLane makes tasks of a lane pending again. Inputs: now, ids,
	// claims, run at (0: now), started at, ended at (0: now), outcomes,
	// failures (null: none), whether the attempt is spent, whether it has a
	// history row, labels (null: none). Returns the entries.
	putBackLane = newQuery(`UPDATE outlast_task t SET run_at = coalesce(nullif(u.run_at, 0), $1::bigint), rank = coalesce(nullif(u.run_at, 0), $1::bigint) - t.priority * 30000000::bigint,
 park = 0, attempt = t.attempt + u.spent::integer, claim = CASE WHEN u.outcome = 'released' THEN greatest(mod(u.claim, 9223372036854775807) + 1, $1::bigint) ELSE u.claim END,
 last_error = coalesce(u.failure, t.last_error), failed_at = CASE WHEN u.outcome = 'failed' AND u.recorded THEN coalesce(nullif(u.ended_at, 0), $1::bigint) ELSE t.failed_at END,
 updated_at = $1::bigint, unstarted = CASE WHEN u.recorded THEN NULL ELSE u.claim END
FROM ` + backColumns + ` WHERE t.id = u.id /*t.lane of ($2::uuid[])[1]*/
RETURNING t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, octet_length(t.payload)`)

	// recordLane writes the history of what putBackLane has put back. Inputs:
	// those of it, node.
	recordLane = newQuery(`INSERT INTO outlast_attempt (id, lane, number, claim, started_at, ended_at, recorded_at, next_delay, node, outcome, failure, label)
SELECT t.id, t.lane, t.attempt + 1 - u.spent::integer, u.claim, u.started_at, coalesce(nullif(u.ended_at, 0), $1::bigint), $1::bigint,
 greatest(0, t.run_at - coalesce(nullif(u.ended_at, 0), $1::bigint)), $12::text, u.outcome, u.failure, u.label
FROM ` + backColumns + ` JOIN outlast_task t ON t.id = u.id WHERE u.recorded /*t.lane of ($2::uuid[])[1]*/`)
)

const backColumns = `unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::boolean[], $10::boolean[], $11::text[])
 AS u (id, claim, run_at, started_at, ended_at, outcome, failure, spent, recorded, label)`

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

// laneTogether is together for settlements of one lane.
func (b *settling) laneTogether(ctx context.Context, places []int) error {
	places = slices.Clone(places)
	slices.SortFunc(places, func(i, j int) int { return b.all[i].Task.ID.Compare(b.all[j].Task.ID) })
	ids, claims := make([]task.ID, len(places)), make([]int64, len(places))
	for n, i := range places {
		ids[n], claims[n] = b.all[i].Task.ID, b.all[i].Task.Claim
	}
	var fenced map[task.ID]bool
	var wins *successes
	var backs *givenBack
	err := b.store.begun(ctx, func(t *tx, c *conn) (err error) {
		if wins, backs, err = b.sortFenced(places, fenced); err != nil || len(fenced) == 0 {
			return err
		}
		return c.run(ctx, append(append(wins.laneCalls(t.now, b.node), backs.laneCalls(t.now, b.node)...), &call{query: commitTx})...)
	}, &call{query: fenceRuns, args: []any{ids, claims}, start: func() { fenced = map[task.ID]bool{} }, scan: func(r row) error {
		fenced[r.id(0)] = true
		return nil
	}})
	if err != nil {
		return err
	}
	b.answer(places, wins, backs, fenced)
	return nil
}

// sortFenced sorts what the fence let pass.
func (b *settling) sortFenced(places []int, fenced map[task.ID]bool) (*successes, *givenBack, error) {
	wins, backs := &successes{}, &givenBack{}
	for _, i := range places {
		switch {
		case !fenced[b.all[i].Task.ID]:
		case b.all[i].Outcome == task.OutcomeSucceeded:
			wins.add(&b.all[i])
		default:
			if err := backs.add(&b.all[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	return wins, backs, nil
}

// answer fills in the results of a lane, of which others may run.
func (b *settling) answer(places []int, wins *successes, backs *givenBack, fenced map[task.ID]bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	for _, i := range places {
		id := b.all[i].Task.ID
		switch {
		case !fenced[id]:
			b.apart = append(b.apart, i)
		case b.all[i].Outcome == task.OutcomeSucceeded:
			b.results[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
		default:
			b.results[i] = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: backs.entries[id]}
		}
	}
}

func (w *successes) laneCalls(now int64, node string) []*call {
	if len(w.ids) == 0 {
		return nil
	}
	return []*call{
		{query: succeedLane, args: []any{now, w.ids, node, w.claims, w.started, w.ends, optionalArray(w.results), w.labelArray()}},
		{query: deleteTasks, args: []any{w.ids}},
	}
}

func (g *givenBack) laneCalls(now int64, node string) []*call {
	if len(g.ids) == 0 {
		return nil
	}
	args := []any{now, g.ids, g.claims, g.runAt, g.started, g.ended, g.outcomes, g.failures, g.spent, g.recorded, g.labels}
	return []*call{
		{query: putBackLane, args: args, start: func() { g.entries = make(map[task.ID]store.Entry, len(g.ids)) }, scan: func(r row) error {
			entry := scanEntry(r)
			g.entries[entry.ID] = entry
			return nil
		}},
		{query: recordLane, args: append(slices.Clip(args), node)},
	}
}
