package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// succeedRows ends attempts as succeeded. The row in outlast_run is the
	// fence: who deletes it under its claim has the row of outlast_task for
	// himself. Rows are found by one look-up each and deleted by their places
	// (ctid), so that no plan joins a table whole; whatever a place holds by
	// now is looked at again, and the statement fails unless every row that
	// ran has its task. Rows with a cancel request are left alone. Inputs:
	// clock, node, ids, claims, started at, ended at (0: now), results (null
	// if there are none). Returns how many were ended and, unless all were,
	// their ids. succeedKnown is the same for rows whose places are known:
	// those of the runs and of the tasks come last.
	succeedRows  = newQuery(fmt.Sprintf(succeed, runPlaces, taskPlaces))
	succeedKnown = newQuery(fmt.Sprintf(succeed, `$8::tid[]`, `$9::tid[]`))

	// putBackRows makes rows pending again whose attempts failed, were
	// snoozed or released, and writes their history, in the manner of
	// succeedRows. Inputs: clock, node, ids, claims, run at (0: now), started
	// at, ended at (0: now), outcomes, failures (null: none), whether the
	// attempt is spent, whether it has a history row. Returns the entries, and
	// the rest of the rows that are to be kept in memory.
	putBackRows  = newQuery(fmt.Sprintf(giveBack, runPlaces, taskPlaces))
	putBackKnown = newQuery(fmt.Sprintf(giveBack, `$12::tid[]`, `$13::tid[]`))
)

// Where the rows of runs and of their tasks are.
const (
	runPlaces  = `ARRAY(SELECT r.tid FROM unnest($3::uuid[]) AS i (id) CROSS JOIN LATERAL (SELECT ctid AS tid FROM outlast_run r WHERE r.id = i.id LIMIT 1) r)`
	taskPlaces = `ARRAY(SELECT t.tid FROM r CROSS JOIN LATERAL (SELECT ctid AS tid FROM outlast_task t WHERE t.id = r.id LIMIT 1) t)`
)

const (
	succeed = `WITH r AS (DELETE FROM outlast_run r
 USING unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[]) AS u (id, claim, started_at, ended_at, result)
 WHERE r.ctid = ANY(%[1]s) AND r.id = u.id AND r.claim = u.claim AND NOT r.cancel RETURNING u.*),
t AS (DELETE FROM outlast_task t USING r WHERE t.ctid = ANY(%[2]s) AND t.id = r.id
 RETURNING t.id, t.lane, t.priority, t.run_at, t.seq, t.created_at, t.attempt, t.crashes, t.queue, t.type, t.target, t.policy, t.key, t.spec, t.last_error, t.payload,
  r.claim, r.started_at, r.ended_at, r.result),
d AS (INSERT INTO outlast_done (id, lane, priority, state, run_at, claim, seq, created_at, started_at, ended_at, finished_at, attempt, crashes, cancel,
  queue, type, target, policy, key, spec, last_error, node, outcome, result, payload)
 SELECT id, lane, priority, 2, run_at, claim, seq, created_at, started_at, coalesce(nullif(ended_at, 0), ` + nowMicro + `), ` + nowMicro + `, attempt + 1, crashes, false,
  queue, type, target, policy, key, spec, last_error, $2::text, 'succeeded', result, payload FROM t)
SELECT n, CASE WHEN n < cardinality($3::uuid[]) THEN (SELECT string_agg(uuid_send(id), '') FROM t) END,
 1 / (CASE WHEN n = (SELECT count(*) FROM r) THEN 1 ELSE 0 END) FROM (SELECT count(*) AS n FROM t) c`

	giveBack = `WITH r AS (DELETE FROM outlast_run r
 USING unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::boolean[], $11::boolean[])
  AS u (id, claim, run_at, started_at, ended_at, outcome, failure, spent, recorded)
 WHERE r.ctid = ANY(%[1]s) AND r.id = u.id AND r.claim = u.claim AND NOT r.cancel
 RETURNING u.id, u.claim, u.started_at, u.outcome, u.failure, u.spent, u.recorded, ` + nowMicro + ` AS now,
  coalesce(nullif(u.run_at, 0), ` + nowMicro + `) AS run_at, coalesce(nullif(u.ended_at, 0), ` + nowMicro + `) AS ended_at),
t AS (UPDATE outlast_task t SET run_at = r.run_at, rank = r.run_at - t.priority * 30000000::bigint, park = 0, attempt = t.attempt + r.spent::integer,
  claim = CASE WHEN r.outcome = 'released' THEN greatest(r.claim + 1, r.now) ELSE r.claim END,
  last_error = coalesce(r.failure, t.last_error), updated_at = r.now, unstarted = CASE WHEN r.recorded THEN NULL ELSE r.claim END
 FROM r WHERE t.ctid = ANY(%[2]s) AND t.id = r.id
 RETURNING t.*, t.ctid AS tid, t.xmin AS version, ` + isKept + ` AS kept, r.claim AS ended, r.spent, r.recorded, r.started_at, r.ended_at, r.outcome, r.failure, r.now),
a AS (INSERT INTO outlast_attempt (id, lane, number, claim, started_at, ended_at, recorded_at, next_delay, node, outcome, failure)
 SELECT id, lane, attempt + 1 - spent::integer, ended, started_at, ended_at, now, greatest(0, run_at - ended_at), $2::text, outcome, failure FROM t WHERE recorded)
SELECT id, run_at, rank, seq, park, key, type, target, attempt, crashes, octet_length(payload), ` + keptColumns + `,
 1 / (CASE WHEN (SELECT count(*) FROM t) = (SELECT count(*) FROM r) THEN 1 ELSE 0 END)
FROM t`
)

// together settles in one transaction and one round trip: rows whose places
// are known by these, others by their ids. Those that do not run under their
// claim, or were to be canceled, are left to go apart.
func (b *settling) together(ctx context.Context, places []int) error {
	var wins [2]successes
	var backs [2]givenBack
	for _, i := range places {
		s, by := &b.all[i], byID
		run, known := b.store.memory.runs.take(s.Task.ID)
		if known && run.claim == s.Task.Claim {
			by = byPlace
		}
		if s.Outcome == task.OutcomeSucceeded {
			wins[by].add(i, s, run)
		} else if err := backs[by].add(i, s, run); err != nil {
			b.results[i] = store.Settled{Status: store.StatusRefused, Err: refusedData(err)}
		}
	}
	var calls []*call
	for by := range wins {
		if len(wins[by].ids) > 0 {
			calls = append(calls, wins[by].call(b, by))
		}
		if len(backs[by].ids) > 0 {
			calls = append(calls, backs[by].call(b, by))
		}
	}
	if len(calls) == 0 {
		return nil
	}
	if _, err := b.store.pipeline(ctx, calls...); err != nil {
		return err
	}
	for by := range wins {
		wins[by].answer(b)
		backs[by].answer(b)
	}
	return nil
}

const (
	byID = iota
	byPlace
)

// ended are arguments of every statement that settles many.
type ended struct {
	places      []int // in the call
	ids         []task.ID
	claims      []int64
	runs, tasks []place // if they are known
}

func (e *ended) add(i int, s *store.Settlement, run knownRun) {
	e.places, e.ids, e.claims = append(e.places, i), append(e.ids, s.Task.ID), append(e.claims, s.Task.Claim)
	e.runs, e.tasks = append(e.runs, run.run), append(e.tasks, run.task)
}

// successes are the arguments and the answer of succeedRows.
type successes struct {
	ended
	started, ends []int64
	results       [][]byte // nil if there are none
	all           bool
	those         map[task.ID]bool // unless all were
}

func (w *successes) add(i int, s *store.Settlement, run knownRun) {
	w.ended.add(i, s, run)
	w.started, w.ends = append(w.started, stored.Micro(s.StartedAt)), append(w.ends, stored.Micro(s.EndedAt))
	if s.Result != nil && w.results == nil {
		w.results = make([][]byte, len(w.ids)-1, cap(w.ids))
	}
	if w.results != nil {
		w.results = append(w.results, s.Result)
	}
}

func (w *successes) call(b *settling, by int) *call {
	c := &call{query: succeedRows, args: []any{b.store.offset(), b.node, w.ids, w.claims, w.started, w.ends, optionalArray(w.results)}}
	if by == byPlace {
		c.query, c.args = succeedKnown, append(c.args, w.runs, w.tasks)
	}
	c.scan = func(r row) error {
		w.all, w.those = int(r.int(0)) == len(w.ids), nil
		if !w.all {
			w.those = map[task.ID]bool{}
			for _, id := range r.ids(1) {
				w.those[id] = true
			}
		}
		return nil
	}
	return c
}

func (w *successes) answer(b *settling) {
	for n, i := range w.places {
		if w.all || w.those[w.ids[n]] {
			b.results[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
		} else {
			b.apart = append(b.apart, i)
		}
	}
}

// givenBack are the arguments and the answer of putBackRows.
type givenBack struct {
	ended
	runAt, started, ends []int64
	outcomes             []string
	failures             jsons
	spent, recorded      []bool
	entries              map[task.ID]store.Entry
	kept                 map[task.ID]packed // of the rows as they are now
}

func (g *givenBack) add(i int, s *store.Settlement, run knownRun) error {
	failure, err := stored.Failure(s.Failure)
	if err != nil {
		return err
	}
	g.ended.add(i, s, run)
	g.runAt = append(g.runAt, stored.Micro(s.RunAt))
	g.started, g.ends = append(g.started, stored.Micro(s.StartedAt)), append(g.ends, stored.Micro(s.EndedAt))
	g.outcomes, g.failures = append(g.outcomes, string(s.Outcome)), append(g.failures, failure)
	g.spent = append(g.spent, s.Outcome == task.OutcomeFailed && !s.Unstarted)
	g.recorded = append(g.recorded, !s.Unstarted)
	return nil
}

func (g *givenBack) call(b *settling, by int) *call {
	c := &call{query: putBackRows, args: []any{b.store.offset(), b.node, g.ids, g.claims, g.runAt, g.started, g.ends, g.outcomes, g.failures, g.spent, g.recorded}}
	if by == byPlace {
		c.query, c.args = putBackKnown, append(c.args, g.runs, g.tasks)
	}
	shared := names{}
	c.start = func() { g.entries, g.kept = make(map[task.ID]store.Entry, len(g.ids)), map[task.ID]packed{} }
	c.scan = func(r row) error {
		entry := scanNamed(r, shared)
		g.entries[entry.ID] = entry
		if isRemembered(r) {
			g.kept[entry.ID] = pack(r)
		}
		return nil
	}
	return c
}

func (g *givenBack) answer(b *settling) {
	at := time.Now()
	for n, i := range g.places {
		if entry, found := g.entries[g.ids[n]]; found {
			b.results[i] = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
		} else {
			b.apart = append(b.apart, i)
		}
	}
	for id, row := range g.kept {
		b.store.memory.keep(at, id, row)
	}
}
