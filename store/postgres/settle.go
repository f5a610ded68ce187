package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// succeedRows ends attempts as succeeded. The fence is the row of the claim
	// log, for rows whose number is below it; a row that changes meanwhile is
	// waited for and looked at again. The fence of those that are not known to
	// run by the log is the row in outlast_run: who deletes it under its claim
	// has the task for himself. Rows with a cancel request are left alone. Inputs:
	// clock, node, ids, claims, started at, ended at (0: now), results and labels
	// (each null if there are none), who runs apart (null for none), lanes and
	// numbers of the batches of the others. Returns how many were ended and, unless
	// all were, their ids.
	succeedRows = wire.NewQuery(succeedText("", "", "", ""))

	// succeedMembers is succeedRows for members of groups, which it counts in the order in
	// which everybody does. One more input: their groups.
	succeedMembers = wire.NewQuery(succeedText(`, $12::uuid[]`, `, group_id`, `, u.group_id`, `,
g AS (INSERT INTO outlast_group_count AS c (group_id, lane, part, members, succeeded, dead, canceled)
 SELECT group_id, lane, 0, 0, count(*), 0, 0 FROM d GROUP BY group_id, lane ORDER BY group_id, lane
 ON CONFLICT (group_id, lane, part) DO UPDATE SET succeeded = c.succeeded + excluded.succeeded)`))

	// putBackRows makes rows pending again whose attempts failed, were
	// snoozed or released, and writes their history, in the manner of
	// succeedRows. Inputs: clock, node, ids, claims, run at (0: now), started
	// at, ended at (0: now), outcomes, failures (null: none), whether the
	// attempt is spent, whether it has a history row, labels (null: none), who
	// runs apart (null for none), lanes and numbers of the batches of the others.
	// Returns the entries.
	putBackRows = wire.NewQuery(`WITH u AS MATERIALIZED (SELECT u.id, u.claim, u.started_at, u.outcome, u.failure, u.spent, u.recorded, u.label, u.apart, n.now,
  coalesce(nullif(u.run_at, 0), n.now) AS run_at, coalesce(nullif(u.ended_at, 0), n.now) AS ended_at
 FROM (SELECT ` + wire.NowMicro + ` AS now) n, unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[],
  $10::boolean[], $11::boolean[], $12::text[], $13::boolean[]) AS u (id, claim, run_at, started_at, ended_at, outcome, failure, spent, recorded, label, apart)),
` + fmt.Sprintf(fence, `$14::integer[], $15::bigint[]`) + `,
t AS (UPDATE outlast_task t SET run_at = u.run_at, rank = u.run_at - t.priority * 30000000::bigint, park = 0, attempt = t.attempt + u.spent::integer,
  claim = CASE WHEN u.outcome = 'released' THEN greatest(mod(u.claim, 9223372036854775807) + 1, u.now) ELSE u.claim END,
  last_error = coalesce(u.failure, t.last_error), failed_at = CASE WHEN u.outcome = 'failed' AND u.recorded THEN u.ended_at ELSE t.failed_at END,
  updated_at = u.now, unstarted = CASE WHEN u.recorded THEN NULL ELSE u.claim END
 FROM u LEFT JOIN r ON r.id = u.id WHERE t.id = ANY($3::uuid[]) AND t.id = u.id AND ` + fenced + `
 RETURNING t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, octet_length(t.payload) AS size, t.share_key, t.lane,
  u.claim, u.spent, u.recorded, u.started_at, u.ended_at, u.outcome, u.failure, u.now, u.label` + keptColumns(past, "u.now + "+soon, "u.now") + `),
a AS (INSERT INTO outlast_attempt (id, lane, number, claim, started_at, ended_at, recorded_at, next_delay, node, outcome, failure, label)
 SELECT id, lane, attempt + 1 - spent::integer, claim, started_at, ended_at, now, greatest(0, run_at - ended_at), $2::text, outcome, failure, label FROM t WHERE recorded)
SELECT id, run_at, rank, seq, park, key, type, target, attempt, crashes, size, share_key, past, priority, policy, created_at, queue, kept_spec, kept_error, kept_payload FROM t`)
)

// succeedText is the text of succeedRows, with one more input, its column, what of it a row
// that has ended returns, and what is done with that.
func succeedText(input, column, returned, done string) string {
	return `WITH u AS MATERIALIZED (SELECT * FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[], $8::text[], $9::boolean[]` + input + `)
 AS u (id, claim, started_at, ended_at, result, label, apart` + column + `)),
` + fmt.Sprintf(fence, `$10::integer[], $11::bigint[]`) + `,
d AS (DELETE FROM outlast_task t USING u LEFT JOIN r ON r.id = u.id WHERE t.id = ANY($3::uuid[]) AND t.id = u.id AND ` + fenced + `
 RETURNING t.*, u.claim AS ran, u.started_at, u.ended_at, u.result, u.label` + returned + `),
i AS (INSERT INTO outlast_done (id, lane, priority, state, run_at, claim, seq, created_at, started_at, ended_at, finished_at, attempt, crashes, cancel,
  queue, type, target, policy, key, spec, last_error, failed_at, node, outcome, result, payload, label)
 SELECT id, lane, priority, 2, run_at, ran, seq, created_at, started_at, coalesce(nullif(ended_at, 0), now), now, attempt + 1, crashes, false,
  queue, type, target, policy, key, spec, last_error, failed_at, $2::text, 'succeeded', result, payload, label FROM d CROSS JOIN (SELECT ` + wire.NowMicro + ` AS now) n)` + done + `
SELECT n, CASE WHEN n < cardinality($3::uuid[]) THEN (SELECT string_agg(uuid_send(id), '') FROM d) END FROM (SELECT count(*) AS n FROM d) c`
}

// soon is within which time, in µs, what is to run again is kept in memory.
const soon = `10000000`

const (
	// fence finds the batches of the node, and deletes the rows in outlast_run of
	// those of u that run apart.
	fence = `b AS MATERIALIZED (SELECT u.* FROM unnest(%s) AS u (lane, claim)
 CROSS JOIN LATERAL (SELECT c.node FROM outlast_claim c WHERE c.lane = u.lane AND c.claim = u.claim LIMIT 1) c WHERE c.node = $2::text),
r AS (DELETE FROM outlast_run r USING u WHERE r.id = ANY(ARRAY(SELECT id FROM u WHERE apart)) AND r.id = u.id AND r.claim = u.claim
 AND NOT r.cancel RETURNING r.id)`

	// fenced is whether a row t runs under the claim of u: by r, or by the log.
	fenced = `(r.id IS NOT NULL OR u.apart IS NOT TRUE AND ` + past + ` < u.claim AND (t.lane, u.claim) IN (SELECT lane, claim FROM b))`
)

// forgetRuns makes room for one more among the runs of live tasks that cost no
// attempt. It changes nothing that a settlement asks, and so goes before.
var forgetRuns = wire.NewQuery(`DELETE FROM outlast_attempt a USING
 (SELECT b.id, b.claim, row_number() OVER (PARTITION BY b.id ORDER BY b.claim DESC) AS place
  FROM outlast_attempt b WHERE b.id = ANY($1::uuid[]) /*b.lane of ($1::uuid[])[1]*/ AND b.outcome IN ('snoozed', 'released')) r
WHERE a.id = r.id AND a.claim = r.claim AND a.id = ANY($1::uuid[]) /*a.lane of ($1::uuid[])[1]*/ AND r.place >= $2::bigint`)

// forgetRuns keeps the history of what is about to be snoozed or released short.
func (b *settling) forgetRuns(ctx context.Context) error {
	var places []int
	for i := range b.all {
		s := &b.all[i]
		if b.results[i].Status == "" && !s.Unstarted && (s.Outcome == task.OutcomeSnoozed || s.Outcome == task.OutcomeReleased) {
			places = append(places, i)
		}
	}
	lanes := [][]int{places}
	if b.store.spread {
		lanes = b.byLane(places)
	}
	if len(places) == 0 {
		return nil
	}
	return lanewise(len(lanes), func(lane int) error {
		ids := make([]task.ID, len(lanes[lane]))
		for n, i := range lanes[lane] {
			ids[n] = b.all[i].Task.ID
		}
		slices.SortFunc(ids, task.ID.Compare)
		_, err := b.store.pipeline(ctx, &wire.Call{Query: forgetRuns, Args: []any{ids, store.KeptRuns}})
		return err
	})
}

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	b := &settling{store: s, all: settlements, results: make([]store.Settled, len(settlements))}
	b.sort()
	if err := b.forgetRuns(ctx); err != nil {
		return nil, err
	}
	settle := b.many
	if s.spread {
		settle = b.manySpread
	}
	if err := settle(ctx, b.plain); err != nil {
		return nil, err
	}
	if err := b.rest(ctx); err != nil {
		return nil, err
	}
	b.note()
	return b.results, nil
}

// note tells memory what has ended: first what is read ahead, since a scan under way that
// has read a row as it ran must still find it either running or settled.
func (b *settling) note() {
	var ids, dead []task.ID
	var claims []int64
	for i := range b.all {
		id := b.all[i].Task.ID
		if status := b.results[i].Status; status == store.StatusOK || status == store.StatusStale {
			ids, claims = append(ids, id), append(claims, b.all[i].Task.Claim)
		}
		if b.results[i].State == task.Dead {
			dead = append(dead, id)
		}
	}
	b.store.readAhead.rows.Settled(ids)
	b.store.log.Settled(ids, claims)
	b.store.log.Left(dead)
}

// settling is one call of Settle. Settlements are known by their place.
type settling struct {
	store   *Store
	all     []store.Settlement
	results []store.Settled
	node    string     // of those that go together
	plain   []int      // go together
	apart   []int      // go by themselves: unusual, or not ended by what went together
	lock    sync.Mutex // of apart and results, while several lanes are settled at once
}

// sort refuses what must not reach the database, and parts the usual from the
// unusual.
func (b *settling) sort() {
	seen := make(map[task.ID]bool, len(b.all))
	for i := range b.all {
		s := &b.all[i]
		if err := check.Settlement(s); err != nil {
			b.results[i] = store.Settled{Status: store.StatusRefused, Err: err}
			continue
		}
		if isPlain(s) && b.node == "" {
			b.node = s.Task.Node
		}
		if isPlain(s) && b.node == s.Task.Node && !seen[s.Task.ID] && (!b.store.spread || !countsEnd(s)) {
			b.plain = append(b.plain, i)
		} else {
			b.apart = append(b.apart, i)
		}
		seen[s.Task.ID] = true
	}
}

func isPlain(s *store.Settlement) bool {
	if len(s.Follow) > 0 || len(s.Awaits) > 0 || s.StartedAt.IsZero() || s.Task.Node == "" {
		return false
	}
	return ending.GivesBack(s.Outcome) || s.Outcome == task.OutcomeSucceeded && s.Failure == nil && !s.Unstarted
}

// countsEnd reports whether a group counts the end of a task that has succeeded.
func countsEnd(s *store.Settlement) bool {
	return s.Outcome == task.OutcomeSucceeded && !s.Task.Spec.Group.IsZero()
}

// many settles together. When the database refuses some data, halves go by
// themselves until the bad item is alone.
func (b *settling) many(ctx context.Context, places []int) error {
	if len(places) == 0 {
		return nil
	}
	together := b.together
	if b.store.spread {
		together = b.laneTogether
	}
	err := b.store.partitioning(ctx, func() error { return together(ctx, places) })
	switch {
	case err == nil:
		return nil
	case !wire.Refusal(err):
		return err
	case len(places) == 1:
		b.lock.Lock()
		defer b.lock.Unlock()
		b.apart = append(b.apart, places[0])
		return nil
	}
	half := len(places) / 2
	return errors.Join(b.many(ctx, places[:half]), b.many(ctx, places[half:]))
}

// together settles in one transaction and one round trip. Those that do not
// run under their claim, or were to be canceled, are left to go apart.
func (b *settling) together(ctx context.Context, places []int) error {
	wins, joined, backs := &successes{}, &successes{}, &givenBack{}
	for _, i := range places {
		if countsEnd(&b.all[i]) {
			joined.add(&b.all[i])
			joined.groups = append(joined.groups, b.all[i].Task.Spec.Group)
		} else if b.all[i].Outcome == task.OutcomeSucceeded {
			wins.add(&b.all[i])
		} else if err := backs.add(&b.all[i]); err != nil {
			b.results[i] = store.Settled{Status: store.StatusRefused, Err: refusedData(err)}
		}
	}
	backs.look = b.store.readAhead.beginOf(backs.ids)
	defer backs.look.end()
	var calls []*wire.Call
	if len(wins.ids) > 0 {
		calls = append(calls, wins.call(b.store, b.node))
	}
	if len(backs.ids) > 0 {
		calls = append(calls, backs.call(b.store, b.node))
	}
	if len(joined.ids) > 0 {
		calls = append(calls, joined.call(b.store, b.node)) // counts come after tasks
	}
	if len(calls) == 0 {
		return nil
	}
	if _, err := b.store.pipeline(ctx, calls...); err != nil {
		return err
	}
	for _, i := range places {
		id := b.all[i].Task.ID
		entry, back := backs.entries[id]
		won := wins
		if countsEnd(&b.all[i]) {
			won = joined
		}
		switch {
		case b.results[i].Status != "":
		case back:
			b.results[i] = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
		case b.all[i].Outcome == task.OutcomeSucceeded && (won.all || won.ended[id]):
			b.results[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
		default:
			b.apart = append(b.apart, i)
		}
	}
	return nil
}

// successes are the arguments and the answer of succeedRows.
type successes struct {
	ids                   []task.ID
	claims, started, ends []int64
	results               [][]byte       // nil if there are none
	labels                wire.Optionals // nil if there are none
	groups                []task.ID      // nil if they are members of none
	all                   bool
	ended                 map[task.ID]bool // unless all were
}

func (w *successes) add(s *store.Settlement) {
	w.ids, w.claims = append(w.ids, s.Task.ID), append(w.claims, s.Task.Claim)
	w.started, w.ends = append(w.started, stored.Micro(s.StartedAt)), append(w.ends, stored.Micro(s.EndedAt))
	if s.Result != nil && w.results == nil {
		w.results = make([][]byte, len(w.ids)-1, cap(w.ids))
	}
	if w.results != nil {
		w.results = append(w.results, s.Result)
	}
	label := s.Label.String()
	if label != "" && w.labels == nil {
		w.labels = make(wire.Optionals, len(w.ids)-1, cap(w.ids))
	}
	if w.labels != nil {
		w.labels = append(w.labels, label)
	}
}

// labelArray is null if there are no labels.
func (w *successes) labelArray() any {
	if w.labels == nil {
		return nil
	}
	return w.labels
}

func (w *successes) call(s *Store, node string) *wire.Call {
	q, args := succeedRows, append([]any{s.offset(), node, w.ids, w.claims, w.started, w.ends, wire.OptionalArray(w.results), w.labelArray()}, fenceOf(s.log, w.ids, w.claims)...)
	if w.groups != nil {
		q, args = succeedMembers, append(args, w.groups)
	}
	return &wire.Call{
		Query: q, Args: args,
		Scan: func(r wire.Row) error {
			w.all, w.ended = int(r.Int(0)) == len(w.ids), nil
			if !w.all {
				w.ended = map[task.ID]bool{}
				for _, id := range r.IDs(1) {
					w.ended[id] = true
				}
			}
			return nil
		},
	}
}

// givenBack are the arguments and the answer of putBackRows.
type givenBack struct {
	ids                           []task.ID
	claims, runAt, started, ended []int64
	outcomes                      []string
	failures                      wire.JSONs
	labels                        wire.Optionals
	spent, recorded               []bool
	entries                       map[task.ID]store.Entry
	look                          *looking // at what is put back
}

func (g *givenBack) add(s *store.Settlement) error {
	failure, err := stored.Failure(s.Failure)
	if err != nil {
		return err
	}
	g.ids, g.claims, g.runAt = append(g.ids, s.Task.ID), append(g.claims, s.Task.Claim), append(g.runAt, stored.Micro(s.RunAt))
	g.started, g.ended = append(g.started, stored.Micro(s.StartedAt)), append(g.ended, stored.Micro(s.EndedAt))
	g.outcomes, g.failures = append(g.outcomes, string(s.Outcome)), append(g.failures, failure)
	g.labels = append(g.labels, s.Label.String())
	g.spent = append(g.spent, s.Outcome == task.OutcomeFailed && !s.Unstarted)
	g.recorded = append(g.recorded, !s.Unstarted)
	return nil
}

func (g *givenBack) call(s *Store, node string) *wire.Call {
	return g.callOf(putBackRows, append(g.args(s, node), fenceOf(s.log, g.ids, g.claims)...))
}

func (g *givenBack) args(s *Store, node string) []any {
	return []any{s.offset(), node, g.ids, g.claims, g.runAt, g.started, g.ended, g.outcomes, g.failures, g.spent, g.recorded, g.labels}
}

func (g *givenBack) callOf(q *wire.Query, args []any) *wire.Call {
	return &wire.Call{
		Query: q, Args: args,
		Start: func() {
			g.entries = make(map[task.ID]store.Entry, len(g.ids))
			g.look.anew()
		},
		Scan: func(r wire.Row) error {
			entry := scanEntry(r)
			g.entries[entry.ID] = entry
			g.look.read(r)
			return nil
		},
	}
}
