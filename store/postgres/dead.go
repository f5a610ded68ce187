package postgres

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// bury moves a row to the dead letters, under the lock of its row in
	// outlast_run, which goes before. Inputs: id, claim, started at (0 for
	// none), finished at, attempts spent, cancel requested, error, node,
	// reason, category, fingerprint, fallback, attempts as JSON.
	bury = wire.NewQuery(takeRow+buryInsert+` FROM t`, buryInsert+fromRow, deleteRow)

	// lastError reads the error that a live row keeps.
	lastError = wire.NewQuery(`SELECT last_error FROM outlast_task WHERE id = $1::uuid /*lane of $1::uuid*/`)

	deleteAttempts = wire.NewQuery(`DELETE FROM outlast_attempt WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

	// holdKey blocks a key by a dead letter, which was its head.
	holdKey = wire.NewQuery(`INSERT INTO outlast_key_hold (lane, key, id, mode, since) VALUES ($1::integer, $2::text, $3::uuid, $4::text, $5::bigint)
ON CONFLICT (lane, key) DO UPDATE SET id = excluded.id, mode = excluded.mode, since = excluded.since`)

	// addCounts adds to counters, in their order: all who change several lock
	// them alike.
	addCounts = wire.NewQuery(`INSERT INTO outlast_dead_count AS c (kind, name, count)
SELECT kind, name, sum(n)::bigint FROM unnest($1::text[], $2::text[], $3::bigint[]) AS u (kind, name, n) GROUP BY kind, name ORDER BY kind COLLATE "C", name COLLATE "C"
ON CONFLICT (kind, name) DO UPDATE SET count = c.count + excluded.count`)

	// countGroup adds a letter to its group. Inputs: fingerprint, type,
	// reason, category, message, time, id.
	countGroup = wire.NewQuery(`INSERT INTO outlast_dead_group AS g (fingerprint, count, type, reason, category, message, first_seen, last_seen, example)
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
	calls := []*wire.Call{{Query: deleteRun, Args: []any{a.ID}}, buried, {Query: deleteAttempts, Args: []any{[]task.ID{a.ID}}}}
	if live.Entry.Key == "" {
		t.dead = append(t.dead, a.Task)
	}
	if live.Entry.Key != "" && a.OrderOnDead != "skip" {
		calls = append(calls, &wire.Call{Query: holdKey, Args: []any{a.ID.Lane(), live.Entry.Key, a.ID, cmp.Or(a.OrderOnDead, "block"), t.now}})
	}
	if err := t.Run(ctx, calls...); err != nil {
		return store.Settled{}, err
	}
	t.letters = append(t.letters, letter)
	t.counts.Ended(a.Task, task.Dead)
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
	var calls []*wire.Call
	for _, l := range t.letters {
		calls = append(calls, &wire.Call{Query: countGroup, Args: []any{l.Fingerprint, l.Type, l.Reason, l.Category, l.Message, l.At, l.ID}})
	}
	return t.Run(ctx, calls...)
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
	var calls []*wire.Call
	for _, part := range t.store.byLane(ids) {
		lanes := map[uint16]bool{}
		for _, id := range part {
			lanes[id.Lane()] = true
		}
		calls = append(calls, &wire.Call{Query: leaveBatches, Args: []any{laneList(lanes), first, part}})
	}
	return t.Run(ctx, calls...)
}

// bury is the statement that makes a letter of the row, with its history and
// the attempt that ended it.
func (t *tx) bury(ctx context.Context, a *ending.Attempt, live *ending.Row, letter *stored.Letter, failure *task.Failure) (*wire.Call, error) {
	history, err := sqlstore.History(t.reader(ctx), &own, a.ID)
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
	return &wire.Call{Query: bury, Args: []any{
		a.ID, a.Claim, stored.Micro(a.Started), letter.At, a.After, live.Cancel, wire.JSONText(text), wire.Optional(a.Node),
		letter.Reason, letter.Category, letter.Fingerprint, fallback, wire.JSONText(attempts),
	}}, nil
}

// lastFailure is the settlement's failure, else the one that the row keeps.
func (t *tx) lastFailure(ctx context.Context, a *ending.Attempt) (failure *task.Failure, err error) {
	if a.Failure != nil {
		return a.Failure, nil
	}
	_, err = wire.One(ctx, t, lastError, func(r wire.Row) { failure = stored.FailureOf(r[0]) }, a.ID)
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
	_, err := wire.Exec(ctx, t, addCounts, kinds, names, slices.Repeat([]int64{n}, len(kinds)))
	return err
}

var (
	// lockLetters reads and locks what the counters and redrive need of dead
	// letters: the loser of a race waits and finds nothing.
	lockLetters = wire.NewQuery(`SELECT id, type, reason, category, fingerprint, priority, attempt, claim, queue, spec, attempts FROM outlast_dead WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/ ORDER BY id FOR UPDATE`)

	// weighLetters tells how much of dead letters goes back.
	weighLetters = coldQuery(`SELECT id, coalesce(octet_length(spec), 0) + coalesce(octet_length(attempts), 0) + octet_length(payload) FROM outlast_dead WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

	// revive copies dead letters back to the live tasks. Inputs: now, payload
	// (null: their own), ids, run at, ranks, attempts, specs, share keys.
	revive = wire.NewQuery(`INSERT INTO outlast_task (id, lane, priority, park, rank, run_at, claim, seq, created_at, updated_at, attempt, crashes, queue, type, target,
 policy, key, spec, last_error, failed_at, payload, share_key)
SELECT d.id, d.lane, d.priority, 0, u.rank, u.run_at, d.claim, d.seq, d.created_at, $1::bigint, u.attempt, 0, d.queue, d.type, d.target,
 d.policy, d.key, u.spec, d.last_error, d.finished_at, coalesce($2::bytea, d.payload), u.share_key
FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[]) AS u (id, run_at, rank, attempt, spec, share_key)
JOIN outlast_dead d ON d.id = u.id WHERE true /*d.lane of ($3::uuid[])[1]*/`)

	deleteLetters = wire.NewQuery(`DELETE FROM outlast_dead WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)
	dropHolds     = wire.NewQuery(`DELETE FROM outlast_key_hold WHERE lane = ANY($2::integer[]) AND id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

	// lockGroups takes the locks of groups in their order.
	lockGroups = wire.NewQuery(`SELECT 1 FROM outlast_dead_group WHERE fingerprint = ANY($1::text[]) ORDER BY fingerprint FOR UPDATE`)

	// lowerGroups takes letters out of their groups, each fingerprint as often
	// as it is given.
	lowerGroups = wire.NewQuery(`UPDATE outlast_dead_group g SET count = g.count - u.n
FROM (SELECT fingerprint, count(*) AS n FROM unnest($1::text[]) AS f (fingerprint) GROUP BY fingerprint) u WHERE g.fingerprint = u.fingerprint`)

	dropGroups = wire.NewQuery(`DELETE FROM outlast_dead_group WHERE fingerprint = ANY($1::text[]) AND count <= 0`)

	// replaceExamples gives groups another example when theirs is gone, after
	// the letters were deleted.
	replaceExamples = wire.NewQuery(`UPDATE outlast_dead_group g SET example = (SELECT d.id FROM outlast_dead d WHERE d.fingerprint = g.fingerprint ORDER BY d.id DESC LIMIT 1)
WHERE g.fingerprint = ANY($1::text[]) AND g.example = ANY($2::uuid[])`)

	// lostExamples, newestLetter and putExample are replaceExamples where
	// tables are distributed.
	lostExamples = wire.NewQuery(`SELECT fingerprint FROM outlast_dead_group WHERE fingerprint = ANY($1::text[]) AND example = ANY($2::uuid[])`)
	newestLetter = wire.NewQuery(`SELECT id FROM outlast_dead WHERE fingerprint = $1::text ORDER BY id DESC LIMIT 1`)
	putExample   = wire.NewQuery(`UPDATE outlast_dead_group SET example = $2::uuid WHERE fingerprint = $1::text`)
)

// Weigh implements [sqlstore.Database].
func (d database) Weigh(on sqlstore.Session, ids []task.ID) (map[task.ID]int, error) {
	sizes := make(map[task.ID]int, len(ids))
	var calls []*sqlstore.Call
	for _, part := range d.store.byLane(ids) {
		calls = append(calls, &sqlstore.Call{Query: weighLetters, Args: []any{part}, Scan: func(r sqlstore.Row) error {
			sizes[r.ID(0)] = int(r.Int(1))
			return nil
		}})
	}
	return sizes, on.Run(calls...)
}

// Letters implements [sqlstore.Changer].
func (t coldTx) Letters(ids []task.ID) (map[task.ID]*sqlstore.Letter, error) {
	letters := make(map[task.ID]*sqlstore.Letter, len(ids))
	var calls []*wire.Call
	for _, part := range t.store.byLane(ids) {
		calls = append(calls, &wire.Call{Query: lockLetters, Args: []any{part}, Scan: func(r wire.Row) error {
			l := sqlstore.ScanLetter(r)
			letters[l.ID] = l
			return nil
		}})
	}
	if len(calls) == 0 {
		return letters, nil
	}
	return letters, t.Run(t.ctx, calls...)
}

// Revive implements [sqlstore.Changer].
func (t coldTx) Revive(letters []*sqlstore.Letter, payload []byte) error {
	byID := make(map[task.ID]*sqlstore.Letter, len(letters))
	ids := make([]task.ID, len(letters))
	for i, l := range letters {
		ids[i], byID[l.ID] = l.ID, l
	}
	var calls []*wire.Call
	for _, part := range t.store.byLane(ids) {
		var runs, ranks, attempts []int64
		var specs wire.JSONs
		var shares wire.Optionals
		var past history
		for _, id := range part {
			l := byID[id]
			runs, ranks = append(runs, l.RunAt.UnixMicro()), append(ranks, task.Rank(l.RunAt, l.Priority))
			attempts, specs = append(attempts, int64(l.Spent)), append(specs, l.Text)
			shares = append(shares, l.Spec.ShareKey)
			for i := range l.History {
				past.add(id, &l.History[i])
			}
		}
		calls = append(calls, &wire.Call{Query: revive, Args: []any{t.now, payload, part, runs, ranks, attempts, specs, shares}})
		if len(past.ids) > 0 {
			calls = append(calls, past.call(t.now))
		}
	}
	return t.Run(t.ctx, calls...)
}

// Remove implements [sqlstore.Changer]. The counters come last: every other death waits
// for them until the commit.
func (t coldTx) Remove(letters []stored.Letter, whole bool) error {
	var ids []task.ID
	var prints []string
	for i := range letters {
		ids, prints = append(ids, letters[i].ID), append(prints, letters[i].Fingerprint)
	}
	var calls []*wire.Call
	for _, part := range t.store.byLane(ids) {
		lanes := make([]int32, len(part))
		for i, id := range part {
			lanes[i] = int32(id.Lane())
		}
		calls = append(calls, &wire.Call{Query: deleteLetters, Args: []any{part}}, &wire.Call{Query: dropHolds, Args: []any{part, lanes}})
		if whole {
			calls = append(calls, &wire.Call{Query: deleteSteps, Args: []any{part}})
		}
	}
	if err := t.Run(t.ctx, calls...); err != nil {
		return err
	}
	if err := t.count(t.ctx, -1, letters...); err != nil {
		return err
	}
	err := t.Run(t.ctx,
		&wire.Call{Query: lockGroups, Args: []any{prints}},
		&wire.Call{Query: lowerGroups, Args: []any{prints}},
		&wire.Call{Query: dropGroups, Args: []any{prints}})
	if err != nil {
		return err
	}
	return t.replaceExamples(t.ctx, prints, ids)
}

func (t *tx) replaceExamples(ctx context.Context, prints []string, ids []task.ID) error {
	if !t.store.spread {
		_, err := wire.Exec(ctx, t, replaceExamples, prints, ids)
		return err
	}
	var lost []string
	err := wire.Each(ctx, t, lostExamples, func(r wire.Row) error {
		lost = append(lost, r.Text(0))
		return nil
	}, prints, ids)
	for _, fingerprint := range lost {
		var newest task.ID
		if err == nil {
			_, err = wire.One(ctx, t, newestLetter, func(r wire.Row) { newest = r.ID(0) }, fingerprint)
		}
		if err == nil {
			_, err = wire.Exec(ctx, t, putExample, fingerprint, newest)
		}
	}
	return err
}

// Doom implements [sqlstore.Changer]. Citus locks rows of one machine at a time: there the
// letters are found first, and what still matches of each lane is locked.
func (t coldTx) Doom(dead *sqlstore.Source, limit int) (tasks []*task.Task, letters []stored.Letter, err error) {
	on, parts := t.reader(t.ctx), [][]task.ID{nil}
	if t.store.spread {
		var ids []task.ID
		text, args := dead.Oldest(`id`, limit)
		err := on.Run(&sqlstore.Call{Query: sqlstore.Made(text), Args: args, Scan: func(r sqlstore.Row) error {
			ids = append(ids, r.ID(0))
			return nil
		}})
		if err != nil {
			return nil, nil, err
		}
		parts = t.store.byLane(ids)
	}
	var calls []*sqlstore.Call
	for _, part := range parts {
		those := *dead
		if part != nil {
			of := &where.Where{}
			of.And(`id = ANY(?::uuid[]) AND lane = ?::integer`, part, int32(part[0].Lane()))
			those.Rest = *of.With(&dead.Rest)
		}
		text, args := those.Oldest(deadColumns+sqlstore.Doomed, limit)
		calls = append(calls, sqlstore.Doom(text+` FOR UPDATE`, args, &tasks, &letters))
	}
	if len(calls) > 0 {
		err = on.Run(calls...)
	}
	slices.SortFunc(tasks, func(a, b *task.Task) int { return a.ID.Compare(b.ID) })
	return tasks, letters, err
}
