package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store/internal/sqlstore"
)

// invariants are statements that list what must not be.
var invariants = []struct {
	what string
	q    *query
}{
	{"a task is dead and not", &query{sql: `SELECT hex(id) FROM outlast_task WHERE id IN (SELECT id FROM outlast_dead) LIMIT 5`}},
	{"a task has a state that is none", &query{sql: `SELECT hex(id) FROM outlast_task WHERE state NOT IN (2, 4, 5) LIMIT 5`}},
	{"what runs is no live task", &query{sql: `SELECT num FROM outlast_run WHERE num NOT IN (SELECT num FROM outlast_task WHERE state = 5) LIMIT 5`}},
	{"a running task has no node, claim, attempt or start", &query{sql: `SELECT hex(id) FROM outlast_live
WHERE state = 1 AND (node = '' OR claim <= 0 OR attempt <= 0 OR started_at <= 0 OR park <> 0) LIMIT 5`}},
	{"a claim is not newer than the one before", &query{sql: `SELECT hex(t.id) FROM outlast_run r JOIN outlast_task t ON t.num = r.num WHERE r.claim <= t.claim LIMIT 5`}},
	{"what runs has not the key of its task", &query{sql: `SELECT hex(t.id) FROM outlast_run r JOIN outlast_task t ON t.num = r.num
WHERE r.key IS NOT t.key OR r.lane IS NOT iif(t.key IS NULL, NULL, t.lane) LIMIT 5`}},
	{"a rank is not run_at less 30 s per priority", &query{sql: `SELECT hex(id) FROM outlast_task WHERE rank <> run_at - priority * 30000000 LIMIT 5`}},
	{"a keyed task has no seq", &query{sql: `SELECT hex(id) FROM outlast_task WHERE key IS NOT NULL AND ifnull(seq, 0) = 0 LIMIT 5`}},
	{"two tasks of a key share a seq", &query{sql: `SELECT hex(min(id)) FROM outlast_task WHERE key IS NOT NULL AND state = 5 GROUP BY lane, key, seq HAVING count(*) > 1 LIMIT 5`}},
	{"two tasks of a key run", &query{sql: `SELECT min(num) FROM outlast_run WHERE key IS NOT NULL GROUP BY lane, key HAVING count(*) > 1 LIMIT 5`}},
	{"a key is held by no dead letter", &query{sql: `SELECT hex(id) FROM outlast_key_hold h WHERE NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = h.id AND d.key = h.key) LIMIT 5`}},
	{"a dead letter has rows of attempts", &query{sql: `SELECT hex(a.id) FROM outlast_attempt a JOIN outlast_dead d ON d.id = a.id LIMIT 5`}},
	{"attempt numbers leave a gap", &query{sql: `SELECT hex(id) FROM (SELECT id, number, lag(number, 1, 0) OVER (PARTITION BY id ORDER BY claim) AS before FROM outlast_attempt)
WHERE number > before + 1 LIMIT 5`}},
	{"an attempt has no task", &query{sql: `SELECT hex(id) FROM outlast_attempt a WHERE NOT EXISTS (SELECT 1 FROM outlast_task t WHERE t.id = a.id) LIMIT 5`}},
	{"a recorded claim is newer than its task", &query{sql: `SELECT hex(a.id) FROM outlast_attempt a JOIN outlast_task t ON t.id = a.id WHERE a.claim > t.claim LIMIT 5`}},
	{"a group of dead letters is miscounted", &query{sql: `SELECT g.fingerprint FROM outlast_dead_group g
WHERE count <> (SELECT count(*) FROM outlast_dead d WHERE d.fingerprint = g.fingerprint)
UNION ALL SELECT fingerprint FROM outlast_dead WHERE fingerprint NOT IN (SELECT fingerprint FROM outlast_dead_group) LIMIT 5`}},
	{"an example of a group is no letter of it", &query{sql: `SELECT g.fingerprint FROM outlast_dead_group g
WHERE NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = g.example AND d.fingerprint = g.fingerprint) LIMIT 5`}},
}

var quickCheck = &query{sql: `PRAGMA integrity_check(20)`}

// Check implements [store.Query].
func (s *Store) Check(ctx context.Context) (wrong []string, err error) {
	err = s.read(ctx, func(c *conn) error {
		wrong = nil
		err := c.once().each(quickCheck, func(r row) error {
			if text := r.Text(0); text != "ok" {
				wrong = append(wrong, "integrity: "+text)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, invariant := range invariants {
			err := c.once().each(invariant.q, func(r row) error {
				wrong = append(wrong, invariant.what+": "+r.Text(0))
				return nil
			})
			if err != nil {
				return err
			}
		}
		counts, err := sqlstore.CheckCounts(coldSession{c})
		wrong = append(wrong, counts...)
		return err
	})
	return wrong, err
}
