package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// lockLetters reads and locks what the counters and redrive need of dead
	// letters: the loser of a race waits and finds nothing.
	lockLetters = newQuery(`SELECT id, type, reason, category, fingerprint, priority, attempt, spec, attempts, queue, claim FROM outlast_dead WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/ ORDER BY id FOR UPDATE`)

	// weighLetters tells how much of dead letters goes back.
	weighLetters = newQuery(`SELECT id, coalesce(octet_length(spec), 0) + coalesce(octet_length(attempts), 0) + octet_length(payload) FROM outlast_dead WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

	// revive copies dead letters back to the live tasks. Inputs: now, payload
	// (null: their own), ids, run at, ranks, attempts, specs.
	revive = newQuery(`INSERT INTO outlast_task (id, lane, priority, park, rank, run_at, claim, seq, created_at, updated_at, attempt, crashes, queue, type, target,
 policy, key, spec, last_error, failed_at, payload)
SELECT d.id, d.lane, d.priority, 0, u.rank, u.run_at, d.claim, d.seq, d.created_at, $1::bigint, u.attempt, 0, d.queue, d.type, d.target,
 d.policy, d.key, u.spec, d.last_error, d.finished_at, coalesce($2::bytea, d.payload)
FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[]) AS u (id, run_at, rank, attempt, spec)
JOIN outlast_dead d ON d.id = u.id WHERE true /*d.lane of ($3::uuid[])[1]*/`)

	deleteLetters = newQuery(`DELETE FROM outlast_dead WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)
	dropHolds     = newQuery(`DELETE FROM outlast_key_hold WHERE lane = ANY($2::integer[]) AND id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

	// lockGroups takes the locks of groups in their order.
	lockGroups = newQuery(`SELECT 1 FROM outlast_dead_group WHERE fingerprint = ANY($1::text[]) ORDER BY fingerprint FOR UPDATE`)

	// lowerGroups takes letters out of their groups, each fingerprint as often
	// as it is given.
	lowerGroups = newQuery(`UPDATE outlast_dead_group g SET count = g.count - u.n
FROM (SELECT fingerprint, count(*) AS n FROM unnest($1::text[]) AS f (fingerprint) GROUP BY fingerprint) u WHERE g.fingerprint = u.fingerprint`)

	dropGroups = newQuery(`DELETE FROM outlast_dead_group WHERE fingerprint = ANY($1::text[]) AND count <= 0`)

	// replaceExamples gives groups another example when theirs is gone, after
	// the letters were deleted.
	replaceExamples = newQuery(`UPDATE outlast_dead_group g SET example = (SELECT d.id FROM outlast_dead d WHERE d.fingerprint = g.fingerprint ORDER BY d.id DESC LIMIT 1)
WHERE g.fingerprint = ANY($1::text[]) AND g.example = ANY($2::uuid[])`)

	// lostExamples, newestLetter and putExample are replaceExamples where
	// tables are distributed.
	lostExamples = newQuery(`SELECT fingerprint FROM outlast_dead_group WHERE fingerprint = ANY($1::text[]) AND example = ANY($2::uuid[])`)
	newestLetter = newQuery(`SELECT id FROM outlast_dead WHERE fingerprint = $1::text ORDER BY id DESC LIMIT 1`)
	putExample   = newQuery(`UPDATE outlast_dead_group SET example = $2::uuid WHERE fingerprint = $1::text`)
)

// letter is a dead letter as lockLetters reads it.
type letter struct {
	stored.Letter
	queue              string
	priority, attempts int
	claim              int64
	spec               task.Spec
	history            []stored.Attempt
	at                 time.Time // when it runs again, zero for now
}

// Redrive implements [store.Admin]. What is large goes back in several transactions.
func (s *Store) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	if !store.Fits(options.Payload, task.MaxPayload) {
		return nil, nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large"}
	}
	sizes := make(map[task.ID]int, len(ids))
	err = s.read(ctx, func(on session) error {
		var calls []*call
		for _, part := range s.byLane(ids) {
			calls = append(calls, &call{query: weighLetters, args: []any{part}, scan: func(r row) error {
				sizes[r.ID(0)] = int(r.Int(1))
				return nil
			}})
		}
		return on.run(ctx, calls...)
	})
	if err != nil {
		return nil, nil, err
	}
	return stored.Redrive(ids, sizes, options, func(ids []task.ID, options store.RedriveOptions) ([]store.Redriven, []task.ID, error) {
		return s.redrive(ctx, ids, options)
	})
}

// redrive sends letters back in one transaction.
func (s *Store) redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	err = s.partitioning(ctx, func() error {
		return s.write(ctx, func(t *tx) error {
			done, missing = nil, nil
			letters, err := t.lockLetters(ctx, ids)
			if err != nil {
				return err
			}
			revived := make(map[task.ID]*letter, len(letters))
			for i, id := range ids {
				l := letters[id]
				if l == nil || revived[id] != nil || options.Operation != "" && l.spec.Redrive == options.Operation {
					missing = append(missing, id)
					continue
				}
				if i < len(options.RunAt) {
					l.at = options.RunAt[i]
				}
				done, revived[id] = append(done, l.was()), l
			}
			if len(done) == 0 {
				return nil
			}
			if err := t.revive(ctx, revived, options); err != nil {
				return err
			}
			if err := t.removeLetters(ctx, revived); err != nil {
				return err
			}
			return t.log(ctx, options.Audit)
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return done, missing, nil
}

func (t *tx) lockLetters(ctx context.Context, ids []task.ID) (map[task.ID]*letter, error) {
	letters := make(map[task.ID]*letter, len(ids))
	scan := func(r row) error {
		l := &letter{Letter: stored.Letter{ID: r.ID(0), Type: r.Text(1), Reason: r.Text(2), Category: r.Text(3), Fingerprint: r.Text(4)},
			priority: int(r.Int(5)), attempts: int(r.Int(6)), queue: r.Text(9), claim: r.Int(10)}
		var err error
		if l.spec = stored.SpecOf(r[7]); l.spec.Unreadable != "" {
			return nil // it stays: what cannot be read cannot be written again
		}
		l.history, err = stored.ParseAttempts(r[8])
		letters[l.ID] = l
		return err
	}
	var calls []*call
	for _, part := range t.store.byLane(ids) {
		calls = append(calls, &call{query: lockLetters, args: []any{part}, scan: scan})
	}
	if len(calls) == 0 {
		return letters, nil
	}
	return letters, t.run(ctx, calls...)
}

// was is what is told of the letter when it was sent back.
func (l *letter) was() store.Redriven {
	return store.Redriven{ID: l.ID, Type: l.Type, Queue: l.queue, Attempt: l.attempts, Claim: l.claim, TraceParent: l.spec.TraceParent}
}

// revive inserts the tasks of letters again, and puts their histories back.
func (t *tx) revive(ctx context.Context, letters map[task.ID]*letter, options store.RedriveOptions) error {
	var calls []*call
	for _, part := range t.store.byLane(slices.Collect(maps.Keys(letters))) {
		var runs, ranks, attempts []int64
		var specs jsons
		var past history
		for _, id := range part {
			l := letters[id]
			redriven := l.spec.Redriven(t.time(), options.Operation)
			spec, err := stored.Spec(&redriven)
			if err != nil {
				return err
			}
			at, spent := l.at, int64(0)
			if at.IsZero() {
				at = t.time()
			}
			if options.KeepAttempts {
				spent = int64(l.attempts)
			}
			runs, ranks, attempts, specs = append(runs, at.UnixMicro()), append(ranks, task.Rank(at, l.priority)), append(attempts, spent), append(specs, spec)
			for i := range l.history {
				past.add(id, &l.history[i])
			}
		}
		calls = append(calls, &call{query: revive, args: []any{t.now, options.Payload, part, runs, ranks, attempts, specs}})
		if len(past.ids) > 0 {
			calls = append(calls, past.call(t.now))
		}
	}
	return t.run(ctx, calls...)
}

// removeLetters deletes dead letters with the holds on their keys and takes
// them out of the counters, which come last: every other death waits for them
// until the commit.
func (t *tx) removeLetters(ctx context.Context, letters map[task.ID]*letter) error {
	if len(letters) == 0 {
		return nil
	}
	var ids []task.ID
	var prints []string
	var counted []stored.Letter
	for id, l := range letters {
		ids = append(ids, id)
		prints, counted = append(prints, l.Fingerprint), append(counted, l.Letter)
	}
	var calls []*call
	for _, part := range t.store.byLane(ids) {
		lanes := make([]int32, len(part))
		for i, id := range part {
			lanes[i] = int32(id.Lane())
		}
		calls = append(calls, &call{query: deleteLetters, args: []any{part}}, &call{query: dropHolds, args: []any{part, lanes}})
	}
	if err := t.run(ctx, calls...); err != nil {
		return err
	}
	if err := t.count(ctx, -1, counted...); err != nil {
		return err
	}
	err := t.run(ctx,
		&call{query: lockGroups, args: []any{prints}},
		&call{query: lowerGroups, args: []any{prints}},
		&call{query: dropGroups, args: []any{prints}})
	if err != nil {
		return err
	}
	return t.replaceExamples(ctx, prints, ids)
}

func (t *tx) replaceExamples(ctx context.Context, prints []string, ids []task.ID) error {
	if !t.store.spread {
		_, err := exec(ctx, t, replaceExamples, prints, ids)
		return err
	}
	var lost []string
	err := each(ctx, t, lostExamples, func(r row) error {
		lost = append(lost, r.Text(0))
		return nil
	}, prints, ids)
	for _, fingerprint := range lost {
		var newest task.ID
		if err == nil {
			_, err = one(ctx, t, newestLetter, func(r row) { newest = r.ID(0) }, fingerprint)
		}
		if err == nil {
			_, err = exec(ctx, t, putExample, fingerprint, newest)
		}
	}
	return err
}

// Purge implements [store.Admin].
func (s *Store) Purge(ctx context.Context, filter store.Filter, limit int, audit ...store.Audit) (purged []*task.Task, err error) {
	if limit <= 0 {
		return nil, nil
	}
	err = s.write(ctx, func(t *tx) error {
		purged = nil
		letters := map[task.ID]*letter{}
		calls, err := t.lockMatching(ctx, filter, limit)
		for _, one := range calls {
			one.scan = func(r row) error {
				found := scanTask(r)
				purged = append(purged, found)
				letters[found.ID] = &letter{Letter: stored.Letter{ID: found.ID, Type: found.Type, Reason: string(found.DeadReason),
					Category: r.Text(taskWidth), Fingerprint: r.Text(taskWidth + 1)}}
				return nil
			}
		}
		if err == nil && len(calls) > 0 {
			err = t.run(ctx, calls...)
		}
		if err != nil {
			return err
		}
		slices.SortFunc(purged, func(a, b *task.Task) int { return a.ID.Compare(b.ID) })
		if err := t.removeLetters(ctx, letters); err != nil || len(purged) == 0 {
			return err
		}
		return t.log(ctx, audit)
	})
	if err != nil {
		return nil, err
	}
	return purged, nil
}

// lockMatching are calls that read and lock the dead letters that match, the
// oldest first. Citus locks rows of one machine at a time: there the letters
// are found first, and what still matches of each lane is locked.
func (t *tx) lockMatching(ctx context.Context, filter store.Filter, limit int) (calls []*call, err error) {
	const locked = `SELECT ` + deadColumns + `, category, fingerprint FROM outlast_dead WHERE %s ORDER BY id LIMIT ? FOR UPDATE`
	w := deadWhere(filter)
	if !t.store.spread {
		text, args := t.store.numbered(fmt.Sprintf(locked, w), append(w.Args, limit))
		return []*call{{text: text, args: args}}, nil
	}
	var ids []task.ID
	text, args := t.store.numbered(`SELECT id FROM outlast_dead WHERE `+w.String()+` ORDER BY id LIMIT ?`, append(w.Args, limit))
	err = t.run(ctx, &call{text: text, args: args, scan: func(r row) error {
		ids = append(ids, r.ID(0))
		return nil
	}})
	if err != nil {
		return nil, err
	}
	for _, part := range t.store.byLane(ids) {
		w := deadWhere(filter)
		w.And(`id = ANY(?::uuid[]) AND lane = ?::integer`, part, int32(part[0].Lane()))
		text, args := t.store.numbered(fmt.Sprintf(locked, w), append(w.Args, limit))
		calls = append(calls, &call{text: text, args: args})
	}
	return calls, nil
}
