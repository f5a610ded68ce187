package mysql

import "github.com/outlast-dev/outlast/store/internal/sqlstore"

// own are the statements for package sqlstore that are in words of this database.
var own = sqlstore.Own{
	Words: dialect,
	Get:   getTask, Attempts: selectAttempts, LastAttempt: lastAttempt, Key: keyState,
	Holds: selectHolds, Behind: countBehind, PendingOf: pendingOfQueue, DeadOf: deadOfQueue,
	Groups: groups, FirstSeen: groupSeen, FirstOf: `g.oldest`, Trend: trend, Newest: `d.id`, Whole: wholeLetters,
	Invariants: invariants,
}

var (
	getTask = coldQuery(`SELECT ` + taskColumns + ` FROM outlast_task t` + knownJoins + ` WHERE t.id = $1::uuid`)

	selectAttempts = coldQuery(`SELECT number, claim, node, started_at, ended_at, outcome, failure, next_delay, label
FROM outlast_attempt WHERE id = $1::uuid ORDER BY claim`)

	lastAttempt = coldQuery(`SELECT attempt, claim, node, started_at, finished_at, outcome, NULL, 0, label FROM outlast_done WHERE id = $1::uuid AND outcome <> ''`)

	keyState = coldQuery(`SELECT h.id, h.hold_mode, h.since, (SELECT b.id FROM outlast_line b WHERE b.lane = $1::integer AND b.line = $2::text),
 (SELECT t.id FROM outlast_task t FORCE INDEX (outlast_task_line) LEFT JOIN outlast_run r ON r.id = t.id
  WHERE t.lane = $1::integer AND t.line = $2::text AND r.id IS NULL ORDER BY t.turn LIMIT 1)
FROM (SELECT 1) one LEFT JOIN outlast_key_hold h ON h.lane = $1::integer AND h.line = $2::text`)

	selectHolds = coldQuery(`SELECT h.lane, h.line, h.id, h.hold_mode, h.since,
 EXISTS (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_line) WHERE t.lane = h.lane AND t.line = h.line)
FROM outlast_key_hold h WHERE h.lane > $1::integer OR h.lane = $1::integer AND h.line > $2::text ORDER BY h.lane, h.line LIMIT $3::bigint`)

	// countBehind counts the live rows of a key, of which none runs while it is held.
	countBehind = coldQuery(`SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task FORCE INDEX (outlast_task_line) WHERE lane = $1::integer AND line = $2::text LIMIT $3::bigint) waiting`)

	// pendingOfQueue and deadOfQueue count by lanes, whatever else there is.
	pendingOfQueue = coldQuery(`SELECT COUNT(*) FROM (SELECT 1 FROM outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank)
 ON t.lane = l.lane AND t.state = 0 LEFT JOIN outlast_run r ON r.id = t.id WHERE l.queue = $1::text AND r.id IS NULL LIMIT $2::bigint) few`)
	deadOfQueue = coldQuery(`SELECT COUNT(*) FROM (SELECT 1 FROM outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank)
 ON t.lane = l.lane AND t.state = 3 WHERE l.queue = $1::text LIMIT $2::bigint) few`)
)

const (
	// groups describes each by the newest letter that matched, which is found by its time
	// and id as one value: their bytes in order.
	groups = `SELECT g.fingerprint, g.n, d.type, d.reason, d.category, COALESCE(JSON_UNQUOTE(JSON_EXTRACT(CONVERT(d.last_error USING utf8mb4), '$.message')), ''),
 @first, g.newest, d.id
FROM (SELECT d.fingerprint, COUNT(*) AS n, MIN(d.finished_at) AS oldest, MAX(d.finished_at) AS newest,
 UNHEX(SUBSTRING(MAX(CONCAT(LPAD(HEX(d.finished_at), 16, '0'), HEX(d.id))), 17)) AS id
FROM @newest GROUP BY d.fingerprint) g STRAIGHT_JOIN outlast_dead d ON d.id = g.id ORDER BY g.n DESC, g.newest DESC, g.fingerprint LIMIT ?`

	groupSeen = `COALESCE((SELECT first_seen FROM outlast_dead_group w WHERE w.fingerprint = g.fingerprint), 0)`

	trend = `SELECT d.fingerprint, d.reason, t.target, d.node, IF(d.finished_at >= ?, d.finished_at DIV 3600000000, 0) AS hour, COUNT(*)
FROM @newest GROUP BY 1, 2, 3, 4, 5`

	wholeLetters = `w STRAIGHT_JOIN outlast_dead d ON d.id = w.id STRAIGHT_JOIN outlast_task t ON t.id = d.id` + runJoin + doneJoin
)

// invariants are statements that list what must not be.
var invariants = [][2]string{
	{"a task has a state that is none", `SELECT HEX(id) FROM outlast_task WHERE state NOT IN (0, 2, 3, 4) LIMIT 5`},
	{"an ended task has no record of its end", `SELECT HEX(t.id) FROM outlast_task t LEFT JOIN outlast_done e ON e.id = t.id WHERE t.state IN (2, 4) AND e.id IS NULL LIMIT 5`},
	{"a record of an end has no ended task", `SELECT HEX(e.id) FROM outlast_done e LEFT JOIN outlast_task t ON t.id = e.id AND t.state IN (2, 4) WHERE t.id IS NULL LIMIT 5`},
	{"a dead task has no letter", `SELECT HEX(t.id) FROM outlast_task t LEFT JOIN outlast_dead d ON d.id = t.id WHERE t.state = 3 AND d.id IS NULL LIMIT 5`},
	{"a letter has no dead task", `SELECT HEX(d.id) FROM outlast_dead d LEFT JOIN outlast_task t ON t.id = d.id AND t.state = 3 WHERE t.id IS NULL LIMIT 5`},
	{"a letter has not the type of its task", `SELECT HEX(d.id) FROM outlast_dead d JOIN outlast_task t ON t.id = d.id WHERE t.type <> d.type LIMIT 5`},
	{"what runs is no live task", `SELECT HEX(r.id) FROM outlast_run r LEFT JOIN outlast_task t ON t.id = r.id AND t.state = 0 WHERE t.id IS NULL LIMIT 5`},
	{"a running task has no node, claim or start", `SELECT HEX(r.id) FROM outlast_run r JOIN outlast_task t ON t.id = r.id
WHERE r.node = '' OR r.claim <= 0 OR r.started_at <= 0 OR t.park <> 0 LIMIT 5`},
	{"a cancel request is not known, or of no running task", `SELECT HEX(r.id) FROM outlast_run r LEFT JOIN outlast_cancel c ON c.id = r.id AND c.node = r.node
WHERE r.cancel <> (c.id IS NOT NULL) UNION ALL SELECT HEX(c.id) FROM outlast_cancel c LEFT JOIN outlast_run r ON r.id = c.id WHERE r.id IS NULL LIMIT 5`},
	{"a lease is of no remote worker's task, or is missing", `SELECT HEX(l.id) FROM outlast_lease l LEFT JOIN outlast_run r ON r.id = l.id AND r.node LIKE '%/%' WHERE r.id IS NULL
UNION ALL SELECT HEX(r.id) FROM outlast_run r LEFT JOIN outlast_lease l ON l.id = r.id WHERE r.node LIKE '%/%' AND l.id IS NULL LIMIT 5`},
	{"a node that was cleared runs something", `SELECT HEX(r.id) FROM outlast_run r JOIN outlast_node n ON n.id = r.node WHERE n.cleared = 1 LIMIT 5`},
	{"a claim is not newer than the one before", `SELECT HEX(r.id) FROM outlast_run r JOIN outlast_task t ON t.id = r.id WHERE r.claim <= t.claim LIMIT 5`},
	{"a lane is not that of the id", `SELECT HEX(id) FROM outlast_task WHERE lane <> CONV(HEX(SUBSTRING(id, 15)), 16, 10) LIMIT 5`},
	{"a rank is not run_at less 30 s per priority", `SELECT HEX(id) FROM outlast_task WHERE run_rank <> run_at - priority * 30000000 LIMIT 5`},
	{"a size is not that of the payload", `SELECT HEX(id) FROM outlast_task WHERE size <> COALESCE(LENGTH(payload), 0) LIMIT 5`},
	{"a keyed task has no seq", `SELECT HEX(id) FROM outlast_task WHERE order_key IS NOT NULL AND COALESCE(seq, 0) = 0 LIMIT 5`},
	{"a live task stands in a wrong line", `SELECT HEX(id) FROM outlast_task WHERE state = 0 AND (NOT line <=> order_key
 OR NOT turn <=> IF(order_key IS NULL, NULL, IF(attempt + crashes = 0, seq + 4611686018427387904, seq))) LIMIT 5`},
	{"an ended task stands in a line", `SELECT HEX(id) FROM outlast_task WHERE state <> 0 AND (line IS NOT NULL OR turn IS NOT NULL) LIMIT 5`},
	{"two tasks of a key share a seq", `SELECT HEX(MIN(id)) FROM outlast_task WHERE line IS NOT NULL GROUP BY lane, line, seq HAVING COUNT(*) > 1 LIMIT 5`},
	{"a running task is not known as running of its key", `SELECT HEX(t.id) FROM outlast_run r JOIN outlast_task t ON t.id = r.id
 LEFT JOIN outlast_line b ON b.lane = t.lane AND b.line = t.line AND b.id = t.id WHERE t.line IS NOT NULL AND b.id IS NULL LIMIT 5`},
	{"a key is taken by a task that does not run", `SELECT HEX(b.id) FROM outlast_line b LEFT JOIN outlast_run r ON r.id = b.id
 LEFT JOIN outlast_task t ON t.id = b.id AND t.lane = b.lane AND t.line = b.line WHERE r.id IS NULL OR t.id IS NULL LIMIT 5`},
	{"a key is held by no dead letter", `SELECT HEX(h.id) FROM outlast_key_hold h LEFT JOIN outlast_task t ON t.id = h.id AND t.state = 3 AND t.order_key = h.line
WHERE t.id IS NULL LIMIT 5`},
	{"a dead letter has rows of attempts", `SELECT HEX(a.id) FROM outlast_attempt a JOIN outlast_dead d ON d.id = a.id LIMIT 5`},
	{"an attempt has no task", `SELECT HEX(a.id) FROM outlast_attempt a LEFT JOIN outlast_task t ON t.id = a.id WHERE t.id IS NULL LIMIT 5`},
	{"attempt numbers leave a gap", `SELECT HEX(id) FROM (SELECT id, number, LAG(number) OVER (PARTITION BY id ORDER BY claim) AS earlier FROM outlast_attempt) a
WHERE number > COALESCE(earlier, 0) + 1 LIMIT 5`},
	{"a recorded claim is newer than its task", `SELECT HEX(a.id) FROM outlast_attempt a JOIN outlast_task t ON t.id = a.id LEFT JOIN outlast_run r ON r.id = t.id
 LEFT JOIN outlast_done e ON e.id = t.id WHERE a.claim > COALESCE(r.claim, e.claim, t.claim) LIMIT 5`},
	{"a step has no task", `SELECT HEX(s.id) FROM outlast_step s LEFT JOIN outlast_task t ON t.id = s.id WHERE t.id IS NULL LIMIT 5`},
	{"a step is of a newer claim than its task", `SELECT HEX(s.id) FROM outlast_step s JOIN outlast_task t ON t.id = s.id` + knownJoins + `
WHERE s.claim > COALESCE(r.claim, e.claim, d.claim, t.claim) LIMIT 5`},
	{"a group of dead letters is miscounted", `SELECT HEX(g.fingerprint) FROM outlast_dead_group g
WHERE total <> (SELECT COUNT(*) FROM outlast_dead d WHERE d.fingerprint = g.fingerprint)
UNION ALL SELECT HEX(d.fingerprint) FROM outlast_dead d LEFT JOIN outlast_dead_group g ON g.fingerprint = d.fingerprint WHERE g.fingerprint IS NULL LIMIT 5`},
	{"an example of a group is not a letter of it", `SELECT HEX(g.fingerprint) FROM outlast_dead_group g
 LEFT JOIN outlast_dead d ON d.id = g.example AND d.fingerprint = g.fingerprint WHERE d.id IS NULL LIMIT 5`},
}
