package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// bury moves a row to the dead letters, under the lock of its row in
	// outlast_run, which goes before. Inputs: id, claim, started at (0 for
	// none), finished at, attempts spent, cancel requested, error, node,
	// reason, category, fingerprint, fallback, attempts as JSON.
	bury = newQuery(`WITH t AS (DELETE FROM outlast_task WHERE id = $1::uuid RETURNING *)
INSERT INTO outlast_dead (id, lane, priority, run_at, claim, seq, created_at, started_at, finished_at, attempt, crashes, cancel, queue, type, target,
 policy, key, spec, last_error, node, reason, category, fingerprint, fallback, attempts, payload)
SELECT id, lane, priority, run_at, $2::bigint, seq, created_at, nullif($3::bigint, 0), $4::bigint, $5::bigint, crashes, $6::boolean, queue, type, target,
 policy, key, spec, coalesce($7::text, last_error), $8::text, $9::text, $10::text, $11::text, $12::uuid, $13::text, payload FROM t`)

	// lastError reads the error that a live row keeps.
	lastError = newQuery(`SELECT last_error FROM outlast_task WHERE id = $1::uuid`)

	deleteAttempts = newQuery(`DELETE FROM outlast_attempt WHERE id = ANY($1::uuid[])`)

	// holdKey blocks a key by a dead letter, which was its head.
	holdKey = newQuery(`INSERT INTO outlast_key_hold (lane, key, id, mode, since) VALUES ($1::integer, $2::text, $3::uuid, $4::text, $5::bigint)
ON CONFLICT (lane, key) DO UPDATE SET id = excluded.id, mode = excluded.mode, since = excluded.since`)

	// addCounts adds to counters, in their order: all who change several lock
	// them alike.
	addCounts = newQuery(`INSERT INTO outlast_dead_count AS c (kind, name, count)
SELECT kind, name, sum(n)::bigint FROM unnest($1::text[], $2::text[], $3::bigint[]) AS u (kind, name, n) GROUP BY kind, name ORDER BY kind COLLATE "C", name COLLATE "C"
ON CONFLICT (kind, name) DO UPDATE SET count = c.count + excluded.count`)

	// countGroup adds a letter to its group. Inputs: fingerprint, type,
	// reason, category, message, time, id.
	countGroup = newQuery(`INSERT INTO outlast_dead_group AS g (fingerprint, count, type, reason, category, message, first_seen, last_seen, example)
VALUES ($1::text, 1, $2::text, $3::text, $4::text, $5::text, $6::bigint, $6::bigint, $7::uuid)
ON CONFLICT (fingerprint) DO UPDATE SET count = g.count + 1, reason = excluded.reason, message = excluded.message, example = excluded.example,
last_seen = greatest(g.last_seen, excluded.last_seen), first_seen = least(g.first_seen, excluded.first_seen)`)
)

// die moves the row to the dead letters, with its attempts, the hold on its
// key and the counters. The counters come last: every other death waits for
// them until the commit.
func (t *tx) die(ctx context.Context, a *ending.Attempt, live *ending.Row) (store.Settled, error) {
	if err := t.record(ctx, a, 0); err != nil {
		return store.Settled{}, err
	}
	failure, err := t.lastFailure(ctx, a)
	if err != nil {
		return store.Settled{}, err
	}
	letter := stored.NewLetter(a.ID, live.Entry.Type, a.DeadReason, failure, a.Ended)
	for _, text := range [...]*string{&letter.Category, &letter.Message, &letter.Fingerprint} {
		*text = plainText(*text)
	}
	if err := t.bury(ctx, a, live, &letter, failure); err != nil {
		return store.Settled{}, err
	}
	if live.Entry.Key != "" && a.OrderOnDead != "skip" {
		_, err := exec(ctx, t, holdKey, a.ID.Lane(), live.Entry.Key, a.ID, cmp.Or(a.OrderOnDead, "block"), t.now)
		if err != nil {
			return store.Settled{}, err
		}
	}
	if err := t.follow(ctx, a.Follow); err != nil {
		return store.Settled{}, err
	}
	if err := t.count(ctx, 1, letter); err != nil {
		return store.Settled{}, err
	}
	_, err = exec(ctx, t, countGroup, letter.Fingerprint, letter.Type, letter.Reason, letter.Category, letter.Message, letter.At, letter.ID)
	return store.Settled{Status: store.StatusOK, State: task.Dead}, err
}

func (t *tx) bury(ctx context.Context, a *ending.Attempt, live *ending.Row, letter *stored.Letter, failure *task.Failure) error {
	history, err := readHistory(ctx, t, a.ID)
	if err != nil {
		return err
	}
	attempts, err := stored.Attempts(history)
	if err != nil {
		return errRefused{refusedData(err)}
	}
	text, err := stored.Failure(failure)
	if err != nil {
		return errRefused{refusedData(err)}
	}
	var fallback any
	if !a.Task.FallbackTask.IsZero() {
		fallback = a.Task.FallbackTask
	}
	return t.run(ctx,
		&call{query: deleteRun, args: []any{a.ID}},
		&call{query: bury, args: []any{a.ID, a.Claim, stored.Micro(a.Started), letter.At, a.After, live.Cancel, jsonText(text), optional(a.Node),
			letter.Reason, letter.Category, letter.Fingerprint, fallback, jsonText(attempts)}},
		&call{query: deleteAttempts, args: []any{[]task.ID{a.ID}}})
}

// lastFailure is the settlement's failure, else the one that the row keeps.
func (t *tx) lastFailure(ctx context.Context, a *ending.Attempt) (failure *task.Failure, err error) {
	if a.Failure != nil {
		return a.Failure, nil
	}
	var bad error
	_, err = one(ctx, t, lastError, func(r row) { failure, bad = stored.ParseFailure(r[0]) }, a.ID)
	return failure, cmp.Or(err, bad)
}

// plainText is text as a column takes it, without NUL. Where JSON keeps the
// same text nothing is lost.
func plainText(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// count adds letters to the counters, or with -1 takes them out.
func (t *tx) count(ctx context.Context, n int64, letters ...stored.Letter) error {
	var kinds, names []string
	for i := range letters {
		for _, counter := range letters[i].Counters() {
			kinds, names = append(kinds, counter[0]), append(names, counter[1])
		}
	}
	_, err := exec(ctx, t, addCounts, kinds, names, slices.Repeat([]int64{n}, len(kinds)))
	return err
}
