package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// deleteDedupe deletes entries whose window has passed and whose task is
	// not live any more. Inputs: clock, limit.
	deleteDedupe = wire.NewQuery(`DELETE FROM outlast_dedupe WHERE (lane, queue, key) IN (SELECT lane, queue, key FROM outlast_dedupe d
WHERE d.expires <= ` + wire.NowMicro + ` AND (SELECT true FROM outlast_task t WHERE t.id = d.id) IS NULL ORDER BY d.expires LIMIT $2::bigint FOR UPDATE SKIP LOCKED)`)

	// deleteNodes deletes nodes that ended long ago and hold nothing. Inputs:
	// clock, memory, limit.
	deleteNodes = wire.NewQuery(`DELETE FROM outlast_node WHERE id IN (SELECT id FROM outlast_node n WHERE state <> 'alive' AND ended_at <= ` + wire.NowMicro + ` - $2::bigint
 AND NOT EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) AND NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
 AND (SELECT true FROM outlast_claim c WHERE c.node = n.id LIMIT 1) IS NULL LIMIT $3::bigint)`)
)

// dropWait is how long the drop of a partition waits for those who read or
// write the table; everybody else waits behind it as long.
const dropWait = "100ms"

// Cleanup implements [store.Admin]. A day that is past as a whole is dropped
// as a whole and counts as one row. It also makes the partitions of the next
// days.
func (s *Store) Cleanup(ctx context.Context, ended store.Time, limit int) (deleted int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	if err := s.makePartitions(ctx, s.ahead); err != nil {
		return 0, err
	}
	steps := []func(context.Context, time.Time, int) (int, error){s.dropDays, s.deleteDone, s.deleteLost, s.CleanGroups, s.deleteDedupe, s.deleteNodes}
	if s.spread {
		steps = []func(context.Context, time.Time, int) (int, error){s.deleteLanes, s.CleanGroups, s.deleteSpreadNodes}
	}
	for _, step := range steps {
		n, err := step(ctx, ended, limit-deleted)
		if deleted += n; err != nil || deleted >= limit {
			return deleted, err
		}
	}
	return deleted, nil
}

// dropDays drops partitions of ended tasks all of which ended before a time.
func (s *Store) dropDays(ctx context.Context, ended time.Time, limit int) (dropped int, err error) {
	days, err := s.pastDays(ctx, "outlast_done", ended)
	for _, name := range days {
		if err != nil || dropped == limit {
			return dropped, err
		}
		var done bool
		if done, err = s.drop(ctx, name); done {
			dropped++
		}
	}
	return dropped, err
}

// pastDays lists the partitions of a table that hold only what happened
// before a time, and to which nothing is added any more.
func (s *Store) pastDays(ctx context.Context, table string, before time.Time) (names []string, err error) {
	return s.days(ctx, table, func(_, end, now time.Time) bool { return !end.After(before) && end.Add(time.Hour).Before(now) })
}

// drop drops a partition, unless others use the table for too long: the next
// call tries again.
func (s *Store) drop(ctx context.Context, name string) (bool, error) {
	err := s.connected(ctx, func(c *wire.Conn) error {
		return c.Run(ctx, &wire.Call{Query: setLockWait, Args: []any{dropWait}}, &wire.Call{Text: `DROP TABLE ` + quote(s.schema) + `.` + quote(name)})
	})
	if wire.Passing(err) || gone(err) {
		return false, nil
	}
	return err == nil, s.explained(err)
}

// gone reports whether a statement met a day that another node has just
// dropped. The server says so of one that goes away while it looks at it with
// the code of all that it did not expect, in words that it does not translate.
func gone(err error) bool {
	code := wire.CodeOf(err)
	return code == wire.CodeNoTable || code == wire.CodeInternal && strings.Contains(wire.MessageOf(err), "relation")
}

// deleteEndedOfDay deletes tasks of one day that ended before $1, with their histories
// and steps. Rows of a day lie about in the order in which they ended, so that the first to
// go are found at once without an index of their times, which every settlement
// would have to pay for; and they are deleted by their places. When all are gone,
// finding so reads the day whole.
const deleteEndedOfDay = `WITH d AS (DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %[1]s WHERE finished_at < $1::bigint LIMIT $2::bigint)) RETURNING id),
 a AS (DELETE FROM outlast_attempt WHERE id = ANY(ARRAY(SELECT id FROM d))),
 s AS (DELETE FROM outlast_step WHERE id = ANY(ARRAY(SELECT id FROM d)))
SELECT count(*) FROM d`

// deleteDone deletes tasks of days that cannot be dropped, of which the last is
// that on which ended lies.
func (s *Store) deleteDone(ctx context.Context, ended time.Time, limit int) (deleted int, err error) {
	days, err := s.days(ctx, "outlast_done", func(since, _, _ time.Time) bool { return since.Before(ended) })
	for _, name := range days {
		if err != nil || deleted >= limit {
			return deleted, err
		}
		n := 0
		_, err = s.pipeline(ctx, &wire.Call{
			Text: s.book.Here(fmt.Sprintf(deleteEndedOfDay, name)), Args: []any{ended.UnixMicro(), limit - deleted},
			Scan: func(r wire.Row) error { n = int(r.Int(0)); return nil },
		})
		if gone(err) {
			n, err = 0, nil
		}
		deleted += n
	}
	return deleted, err
}

// lasting are the tables beside outlast_done of which the rows of a day may be wanted for
// longer than that, and what says so of a row a. Dead letters have their history with them.
var lasting = [...]struct{ table, wanted string }{
	{"outlast_attempt", ofLive + ` OR ` + ofDone},
	{stepTable, ofLive + ` OR (SELECT true FROM outlast_dead d WHERE d.id = a.id LIMIT 1) OR ` + ofDone},
}

const (
	ofLive = `(SELECT true FROM outlast_task t WHERE t.id = a.id LIMIT 1)`
	ofDone = `(SELECT true FROM outlast_done d WHERE d.id = a.id LIMIT 1)`
)

// deleteLost deletes histories and steps of tasks that went with a whole day: where
// nothing of a day is wanted any more the day is dropped, else what is not
// wanted is deleted. A day of which all is wanted is looked at again when a day of ended
// tasks has gone: nothing else leaves anything behind.
func (s *Store) deleteLost(ctx context.Context, ended time.Time, limit int) (deleted int, err error) {
	done, err := s.days(ctx, "outlast_done", func(_, _, _ time.Time) bool { return true })
	if err != nil {
		return 0, err
	}
	since := strings.Join(done, " ")
	for _, of := range lasting {
		days, err := s.pastDays(ctx, of.table, ended)
		if err != nil {
			return deleted, err
		}
		for _, name := range days {
			if looked, _ := s.wanted.Load(name); looked == since {
				continue
			}
			if deleted >= limit {
				return deleted, nil
			}
			n, whole, err := deleteLostOf(ctx, s, name, of.wanted, limit-deleted)
			if err != nil && !gone(err) {
				return deleted, err
			}
			if deleted += n; whole {
				s.wanted.Store(name, since)
			}
		}
	}
	return deleted, nil
}

// deleteLostOf deletes what is not wanted of a day, and reports whether all that is left is.
func deleteLostOf(ctx context.Context, s *Store, name, wanted string, limit int) (deleted int, whole bool, err error) {
	text := func(pattern string) string {
		return s.book.Here(fmt.Sprintf(pattern, name))
	}
	kept := false
	_, err = s.pipeline(ctx, &wire.Call{Text: text(`SELECT 1 FROM %s a WHERE ` + wanted + ` LIMIT 1`), Start: func() { kept = false }, Scan: func(wire.Row) error {
		kept = true
		return nil
	}})
	if err != nil {
		return 0, false, err
	}
	if !kept {
		dropped, err := s.drop(ctx, name)
		if dropped {
			deleted = 1
		}
		return deleted, false, err
	}
	c := &wire.Call{Args: []any{limit}, Text: text(`DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %[1]s a WHERE (` + wanted + `) IS NOT TRUE LIMIT $1::bigint))`)}
	if _, err = s.pipeline(ctx, c); err != nil {
		return 0, false, err
	}
	return int(c.Changed), c.Changed < int64(limit), nil
}

func (s *Store) deleteDedupe(ctx context.Context, _ time.Time, limit int) (int, error) {
	c := &wire.Call{Query: deleteDedupe, Args: []any{s.offset(), limit}}
	_, err := s.pipeline(ctx, c)
	return int(c.Changed), err
}

func (s *Store) deleteNodes(ctx context.Context, _ time.Time, limit int) (int, error) {
	c := &wire.Call{Query: deleteNodes, Args: []any{s.offset(), sqlstore.NodeMemory.Microseconds(), limit}}
	_, err := s.pipeline(ctx, c)
	return int(c.Changed), err
}

// Where Citus has distributed the tables nothing is partitioned: what has ended
// is deleted lane by lane, a batch in each transaction.
var (
	allLaneNumbers = wire.NewQuery(`SELECT lane FROM outlast_lane ORDER BY lane`)

	// deleteEnded deletes tasks of a lane that ended before a time, with their
	// histories and steps. Inputs: lane, time, limit.
	deleteEnded = wire.NewQuery(`WITH d AS (DELETE FROM outlast_done WHERE lane = $1::integer AND id IN (SELECT id FROM outlast_done WHERE lane = $1::integer AND finished_at < $2::bigint ORDER BY finished_at LIMIT $3::bigint) RETURNING id),
a AS (DELETE FROM outlast_attempt WHERE lane = $1::integer AND id IN (SELECT id FROM d)),
s AS (DELETE FROM outlast_step WHERE lane = $1::integer AND id IN (SELECT id FROM d))
SELECT count(*) FROM d`)

	// expiredKeys reads entries of dedupe keys of a lane whose window has
	// passed, after a key; their tasks may be of other lanes. Inputs: lane,
	// now, queue and key to begin after, limit.
	expiredKeys = wire.NewQuery(`SELECT queue, key, id FROM outlast_dedupe WHERE lane = $1::integer AND expires <= $2::bigint AND (queue, key) > ($3::text, $4::text) ORDER BY queue, key LIMIT $5::bigint`)

	// deleteKeys deletes entries unless they were taken anew meanwhile.
	// Inputs: lane, now, queues, keys, ids.
	deleteKeys = wire.NewQuery(`DELETE FROM outlast_dedupe d USING unnest($3::text[], $4::text[], $5::uuid[]) AS u (queue, key, id)
WHERE d.lane = $1::integer AND d.queue = u.queue AND d.key = u.key AND d.id = u.id AND d.expires <= $2::bigint`)

	// endedNodes lists nodes that ended long ago and own no lane. Inputs: clock,
	// memory, limit.
	endedNodes = wire.NewQuery(`SELECT id FROM outlast_node n WHERE state <> 'alive' AND ended_at <= ` + wire.NowMicro + ` - $2::bigint
 AND NOT EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) LIMIT $3::bigint`)

	dropNodes = wire.NewQuery(`DELETE FROM outlast_node WHERE id = ANY($1::text[]) AND state <> 'alive'`)
	dropNoted = wire.NewQuery(`DELETE FROM outlast_cancel WHERE node = ANY($1::text[])`)
)

// batch is how many rows one transaction deletes at most.
const batch = 1000

// deleteLanes deletes ended tasks and dedupe entries lane by lane.
func (s *Store) deleteLanes(ctx context.Context, ended time.Time, limit int) (deleted int, err error) {
	var lanes []uint16
	err = s.read(ctx, func(c wire.Session) error {
		lanes = nil
		return wire.Each(ctx, c, allLaneNumbers, func(r wire.Row) error {
			lanes = append(lanes, uint16(r.Int(0)))
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	for _, lane := range lanes {
		for _, step := range [...]func(context.Context, uint16, time.Time, int) (int, error){s.deleteEnded, s.deleteKeys} {
			n, err := step(ctx, lane, ended, limit-deleted)
			if deleted += n; err != nil || deleted >= limit {
				return deleted, err
			}
		}
	}
	return deleted, nil
}

func (s *Store) deleteEnded(ctx context.Context, lane uint16, ended time.Time, limit int) (deleted int, err error) {
	for deleted < limit {
		n, most := 0, min(batch, limit-deleted)
		_, err := s.pipeline(ctx, &wire.Call{Query: deleteEnded, Args: []any{lane, ended.UnixMicro(), most}, Scan: func(r wire.Row) error {
			n = int(r.Int(0))
			return nil
		}})
		if deleted += n; err != nil || n < most {
			return deleted, err
		}
	}
	return deleted, nil
}

// dedupeKeys are entries of dedupe keys.
type dedupeKeys struct {
	queues, keys []string
	ids          []task.ID
}

// deleteKeys deletes dedupe entries of a lane whose window has passed, unless
// their task lives.
func (s *Store) deleteKeys(ctx context.Context, lane uint16, _ time.Time, limit int) (deleted int, err error) {
	queue, key := "", ""
	for deleted < limit {
		var found *dedupeKeys
		n := int64(0)
		err := s.write(ctx, func(t *tx) (err error) {
			n, found = 0, &dedupeKeys{}
			if err := wire.Each(ctx, t, expiredKeys, found.add, lane, t.now, queue, key, batch); err != nil || len(found.ids) == 0 {
				return err
			}
			over, err := found.ended(ctx, t)
			if err != nil || len(over.ids) == 0 {
				return err
			}
			most := min(len(over.ids), limit-deleted)
			n, err = wire.Exec(ctx, t, deleteKeys, lane, t.now, over.queues[:most], over.keys[:most], over.ids[:most])
			return err
		})
		if deleted += int(n); err != nil || len(found.ids) < batch {
			return deleted, err
		}
		queue, key = found.queues[batch-1], found.keys[batch-1]
	}
	return deleted, nil
}

func (d *dedupeKeys) add(r wire.Row) error {
	d.queues, d.keys, d.ids = append(d.queues, r.Text(0)), append(d.keys, r.Text(1)), append(d.ids, r.ID(2))
	return nil
}

// ended are the entries whose task is not live.
func (d *dedupeKeys) ended(ctx context.Context, t *tx) (*dedupeKeys, error) {
	live := map[task.ID]bool{}
	var calls []*wire.Call
	for _, part := range t.store.byLane(d.ids) {
		calls = append(calls, &wire.Call{Query: liveOf, Args: []any{part}, Scan: func(r wire.Row) error {
			live[r.ID(0)] = true
			return nil
		}})
	}
	if err := t.Run(ctx, calls...); err != nil {
		return nil, err
	}
	over := &dedupeKeys{}
	for i, id := range d.ids {
		if !live[id] {
			over.queues, over.keys, over.ids = append(over.queues, d.queues[i]), append(over.keys, d.keys[i]), append(over.ids, id)
		}
	}
	return over, nil
}

// deleteSpreadNodes deletes nodes that ended long ago and hold nothing.
func (s *Store) deleteSpreadNodes(ctx context.Context, _ time.Time, limit int) (deleted int, err error) {
	err = s.write(ctx, func(t *tx) error {
		deleted = 0
		var ended []string
		err := wire.Each(ctx, t, endedNodes, func(r wire.Row) error {
			ended = append(ended, r.Text(0))
			return nil
		}, s.offset(), sqlstore.NodeMemory.Microseconds(), limit)
		if err != nil || len(ended) == 0 {
			return err
		}
		err = wire.Each(ctx, t, holdsRows, func(r wire.Row) error {
			ended = slices.DeleteFunc(ended, func(node string) bool { return node == r.Text(0) })
			return nil
		}, ended)
		if err != nil {
			return err
		}
		n, err := wire.Exec(ctx, t, dropNodes, ended)
		if deleted = int(n); err == nil {
			_, err = wire.Exec(ctx, t, dropNoted, ended)
		}
		return err
	})
	return deleted, err
}
