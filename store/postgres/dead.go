package postgres

import (
	"cmp"
	"context"
	"math"
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
	bury = newQuery(takeRow+buryInsert+` FROM t`, buryInsert+fromRow, deleteRow)

	// lastError reads the error that a live row keeps.
	lastError = newQuery(`SELECT last_error FROM outlast_task WHERE id = $1::uuid /*lane of $1::uuid*/`)

	deleteAttempts = newQuery(`DELETE FROM outlast_attempt WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

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

const buryInsert = `INSERT INTO outlast_dead (id, lane, priority, run_at, claim, seq, created_at, started_at, finished_at, attempt, crashes, cancel, queue, type, target,
 policy, key, spec, last_error, node, reason, category, fingerprint, fallback, attempts, payload)
SELECT id, lane, priority, run_at, $2::bigint, seq, created_at, nullif($3::bigint, 0), $4::bigint, $5::bigint, crashes, $6::boolean, queue, type, target,
 policy, key, spec, coalesce($7::text, last_error), $8::text, $9::text, $10::text, $11::text, $12::uuid, $13::text, payload`

// die moves the row to the dead letters, with its attempts and the hold on its
// key. The counters come later: see countLetters.
func (t *tx) die(ctx context.Context, a *ending.Attempt, live *ending.Row) (store.Settled, error) {
	failure, err := t.lastFailure(ctx, a)
	if err != nil {
		return store.Settled{}, err
	}
	letter := stored.NewLetter(a.ID, live.Entry.Type, a.DeadReason, failure, t.now)
	for _, text := range [...]*string{&letter.Category, &letter.Message, &letter.Fingerprint} {
		*text = plainText(*text)
	}
	buried, err := t.bury(ctx, a, live, &letter, failure)
	if err != nil {
		return store.Settled{}, err
	}
	calls := []*call{{query: deleteRun, args: []any{a.ID}}, buried, {query: deleteAttempts, args: []any{[]task.ID{a.ID}}}}
	if live.Entry.Key == "" {
		t.dead = append(t.dead, a.Task)
	}
	if live.Entry.Key != "" && a.OrderOnDead != "skip" {
		calls = append(calls, &call{query: holdKey, args: []any{a.ID.Lane(), live.Entry.Key, a.ID, cmp.Or(a.OrderOnDead, "block"), t.now}})
	}
	if err := t.run(ctx, calls...); err != nil {
		return store.Settled{}, err
	}
	t.letters = append(t.letters, letter)
	return store.Settled{Status: store.StatusOK, State: task.Dead}, t.follow(ctx, a.Follow)
}

// countLetters adds the letters of the transaction to the counters and groups,
// and takes them out of their batches, just before the commit: every other death
// waits for them from here on.
func (t *tx) countLetters(ctx context.Context) error {
	if len(t.letters) == 0 {
		return nil
	}
	if err := t.leaveBatches(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(t.letters, func(a, b stored.Letter) int { return cmp.Compare(a.Fingerprint, b.Fingerprint) })
	if err := t.count(ctx, 1, t.letters...); err != nil {
		return err
	}
	var calls []*call
	for _, l := range t.letters {
		calls = append(calls, &call{query: countGroup, args: []any{l.Fingerprint, l.Type, l.Reason, l.Category, l.Message, l.At, l.ID}})
	}
	return t.run(ctx, calls...)
}

// leaveBatches takes what has died out of the batches that have it.
func (t *tx) leaveBatches(ctx context.Context) error {
	if len(t.dead) == 0 {
		return nil
	}
	ids, first := make([]task.ID, len(t.dead)), int64(math.MaxInt64)
	for i, dead := range t.dead {
		ids[i], first = dead.ID, min(first, stored.Micro(dead.CreatedAt))
	}
	var calls []*call
	for _, part := range t.store.byLane(ids) {
		lanes := map[uint16]bool{}
		for _, id := range part {
			lanes[id.Lane()] = true
		}
		calls = append(calls, &call{query: leaveBatches, args: []any{laneList(lanes), first, part}})
	}
	return t.run(ctx, calls...)
}

// bury is the statement that makes a letter of the row, with its history and
// the attempt that ended it.
func (t *tx) bury(ctx context.Context, a *ending.Attempt, live *ending.Row, letter *stored.Letter, failure *task.Failure) (*call, error) {
	history, err := readHistory(ctx, t, a.ID)
	if err != nil {
		return nil, err
	}
	last, badLast := stored.Failure(a.Failure)
	text, badText := stored.Failure(failure)
	if !a.Unstarted {
		history = append(history, stored.Attempt{
			Number: a.Number, Claim: a.Claim, Node: a.Node, StartedAt: stored.Micro(a.Started), EndedAt: a.Ended, Outcome: a.Outcome, Failure: last,
			Label: a.Label.String(),
		})
	}
	attempts, bad := stored.Attempts(history)
	if err := cmp.Or(badLast, badText, bad); err != nil {
		return nil, errRefused{refusedData(err)}
	}
	var fallback any
	if !a.Task.FallbackTask.IsZero() {
		fallback = a.Task.FallbackTask
	}
	return &call{query: bury, args: []any{
		a.ID, a.Claim, stored.Micro(a.Started), letter.At, a.After, live.Cancel, jsonText(text), optional(a.Node),
		letter.Reason, letter.Category, letter.Fingerprint, fallback, jsonText(attempts),
	}}, nil
}

// lastFailure is the settlement's failure, else the one that the row keeps.
func (t *tx) lastFailure(ctx context.Context, a *ending.Attempt) (failure *task.Failure, err error) {
	if a.Failure != nil {
		return a.Failure, nil
	}
	_, err = one(ctx, t, lastError, func(r row) { failure = stored.FailureOf(r[0]) }, a.ID)
	return failure, err
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
