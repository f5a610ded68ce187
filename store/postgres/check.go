package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store/internal/sqlstore"
)

// byLog joins rows t of outlast_task with the batches by which they run.
const byLog = `JOIN outlast_claim c ON c.lane = t.lane AND c.claim > ` + past + ` AND t.id = ANY(c.ids)`

// invariants are statements that list what must not be.
var invariants = [...]struct {
	what string
	q    *query
}{
	{"a task is live and has ended", newQuery(`SELECT t.id::text FROM outlast_task t WHERE EXISTS (SELECT 1 FROM outlast_done d WHERE d.id = t.id AND d.lane = t.lane)
 OR EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = t.id AND d.lane = t.lane) LIMIT 5`)},
	{"a task ended twice", newQuery(`SELECT d.id::text FROM outlast_done d GROUP BY d.lane, d.id HAVING count(*) > 1 LIMIT 5`)},
	{"a dead letter has ended too", newQuery(`SELECT x.id::text FROM outlast_dead x WHERE EXISTS (SELECT 1 FROM outlast_done d WHERE d.id = x.id AND d.lane = x.lane) LIMIT 5`)},
	{"the lane of a task is not that of its id", newQuery(`SELECT id::text FROM outlast_task
WHERE lane <> get_byte(uuid_send(id), 14) * 256 + get_byte(uuid_send(id), 15) LIMIT 5`)},
	{"an ended task has a state that is none", newQuery(`SELECT id::text FROM outlast_done WHERE state NOT IN (2, 4) LIMIT 5`)},
	{"what runs is no live task", newQuery(`SELECT r.id::text FROM outlast_run r WHERE NOT EXISTS (SELECT 1 FROM outlast_task t WHERE t.id = r.id AND t.lane = r.lane) LIMIT 5`)},
	{"a running task has no node, claim or start", newQuery(`SELECT id::text FROM outlast_run WHERE node = '' OR claim <= 0 OR started_at <= 0 LIMIT 5`)},
	{"a claim is not newer than the one before", newQuery(`SELECT t.id::text FROM outlast_run r JOIN outlast_task t ON t.id = r.id AND t.lane = r.lane WHERE r.claim <= t.claim LIMIT 5`)},
	{"what runs has not the key of its task", newQuery(`SELECT t.id::text FROM outlast_run r JOIN outlast_task t ON t.id = r.id AND t.lane = r.lane WHERE r.key IS DISTINCT FROM t.key LIMIT 5`)},
	{"what runs apart runs by the claim log too", newQuery(`SELECT t.id::text FROM outlast_run r JOIN outlast_task t ON t.id = r.id AND t.lane = r.lane ` + byLog + ` LIMIT 5`)},
	{"a task runs under two claims", newQuery(`SELECT t.id::text FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id) JOIN outlast_task t ON t.id = m.id AND t.lane = c.lane
WHERE ` + past + ` < c.claim GROUP BY t.lane, t.id HAVING count(*) > 1 LIMIT 5`)},
	{"a keyed or parked task runs by the claim log", newQuery(`SELECT t.id::text FROM outlast_task t ` + byLog + ` WHERE t.key IS NOT NULL OR t.park <> 0 LIMIT 5`)},
	{"a rank is not run_at less 30 s per priority", newQuery(`SELECT id::text FROM outlast_task WHERE rank <> run_at - priority * 30000000::bigint LIMIT 5`)},
	{"a keyed task has no seq", newQuery(`SELECT id::text FROM outlast_task WHERE (key IS NULL) <> (seq = 0) LIMIT 5`)},
	{"two tasks of a key share a seq", newQuery(`SELECT min(id::text) FROM outlast_task WHERE key IS NOT NULL GROUP BY lane, key, seq HAVING count(*) > 1 LIMIT 5`)},
	{"a key is held by no dead letter", newQuery(`SELECT h.id::text FROM outlast_key_hold h
WHERE NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.lane = h.lane AND d.id = h.id AND d.key = h.key) LIMIT 5`)},
	{"a dead letter has rows of attempts", newQuery(`SELECT a.id::text FROM outlast_attempt a WHERE EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = a.id AND d.lane = a.lane) LIMIT 5`)},
	{"attempt numbers leave a gap", newQuery(`SELECT id::text FROM (SELECT id, number, lag(number, 1, 0) OVER (PARTITION BY lane, id ORDER BY claim) AS before FROM outlast_attempt) x
WHERE number > before + 1 LIMIT 5`)},
	{"an attempt is recorded twice", newQuery(`SELECT id::text FROM outlast_attempt GROUP BY lane, id, claim HAVING count(*) > 1 LIMIT 5`)},
	{"a recorded claim is newer than its task", newQuery(`SELECT a.id::text FROM outlast_attempt a JOIN outlast_task t ON t.id = a.id AND t.lane = a.lane WHERE a.claim > t.claim LIMIT 5`)},
	{"a group of dead letters is miscounted", newQuery(`SELECT coalesce(g.fingerprint, d.fingerprint) FROM outlast_dead_group g
FULL JOIN (SELECT fingerprint, count(*) AS n FROM outlast_dead GROUP BY fingerprint) d ON d.fingerprint = g.fingerprint WHERE g.count IS DISTINCT FROM d.n LIMIT 5`)},
}

// Check implements [store.Query].
func (s *Store) Check(ctx context.Context) (wrong []string, err error) {
	err = s.snapshot(ctx, func(c session) error {
		wrong = nil
		for _, invariant := range invariants {
			err := each(ctx, c, invariant.q, func(r row) error {
				wrong = append(wrong, invariant.what+": "+r.Text(0))
				return nil
			})
			if err != nil {
				return err
			}
		}
		counts, err := sqlstore.CheckCounts(coldSession{ctx, c, s.spread})
		wrong = append(wrong, counts...)
		return err
	})
	return wrong, err
}
