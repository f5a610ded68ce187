package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// insertColumns is the list of tasks to insert, as arrays: see inserts.
const insertColumns = `unnest($2::uuid[], $3::integer[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bytea[], $14::text[])
 WITH ORDINALITY AS u (id, lane, priority, run_at, delay, queue, type, target, policy, key, spec, payload, share_key, ord)`

const (
	insertHead = `INSERT INTO outlast_task (id, lane, priority, rank, run_at, seq, created_at, updated_at, queue, type, target, policy, key, spec, payload, share_key)
SELECT ` + insertValues + insertFrom
	insertArrived = `INSERT INTO outlast_task (id, lane, priority, rank, run_at, seq, created_at, updated_at, queue, type, target, policy, key, spec, payload, share_key, arrived)
SELECT ` + insertValues + `, pg_current_xact_id()` + insertFrom
	insertValues = `id, lane, priority, at - priority * 30000000::bigint, at, CASE WHEN key IS NULL THEN 0 ELSE nextval('outlast_seq'::text::regclass) END, now, now,
 queue, type, target, policy, key, spec, payload, share_key`
	insertFrom = `
FROM (SELECT u.*, n.now, coalesce(nullif(u.run_at, 0), n.now + u.delay) AS at FROM (SELECT ` + wire.NowMicro + ` AS now) n, ` + insertColumns + ` ORDER BY ord) u`
)

// insertSpread inserts tasks of one lane where tables are distributed, at the
// time $1 of the coordinator, with the numbers $15 that it has given to those
// with keys.
const insertSpread = `INSERT INTO outlast_task (id, lane, priority, rank, run_at, seq, created_at, updated_at, queue, type, target, policy, key, spec, payload, share_key)
SELECT u.id, a.lane, priority, coalesce(nullif(run_at, 0), $1::bigint + delay) - priority * 30000000::bigint, coalesce(nullif(run_at, 0), $1::bigint + delay),
 ($15::bigint[])[ord], $1::bigint, $1::bigint, queue, type, target, policy, key, spec, payload, share_key
FROM outlast_anchor a CROSS JOIN ` + insertColumns + ` WHERE true /*a.lane of ($2::uuid[])[1]*/`

const insertUnless = ` ON CONFLICT (id, lane) DO NOTHING RETURNING id, seq, rank, run_at, created_at`

var (
	// insertNew inserts tasks that must be new: it fails if one is there.
	// Seqs are given in the order of the call. Returns what was made here.
	insertNew = wire.NewQuery(insertHead+` RETURNING seq, rank, run_at, created_at`, insertSpread+` RETURNING id, seq, rank, run_at, created_at`)

	// insertAny inserts those of the tasks of which there is no live row.
	insertAny = wire.NewQuery(insertHead+insertUnless, insertSpread+insertUnless)

	// insertOfCaller is insertAny in a caller's transaction, of which nobody need tell:
	// see Arrived.
	insertOfCaller = wire.NewQuery(insertArrived+insertUnless, insertSpread+insertUnless)

	// noneEnded fails unless none of the tasks has ended already: who sends
	// an enqueue of unknown outcome again may find its task gone from
	// outlast_task. It runs after the insert, which waits for a settle that is
	// moving the row. Inputs: the ids, the least and the greatest of them, the
	// earliest end of any of them. New tasks have ids of almost the same time,
	// so that hardly any that have ended lie between them. Only if one does, the
	// ids are hashed; Citus wants them in a list.
	noneEnded = wire.NewQuery(`SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM (SELECT d.id FROM outlast_done d
  WHERE d.id >= $2::uuid AND d.id <= $3::uuid AND d.finished_at >= $4::bigint OFFSET 0) d WHERE d.id IN (SELECT unnest($1::uuid[])))
 OR EXISTS (SELECT 1 FROM (SELECT d.id FROM outlast_dead d WHERE d.id >= $2::uuid AND d.id <= $3::uuid OFFSET 0) d WHERE d.id IN (SELECT unnest($1::uuid[])))
 THEN 0 ELSE 1 END)`, `SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM (SELECT d.id FROM outlast_done d
  WHERE d.id >= $2::uuid AND d.id <= $3::uuid AND d.finished_at >= $4::bigint /*d.lane of $2::uuid*/ OFFSET 0) d WHERE d.id = ANY($1::uuid[]))
 OR EXISTS (SELECT 1 FROM (SELECT d.id FROM outlast_dead d WHERE d.id >= $2::uuid AND d.id <= $3::uuid /*d.lane of $2::uuid*/ OFFSET 0) d WHERE d.id = ANY($1::uuid[]))
 THEN 0 ELSE 1 END)`)

	// noneEndedApart is noneEnded for ids that lie far apart: it looks each up.
	noneEndedApart = wire.NewQuery(`SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM outlast_done d WHERE d.id = ANY($1::uuid[]) AND d.finished_at >= $2::bigint /*d.lane of ($1::uuid[])[1]*/)
 OR EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = ANY($1::uuid[]) /*d.lane of ($1::uuid[])[1]*/) THEN 0 ELSE 1 END)`)

	// endedOf lists those of the ids that have ended.
	endedOf = wire.NewQuery(`SELECT id FROM outlast_done WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/ UNION SELECT id FROM outlast_dead WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

	deleteTasks = wire.NewQuery(`DELETE FROM outlast_task WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)
)

// inserts are the arguments of the statements above.
type inserts struct {
	items             []store.Insert
	ids               []task.ID
	lanes, priorities []int32
	runAt, delays     []int64
	queues, types     []string
	targets           []string
	policies, keys    wire.Optionals
	shares            wire.Optionals // none if no task has one
	specs             wire.JSONs
	payloads          [][]byte
}

// newInserts refuses specs that cannot be stored; what else is wrong with an
// item was found by check.Insert.
func newInserts(items []store.Insert) (*inserts, error) {
	in := &inserts{items: items}
	for i := range items {
		t := items[i].Task
		spec, err := stored.Spec(&t.Spec)
		if err != nil {
			return nil, refusedData(err)
		}
		payload := t.Payload
		if payload == nil {
			payload = []byte{}
		}
		in.ids, in.lanes, in.priorities = append(in.ids, t.ID), append(in.lanes, int32(t.ID.Lane())), append(in.priorities, int32(t.Priority))
		in.runAt, in.delays = append(in.runAt, stored.Micro(t.RunAt)), append(in.delays, items[i].Delay.Microseconds())
		in.queues, in.types, in.targets = append(in.queues, t.Queue), append(in.types, t.Type), append(in.targets, t.Target)
		in.policies, in.keys = append(in.policies, t.Policy), append(in.keys, t.Key)
		in.specs, in.payloads = append(in.specs, spec), append(in.payloads, payload)
	}
	in.shares = sharesOf(items)
	return in, nil
}

func (in *inserts) args(offset int64) []any {
	return []any{offset, in.ids, in.lanes, in.priorities, in.runAt, in.delays, in.queues, in.types, in.targets, in.policies, in.keys, in.specs, in.payloads, in.shares}
}

// sharesOf are the share keys of items, and nothing where none has one: the array is then
// shorter than those beside it, and the rest of it null.
func sharesOf(items []store.Insert) wire.Optionals {
	if !slices.ContainsFunc(items, func(item store.Insert) bool { return item.Task.Spec.ShareKey != "" }) {
		return nil
	}
	shares := make(wire.Optionals, len(items))
	for i := range items {
		shares[i] = items[i].Task.Spec.ShareKey
	}
	return shares
}

// inserted is the answer for a new row.
func inserted(t *task.Task, seq, rank, runAt, created int64) store.Inserted {
	return store.Inserted{Created: stored.Time(created), Entry: store.Entry{
		ID: t.ID, RunAt: runAt, Rank: rank, Seq: seq, Key: t.Key, Share: t.Spec.ShareKey, Type: t.Type, Target: t.Target, Size: len(t.Payload),
	}}
}

// Enqueue implements [store.Store].
func (s *Store) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	e := &enqueuing{store: s, batches: batches, results: make([]store.BatchResult, len(batches))}
	var plain []int
	for i, batch := range batches {
		switch err := checkBatch(batch.Items); {
		case err != nil:
			e.results[i].Err = err
		case len(batch.Items) == 0:
		default:
			plain = append(plain, i)
		}
	}
	if err := e.many(ctx, plain); err != nil {
		return nil, err
	}
	return e.results, nil
}

func checkBatch(items []store.Insert) error {
	for i := range items {
		if err := check.Insert(&items[i]); err != nil {
			return err
		}
	}
	return nil
}

// enqueuing is one call of Enqueue. Batches are known by their place.
type enqueuing struct {
	store   *Store
	batches []store.Batch
	results []store.BatchResult
}

// many inserts batches in their order: together those that follow each other
// and are usual, and a few at a time those that are not.
func (e *enqueuing) many(ctx context.Context, places []int) error {
	for len(places) > 0 {
		unusual, n := isUnusual(e.batches[places[0]].Items), 1
		for n < len(places) && isUnusual(e.batches[places[n]].Items) == unusual && (!unusual || n < fewTogether) {
			n++
		}
		err := error(nil)
		if unusual {
			err = e.few(ctx, places[:n])
		} else {
			err = e.halving(ctx, places[:n])
		}
		if err != nil {
			return err
		}
		places = places[n:]
	}
	return nil
}

// few inserts batches, with all that may be unusual about them, in one
// transaction. When one is refused, nothing was done, and each goes alone.
func (e *enqueuing) few(ctx context.Context, places []int) error {
	if len(places) == 1 {
		return e.one(ctx, places[0])
	}
	err := e.store.write(ctx, func(t *tx) (err error) {
		for _, i := range places {
			if e.results[i].Items, err = insertAll(ctx, t, e.batches[i].Items); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.As(err, new(*task.Error)) || wire.Refusal(err) {
		for _, i := range places {
			e.results[i] = store.BatchResult{}
		}
		return e.apart(ctx, places)
	}
	return err
}

// isUnusual reports whether a batch has dedupe keys or members of groups.
func isUnusual(items []store.Insert) bool {
	for i := range items {
		if items[i].Dedupe != nil || !items[i].Task.Spec.Group.IsZero() {
			return true
		}
	}
	return false
}

// halving inserts together. When a task is not new, or is refused for its
// data, halves go by themselves until that batch is alone.
func (e *enqueuing) halving(ctx context.Context, places []int) error {
	err := e.together(ctx, places)
	switch {
	case err == nil:
		return nil
	case wire.CodeOf(err) == wire.CodeNoRight: // which those without keys may not need
		return e.apart(ctx, places)
	case !wire.Refusal(err) && (!e.store.spread || wire.CodeOf(err) != wire.CodeInternal): // so Citus calls what a machine refuses of a COPY
		return err
	case len(places) == 1:
		return e.one(ctx, places[0])
	}
	half := len(places) / 2
	return errors.Join(e.halving(ctx, places[:half]), e.halving(ctx, places[half:]))
}

// together inserts new tasks in one transaction. It fails with nothing done
// if one is not new.
func (e *enqueuing) together(ctx context.Context, places []int) error {
	var items []store.Insert
	for _, i := range places {
		items = append(items, e.batches[i].Items...)
	}
	insert, err := e.allNew(items)
	if err != nil {
		return e.apart(ctx, places)
	}
	made, err := insert(ctx)
	if err != nil {
		return err
	}
	for _, i := range places {
		n := len(e.batches[i].Items)
		e.results[i].Items, made = made[:n:n], made[n:]
	}
	return nil
}

// allNew is the way to insert new tasks in one transaction. It refuses specs that
// cannot be stored.
func (e *enqueuing) allNew(items []store.Insert) (func(context.Context) ([]store.Inserted, error), error) {
	if len(items) >= copyFrom {
		in, err := newCopying(items)
		return func(ctx context.Context) ([]store.Inserted, error) { return e.copy(ctx, in) }, err
	}
	in, err := newInserts(items)
	if e.store.spread {
		return func(ctx context.Context) ([]store.Inserted, error) { return e.insertSpread(ctx, in) }, err
	}
	return func(ctx context.Context) ([]store.Inserted, error) { return e.insert(ctx, in) }, err
}

// insert is copy for fewer tasks: one round trip.
func (e *enqueuing) insert(ctx context.Context, in *inserts) ([]store.Inserted, error) {
	look := e.store.readAhead.beginOf(in.ids)
	defer look.end()
	made := make([]store.Inserted, 0, len(in.items))
	_, err := e.store.pipeline(ctx, &wire.Call{
		Query: insertNew, Args: in.args(e.store.offset()), Start: func() { made = made[:0] },
		Scan: func(r wire.Row) error {
			made = append(made, inserted(in.items[len(made)].Task, r.Int(0), r.Int(1), r.Int(2), r.Int(3)))
			return nil
		},
	}, in.noneEnded())
	if err != nil {
		return nil, err
	}
	for i := range made {
		look.inserted(in.items[i].Task, &made[i], in.specs[i], in.payloads[i])
	}
	return made, nil
}

// apart inserts batches one by one.
func (e *enqueuing) apart(ctx context.Context, places []int) error {
	for _, i := range places {
		if err := e.one(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// idSkew is how far the clock of whoever makes ids may be ahead of the
// database's.
const idSkew = 24 * time.Hour

// noneEnded checks that no task has ended already. A task ends after its id
// was made, but for clocks that differ; who is ahead by more has all ends
// looked through.
func (in *inserts) noneEnded() *wire.Call {
	low, high := in.ids[0], in.ids[0]
	for _, id := range in.ids {
		if id.Compare(low) < 0 {
			low = id
		}
		if id.Compare(high) > 0 {
			high = id
		}
	}
	earliest := low.Time().Add(-idSkew).UnixMicro()
	if time.Until(high.Time()) > idSkew/2 {
		earliest = 0
	}
	if high.Time().Sub(low.Time()) > time.Second {
		return &wire.Call{Query: noneEndedApart, Args: []any{in.ids, earliest}}
	}
	return &wire.Call{Query: noneEnded, Args: []any{in.ids, low, high, earliest}}
}

// one inserts a batch with all that may be unusual about it, in a transaction
// of its own.
func (e *enqueuing) one(ctx context.Context, i int) error {
	var items []store.Inserted
	err := e.store.write(ctx, func(t *tx) (err error) {
		items, err = insertAll(ctx, t, e.batches[i].Items)
		return err
	})
	var typed *task.Error
	switch {
	case err == nil:
		e.results[i].Items = items
	case wire.CodeOf(err) == wire.CodeNoRight:
		return e.refused(ctx, i, err)
	case errors.As(err, &typed):
		e.results[i].Err = err
	case wire.Refusal(err):
		e.results[i].Err = refusedData(err)
	default:
		return err
	}
	return nil
}

// refused answers a batch that lacks a right. A call before this one, whose answer
// was lost, may have inserted it while the right was there: its tasks are the
// answer then.
func (e *enqueuing) refused(ctx context.Context, i int, refusal error) error {
	batch := e.batches[i].Items
	items := make([]store.Inserted, len(batch))
	err := e.store.read(ctx, func(c wire.Session) (err error) {
		for at := 0; at < len(batch) && err == nil; at++ {
			items[at], err = sameTask(ctx, c, batch[at].Task)
		}
		return err
	})
	switch {
	case err == nil:
		e.results[i].Items = items
	case errors.Is(err, &task.Error{Code: task.CodeNotFound}), wire.CodeOf(err) == wire.CodeNoRight:
		e.results[i].Err = refusal
	default:
		return err
	}
	return nil
}
