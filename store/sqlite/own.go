package sqlite

import "github.com/outlast-dev/outlast/store/internal/sqlstore"

// own are the statements for package sqlstore that are in words of this database.
var own = sqlstore.Own{
	Words: dialect,
	Get:   getTask, Attempts: selectAttempts, LastAttempt: lastAttempt, Key: keyState,
	Holds: selectHolds, Behind: countBehind, PendingOf: pendingOfQueue,
	Groups: groups, FirstSeen: groupSeen, FirstOf: groupOf, Trend: trend, Newest: `*`, Whole: `d`,
	Invariants: invariants,
}

var (
	// getTask reads a task whatever its table. A transaction sees it in one of them.
	getTask = coldQuery(`SELECT ` + taskColumns + ` FROM outlast_known WHERE id = $1::uuid UNION ALL SELECT ` + deadColumns + ` FROM outlast_dead WHERE id = $1::uuid`)

	selectAttempts = coldQuery(`SELECT number, claim, node, started_at, ended_at, outcome, failure, next_delay, label
FROM outlast_attempt WHERE id = $1::uuid ORDER BY claim`)

	lastAttempt = coldQuery(`SELECT attempt, claim, node, nullif(started_at, 0), updated_at, ifnull(outcome, 'succeeded'), null, 0, label
FROM outlast_task WHERE id = $1::uuid AND state <> 5 AND ifnull(outcome, 'succeeded') <> ''`)

	keyState = coldQuery(`SELECT h.id, h.mode, h.since,
 (SELECT t.id FROM outlast_run r JOIN outlast_task t ON t.num = r.num WHERE r.lane = $1::integer AND r.key = $2::text AND r.key IS NOT NULL),
 (SELECT id FROM outlast_task WHERE lane = $1::integer AND key = $2::text AND key IS NOT NULL AND state = 5
  AND num NOT IN (SELECT num FROM outlast_run) ORDER BY attempt + crashes = 0, seq LIMIT 1)
FROM (SELECT 1) one LEFT JOIN outlast_key_hold h ON h.lane = $1::integer AND h.key = $2::text`)

	// selectHolds counts nothing, so that the last input is as good as any.
	selectHolds = coldQuery(`SELECT lane, key, id, mode, since, -1 FROM outlast_key_hold
WHERE (lane, key) > ($1::integer, $2::text) AND $4::bigint >= 0 ORDER BY lane, key LIMIT $3::bigint`)

	// countBehind counts the live rows of a key, of which none runs while it is held.
	countBehind = coldQuery(`SELECT count(*) FROM (SELECT 1 FROM outlast_task WHERE lane = $1::integer AND key = $2::text AND key IS NOT NULL AND state = 5 LIMIT $3::bigint)`)

	// pendingOfQueue counts by lanes, whatever else there is.
	pendingOfQueue = coldQuery(`SELECT count(*) FROM (SELECT 1 FROM outlast_task INDEXED BY outlast_task_rank
WHERE state = 5 AND lane IN (SELECT lane FROM outlast_lane WHERE queue = $1::text) AND num NOT IN (SELECT num FROM outlast_run) LIMIT $2::bigint)`)
)

const (
	// groups has the bare columns of the row with the largest finished_at, as SQLite
	// defines for max().
	groups = `WITH newest AS (SELECT id, fingerprint, type, reason, category, last_error, finished_at FROM @newest)
SELECT fingerprint, count(*) AS n, type, reason, category, ifnull(last_error ->> '$.message', ''), @first, max(finished_at) AS last, id
FROM newest d GROUP BY fingerprint ORDER BY n DESC, last DESC, fingerprint LIMIT ?`

	groupSeen = `(SELECT first_seen FROM outlast_dead_group g WHERE g.fingerprint = d.fingerprint)`

	groupOf = `(SELECT min(finished_at) FROM newest n WHERE n.fingerprint = d.fingerprint)`

	trend = `SELECT fingerprint, reason, target, ifnull(node, ''), iif(finished_at >= ?, finished_at / 3600000000, 0) AS hour, count(*)
FROM @newest GROUP BY 1, 2, 3, 4, 5`
)

// invariants are statements that list what must not be.
var invariants = [][2]string{
	{"integrity", `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok' LIMIT 20`},
	{"a task is dead and not", `SELECT hex(id) FROM outlast_task WHERE id IN (SELECT id FROM outlast_dead) LIMIT 5`},
	{"a task has a state that is none", `SELECT hex(id) FROM outlast_task WHERE state NOT IN (2, 4, 5) LIMIT 5`},
	{"what runs is no live task", `SELECT num FROM outlast_run WHERE num NOT IN (SELECT num FROM outlast_task WHERE state = 5) LIMIT 5`},
	{"a running task has no node, claim, attempt or start", `SELECT hex(id) FROM outlast_live
WHERE state = 1 AND (node = '' OR claim <= 0 OR attempt <= 0 OR started_at <= 0 OR park <> 0) LIMIT 5`},
	{"a claim is not newer than the one before", `SELECT hex(t.id) FROM outlast_run r JOIN outlast_task t ON t.num = r.num WHERE r.claim <= t.claim LIMIT 5`},
	{"what runs has not the key of its task", `SELECT hex(t.id) FROM outlast_run r JOIN outlast_task t ON t.num = r.num
WHERE r.key IS NOT t.key OR r.lane IS NOT iif(t.key IS NULL, NULL, t.lane) LIMIT 5`},
	{"a rank is not run_at less 30 s per priority", `SELECT hex(id) FROM outlast_task WHERE rank <> run_at - priority * 30000000 LIMIT 5`},
	{"a keyed task has no seq", `SELECT hex(id) FROM outlast_task WHERE key IS NOT NULL AND ifnull(seq, 0) = 0 LIMIT 5`},
	{"two tasks of a key share a seq", `SELECT hex(min(id)) FROM outlast_task WHERE key IS NOT NULL AND state = 5 GROUP BY lane, key, seq HAVING count(*) > 1 LIMIT 5`},
	{"two tasks of a key run", `SELECT min(num) FROM outlast_run WHERE key IS NOT NULL GROUP BY lane, key HAVING count(*) > 1 LIMIT 5`},
	{"a key is held by no dead letter", `SELECT hex(id) FROM outlast_key_hold h WHERE NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = h.id AND d.key = h.key) LIMIT 5`},
	{"a dead letter has rows of attempts", `SELECT hex(a.id) FROM outlast_attempt a JOIN outlast_dead d ON d.id = a.id LIMIT 5`},
	{"attempt numbers leave a gap", `SELECT hex(id) FROM (SELECT id, number, lag(number, 1, 0) OVER (PARTITION BY id ORDER BY claim) AS before FROM outlast_attempt)
WHERE number > before + 1 LIMIT 5`},
	{"an attempt has no task", `SELECT hex(id) FROM outlast_attempt a WHERE NOT EXISTS (SELECT 1 FROM outlast_task t WHERE t.id = a.id) LIMIT 5`},
	{"a recorded claim is newer than its task", `SELECT hex(a.id) FROM outlast_attempt a JOIN outlast_task t ON t.id = a.id WHERE a.claim > t.claim LIMIT 5`},
	{"a step has no task", `SELECT hex(id) FROM outlast_step s WHERE NOT EXISTS (SELECT 1 FROM outlast_task t WHERE t.id = s.id)
AND NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = s.id) LIMIT 5`},
	{"a step is of a newer claim than its task", `SELECT hex(s.id) FROM outlast_step s LEFT JOIN outlast_known t ON t.id = s.id LEFT JOIN outlast_dead d ON d.id = s.id
WHERE s.claim > ifnull(t.claim, d.claim) LIMIT 5`},
	{"a group of dead letters is miscounted", `SELECT g.fingerprint FROM outlast_dead_group g
WHERE count <> (SELECT count(*) FROM outlast_dead d WHERE d.fingerprint = g.fingerprint)
UNION ALL SELECT fingerprint FROM outlast_dead WHERE fingerprint NOT IN (SELECT fingerprint FROM outlast_dead_group) LIMIT 5`},
	{"an example of a group is not a letter of it", `SELECT g.fingerprint FROM outlast_dead_group g
WHERE NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = g.example AND d.fingerprint = g.fingerprint) LIMIT 5`},
}
