package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// database implements [sqlstore.Database].
type database struct{ store *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.read(ctx, func(c wire.Session) error { return fn(&coldSession{ctx, c, d.store}) })
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.lookUp(ctx, func(c wire.Session, _ int64) error { return fn(&coldSession{ctx, c, d.store}) })
}

// Survey implements [sqlstore.Database].
func (d database) Survey(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.snapshot(ctx, func(c wire.Session) error { return fn(&coldSession{ctx, c, d.store}) })
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, _ string, fn func(sqlstore.Tx) error) error {
	return d.store.partitioning(ctx, func() error {
		return d.store.write(ctx, func(t *tx) error { return fn(t.cold(ctx)) })
	})
}

// Change implements [sqlstore.Database].
func (d database) Change(ctx context.Context, _ int64, fn func(sqlstore.Tx) error) error {
	return d.Write(ctx, "", fn)
}

// coldTx implements [sqlstore.Changer].
type coldTx struct {
	ctx context.Context
	*tx
}

func (t *tx) cold(ctx context.Context) sqlstore.Tx {
	return sqlstore.Tx{Session: t.reader(ctx), Changer: coldTx{ctx, t}, Now: t.now}
}

// Insert implements [sqlstore.Changer].
func (t coldTx) Insert(items []store.Insert) ([]store.Inserted, error) {
	inserted, err := insertAll(t.ctx, t.tx, items)
	if wire.Refusal(err) {
		err = refusedData(err)
	}
	return inserted, err
}

// get reads a task whatever its table; CodeNotFound.
func get(ctx context.Context, s wire.Session, id task.ID) (*task.Task, error) {
	return sqlstore.Get(&coldSession{ctx: ctx, on: s}, getTask, id)
}

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.lookUp(ctx, func(c wire.Session, _ int64) (err error) {
		found, err = get(ctx, c, id)
		return err
	})
	return found, err
}

// own are the statements for package sqlstore that are in words of this database.
var own = sqlstore.Own{
	Words: dialect, Lanes: true,
	Get: getTask, Attempts: selectAttempts, LastAttempt: lastAttempt, Key: keyState,
	Holds: selectHolds, Behind: countBehind, PendingOf: pendingOfQueue,
	Groups: groups, FirstSeen: groupSeen, FirstOf: `first`, Trend: trend, Newest: `*`, Whole: `d`,
	Invariants: invariants,
}

// ownSpread are those where the tables are distributed: a statement joins nothing of other
// machines with what is on the coordinator.
func ownSpread() *sqlstore.Own {
	spread := own
	spread.PendingOf, spread.FirstSeen = nil, `NULL`
	return &spread
}

var (
	// getTask reads a task whatever its table. One snapshot sees it in one.
	getTask = coldQuery(`SELECT ` + liveColumns + ` FROM outlast_live WHERE id = $1::uuid /*lane of $1::uuid*/
UNION ALL SELECT ` + doneColumns + ` FROM outlast_done WHERE id = $1::uuid /*lane of $1::uuid*/
UNION ALL SELECT ` + deadColumns + ` FROM outlast_dead WHERE id = $1::uuid /*lane of $1::uuid*/`)

	selectAttempts = coldQuery(`SELECT number, claim, node, started_at, ended_at, outcome, failure, next_delay, label
FROM outlast_attempt WHERE id = $1::uuid /*lane of $1::uuid*/ ORDER BY claim`)

	lastAttempt = coldQuery(`SELECT attempt, claim, node, started_at, ended_at, outcome, NULL::text, 0::bigint, label
FROM outlast_done WHERE id = $1::uuid /*lane of $1::uuid*/ AND outcome <> ''`)

	keyState = coldQuery(`SELECT h.id, h.mode, h.since, (SELECT r.id FROM outlast_run r WHERE r.lane = $1::integer AND r.key = $2::text AND r.key IS NOT NULL),
 (SELECT t.id FROM outlast_task t WHERE t.lane = $1::integer AND t.key = $2::text AND t.key IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.id = t.id /*r.lane is $1::integer*/) ORDER BY (t.attempt + t.crashes = 0), t.seq LIMIT 1)
FROM (SELECT 1) one LEFT JOIN outlast_key_hold h ON h.lane = $1::integer AND h.key = $2::text`)

	// selectHolds counts the live rows of each key, of which none runs while it is held.
	selectHolds = coldQuery(`SELECT h.lane, h.key, h.id, h.mode, h.since, c.n FROM (SELECT * FROM outlast_key_hold
 WHERE (lane, key) > ($1::integer, $2::text) ORDER BY lane, key LIMIT $3::bigint) h
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (SELECT 1 FROM outlast_task t WHERE t.lane = h.lane AND t.key = h.key AND t.key IS NOT NULL LIMIT $4::bigint) x) c
ORDER BY h.lane, h.key`, `SELECT lane, key, id, mode, since, -1 FROM outlast_key_hold
WHERE (lane, key) > ($1::integer, $2::text) ORDER BY lane, key LIMIT $3::bigint`)

	countBehind = coldQuery(`SELECT count(*) FROM (SELECT 1 FROM outlast_task t WHERE t.lane = $1::integer AND t.key = $2::text AND t.key IS NOT NULL LIMIT $3::bigint) x`)

	// pendingOfQueue counts the live tasks lane by lane, without those that run, whatever
	// else there is. That each lane is read in the order of its index keeps the planner
	// from reading the table.
	pendingOfQueue = coldQuery(`WITH running AS MATERIALIZED (SELECT count(*) AS n FROM outlast_running r WHERE r.lane = ANY(ARRAY(SELECT l.lane FROM outlast_lane l WHERE l.queue = $1::text)))
SELECT greatest(0, (SELECT count(*) FROM (SELECT 1 FROM outlast_lane l CROSS JOIN LATERAL
 (SELECT 1 FROM outlast_task t WHERE t.lane = l.lane ORDER BY t.park, t.rank LIMIT $2::bigint + (SELECT n FROM running)) x
 WHERE l.queue = $1::text LIMIT $2::bigint + (SELECT n FROM running)) live) - (SELECT n FROM running))`)
)

const (
	// groups has the letter that died last stand for its group: its text alone is taken
	// apart.
	groups = `SELECT fingerprint, n, type, reason, category, coalesce(` + lastMessage + `, ''), @first, finished_at, id FROM (
SELECT * FROM (SELECT DISTINCT ON (fingerprint) fingerprint, count(*) OVER (PARTITION BY fingerprint) AS n, min(finished_at) OVER (PARTITION BY fingerprint) AS first, type, reason, category, last_error, finished_at, id
FROM @newest ORDER BY fingerprint, finished_at DESC, id DESC) g
ORDER BY n DESC, finished_at DESC, fingerprint LIMIT ?) d ORDER BY n DESC, finished_at DESC, fingerprint`

	groupSeen = `(SELECT first_seen FROM outlast_dead_group g WHERE g.fingerprint = d.fingerprint)`

	trend = `SELECT fingerprint, reason, target, coalesce(node, ''), CASE WHEN finished_at >= ?::bigint THEN finished_at / 3600000000 ELSE 0 END AS hour, count(*)
FROM @newest GROUP BY 1, 2, 3, 4, 5`
)

// byLog joins rows t of outlast_task with the batches by which they run.
const byLog = `JOIN outlast_claim c ON c.lane = t.lane AND c.claim > ` + past + ` AND t.id = ANY(c.ids)`

// invariants are statements that list what must not be.
var invariants = [][2]string{
	{"a task is live and has ended", `SELECT t.id::text FROM outlast_task t WHERE EXISTS (SELECT 1 FROM outlast_done d WHERE d.id = t.id AND d.lane = t.lane)
 OR EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = t.id AND d.lane = t.lane) LIMIT 5`},
	{"a task ended twice", `SELECT d.id::text FROM outlast_done d GROUP BY d.lane, d.id HAVING count(*) > 1 LIMIT 5`},
	{"a dead letter has ended too", `SELECT x.id::text FROM outlast_dead x WHERE EXISTS (SELECT 1 FROM outlast_done d WHERE d.id = x.id AND d.lane = x.lane) LIMIT 5`},
	{"the lane of a task is not that of its id", `SELECT id::text FROM outlast_task
WHERE lane <> get_byte(uuid_send(id), 14) * 256 + get_byte(uuid_send(id), 15) LIMIT 5`},
	{"an ended task has a state that is none", `SELECT id::text FROM outlast_done WHERE state NOT IN (2, 4) LIMIT 5`},
	{"what runs is no live task", `SELECT r.id::text FROM outlast_run r WHERE NOT EXISTS (SELECT 1 FROM outlast_task t WHERE t.id = r.id AND t.lane = r.lane) LIMIT 5`},
	{"a running task has no node, claim or start", `SELECT id::text FROM outlast_run WHERE node = '' OR claim <= 0 OR started_at <= 0 LIMIT 5`},
	{"a claim is not newer than the one before", `SELECT t.id::text FROM outlast_run r JOIN outlast_task t ON t.id = r.id AND t.lane = r.lane WHERE r.claim <= t.claim LIMIT 5`},
	{"what runs has not the key of its task", `SELECT t.id::text FROM outlast_run r JOIN outlast_task t ON t.id = r.id AND t.lane = r.lane WHERE r.key IS DISTINCT FROM t.key LIMIT 5`},
	{"what runs apart runs by the claim log too", `SELECT t.id::text FROM outlast_run r JOIN outlast_task t ON t.id = r.id AND t.lane = r.lane ` + byLog + ` LIMIT 5`},
	{"a task runs under two claims", `SELECT t.id::text FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id) JOIN outlast_task t ON t.id = m.id AND t.lane = c.lane
WHERE ` + past + ` < c.claim GROUP BY t.lane, t.id HAVING count(*) > 1 LIMIT 5`},
	{"a keyed or parked task runs by the claim log", `SELECT t.id::text FROM outlast_task t ` + byLog + ` WHERE t.key IS NOT NULL OR t.park <> 0 LIMIT 5`},
	{"a rank is not run_at less 30 s per priority", `SELECT id::text FROM outlast_task WHERE rank <> run_at - priority * 30000000::bigint LIMIT 5`},
	{"a keyed task has no seq", `SELECT id::text FROM outlast_task WHERE (key IS NULL) <> (seq = 0) LIMIT 5`},
	{"two tasks of a key share a seq", `SELECT min(id::text) FROM outlast_task WHERE key IS NOT NULL GROUP BY lane, key, seq HAVING count(*) > 1 LIMIT 5`},
	{"a key is held by no dead letter", `SELECT h.id::text FROM outlast_key_hold h
WHERE NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.lane = h.lane AND d.id = h.id AND d.key = h.key) LIMIT 5`},
	{"a dead letter has rows of attempts", `SELECT a.id::text FROM outlast_attempt a WHERE EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = a.id AND d.lane = a.lane) LIMIT 5`},
	{"attempt numbers leave a gap", `SELECT id::text FROM (SELECT id, number, lag(number, 1, 0) OVER (PARTITION BY lane, id ORDER BY claim) AS before FROM outlast_attempt) x
WHERE number > before + 1 LIMIT 5`},
	{"an attempt is recorded twice", `SELECT id::text FROM outlast_attempt GROUP BY lane, id, claim HAVING count(*) > 1 LIMIT 5`},
	{"a recorded claim is newer than its task", `SELECT a.id::text FROM outlast_attempt a JOIN outlast_task t ON t.id = a.id AND t.lane = a.lane WHERE a.claim > t.claim LIMIT 5`},
	{"a step has a claim that its task never had", `SELECT s.id::text FROM outlast_step s JOIN outlast_live t ON t.id = s.id AND t.lane = s.lane WHERE s.claim > greatest(t.claim, t.created_at)
UNION ALL SELECT s.id::text FROM outlast_step s JOIN outlast_done t ON t.id = s.id AND t.lane = s.lane WHERE s.claim > greatest(t.claim, t.created_at)
UNION ALL SELECT s.id::text FROM outlast_step s JOIN outlast_dead t ON t.id = s.id AND t.lane = s.lane WHERE s.claim > greatest(t.claim, t.created_at) LIMIT 5`},
	{"a group of dead letters is miscounted", `SELECT coalesce(g.fingerprint, d.fingerprint) FROM outlast_dead_group g
FULL JOIN (SELECT fingerprint, count(*) AS n FROM outlast_dead GROUP BY fingerprint) d ON d.fingerprint = g.fingerprint WHERE g.count IS DISTINCT FROM d.n LIMIT 5`},
}
