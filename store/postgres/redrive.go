package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// lockLetters reads and locks what the counters and redrive need of dead
	// letters: the loser of a race waits and finds nothing.
	lockLetters = newQuery(`SELECT id, type, reason, category, fingerprint, priority, attempt, spec FROM outlast_dead WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE`)

	// revive copies a dead letter back to the live tasks. Inputs: id, run_at,
	// rank, attempts, payload (null: its own), now, spec.
	revive = newQuery(`INSERT INTO outlast_task (id, lane, priority, park, rank, run_at, claim, seq, created_at, updated_at, attempt, crashes, queue, type, target,
 policy, key, spec, last_error, payload)
SELECT id, lane, priority, 0, $3::bigint, $2::bigint, claim, seq, created_at, $6::bigint, $4::bigint, 0, queue, type, target,
 policy, key, $7::text, last_error, coalesce($5::bytea, payload) FROM outlast_dead WHERE id = $1::uuid`)

	deleteLetters = newQuery(`DELETE FROM outlast_dead WHERE id = ANY($1::uuid[])`)
	dropHolds     = newQuery(`DELETE FROM outlast_key_hold WHERE lane = ANY($2::integer[]) AND id = ANY($1::uuid[])`)

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
)

// letter is a dead letter as lockLetters reads it.
type letter struct {
	stored.Letter
	priority, attempts int
	spec               task.Spec
}

// Redrive implements [store.Admin].
func (s *Store) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done, missing []task.ID, err error) {
	if len(options.Payload) > task.MaxPayload {
		return nil, nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large"}
	}
	err = s.partitioning(ctx, func() error {
		return s.write(ctx, func(t *tx) error {
			done, missing = nil, nil
			letters, err := t.lockLetters(ctx, ids)
			if err != nil {
				return err
			}
			for i, id := range ids {
				l := letters[id]
				if l == nil || slices.Contains(done, id) {
					missing = append(missing, id)
					continue
				}
				var at time.Time
				if i < len(options.RunAt) {
					at = options.RunAt[i]
				}
				if err := t.revive(ctx, l, at, options); err != nil {
					return err
				}
				done = append(done, id)
			}
			return t.removeLetters(ctx, letters)
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return done, missing, nil
}

func (t *tx) lockLetters(ctx context.Context, ids []task.ID) (map[task.ID]*letter, error) {
	letters := make(map[task.ID]*letter, len(ids))
	err := each(ctx, t, lockLetters, func(r row) error {
		l := &letter{Letter: stored.Letter{ID: r.id(0), Type: r.text(1), Reason: r.text(2), Category: r.text(3), Fingerprint: r.text(4)},
			priority: int(r.int(5)), attempts: int(r.int(6))}
		var err error
		l.spec, err = stored.ParseSpec(r[7])
		letters[l.ID] = l
		return err
	}, ids)
	return letters, err
}

// revive inserts the task of a letter again, with its history.
func (t *tx) revive(ctx context.Context, l *letter, at time.Time, options store.RedriveOptions) error {
	redriven := l.spec.Redriven(t.time())
	spec, err := stored.Spec(&redriven)
	if err != nil {
		return err
	}
	if at.IsZero() {
		at = t.time()
	}
	attempts := l.attempts
	if !options.KeepAttempts {
		attempts = 0
	}
	attempted, err := readDeadHistory(ctx, t, l.ID)
	if err != nil {
		return err
	}
	_, err = exec(ctx, t, revive, l.ID, at.UnixMicro(), task.Rank(at, l.priority), attempts, options.Payload, t.now, jsonText(spec))
	if err != nil {
		return err
	}
	var h history
	for i := range attempted {
		h.add(l.ID, &attempted[i])
	}
	return h.insert(ctx, t)
}

// removeLetters deletes dead letters with the holds on their keys and takes
// them out of the counters, which come last: every other death waits for them
// until the commit.
func (t *tx) removeLetters(ctx context.Context, letters map[task.ID]*letter) error {
	if len(letters) == 0 {
		return nil
	}
	var ids []task.ID
	var lanes []int32
	var prints []string
	var counted []stored.Letter
	for id, l := range letters {
		ids, lanes = append(ids, id), append(lanes, int32(id.Lane()))
		prints, counted = append(prints, l.Fingerprint), append(counted, l.Letter)
	}
	if err := t.run(ctx, &call{query: deleteLetters, args: []any{ids}}, &call{query: dropHolds, args: []any{ids, lanes}}); err != nil {
		return err
	}
	if err := t.count(ctx, -1, counted...); err != nil {
		return err
	}
	return t.run(ctx,
		&call{query: lockGroups, args: []any{prints}},
		&call{query: lowerGroups, args: []any{prints}},
		&call{query: dropGroups, args: []any{prints}},
		&call{query: replaceExamples, args: []any{prints, ids}})
}

// Purge implements [store.Admin].
func (s *Store) Purge(ctx context.Context, filter store.Filter, limit int) (purged []*task.Task, err error) {
	if limit <= 0 {
		return nil, nil
	}
	w := deadWhere(filter)
	text, args := s.numbered(`SELECT `+deadColumns+`, category, fingerprint FROM outlast_dead WHERE `+w.String()+` ORDER BY id LIMIT ? FOR UPDATE`, append(w.Args, limit))
	err = s.write(ctx, func(t *tx) error {
		purged = nil
		letters := map[task.ID]*letter{}
		err := t.run(ctx, &call{text: text, args: args, scan: func(r row) error {
			found, err := scanTask(r)
			purged = append(purged, found)
			letters[found.ID] = &letter{Letter: stored.Letter{ID: found.ID, Type: found.Type, Reason: string(found.DeadReason),
				Category: r.text(taskWidth), Fingerprint: r.text(taskWidth + 1)}}
			return err
		}})
		if err != nil {
			return err
		}
		return t.removeLetters(ctx, letters)
	})
	if err != nil {
		return nil, err
	}
	return purged, nil
}
