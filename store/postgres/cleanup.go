package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
)

var (
	// partitionsOf lists the partitions of a table, oldest first.
	partitionsOf = newQuery(`SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
JOIN pg_namespace n ON n.oid = p.relnamespace WHERE n.nspname = $1::text AND p.relname = $2::text ORDER BY c.relname`)

	// deleteDedupe deletes entries whose window has passed and whose task is
	// not live any more. Inputs: clock, limit.
	deleteDedupe = newQuery(`DELETE FROM outlast_dedupe WHERE (lane, queue, key) IN (SELECT lane, queue, key FROM outlast_dedupe d
WHERE d.expires <= ` + nowMicro + ` AND (SELECT true FROM outlast_task t WHERE t.id = d.id) IS NULL ORDER BY d.expires LIMIT $2::bigint FOR UPDATE SKIP LOCKED)`)

	// deleteNodes deletes nodes that ended long ago and hold nothing. Inputs:
	// clock, memory, limit.
	deleteNodes = newQuery(`DELETE FROM outlast_node WHERE id IN (SELECT id FROM outlast_node n WHERE state <> 'alive' AND ended_at <= ` + nowMicro + ` - $2::bigint
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
	steps := []func(context.Context, time.Time, int) (int, error){s.dropDays, s.deleteDone, s.deleteLost, s.deleteDedupe, s.deleteNodes}
	if s.spread {
		steps = []func(context.Context, time.Time, int) (int, error){s.deleteLanes, s.deleteSpreadNodes}
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

// days lists the partitions of a table that are wanted by the time of their
// beginning, their end, and the store's now; oldest first.
func (s *Store) days(ctx context.Context, table string, wanted func(since, end, now time.Time) bool) (names []string, err error) {
	var now time.Time
	err = s.read(ctx, func(c session) error {
		names = nil
		return c.run(ctx, &call{query: selectNow, args: []any{s.offset()}, scan: func(r row) error {
			now = r.Time(0)
			return nil
		}}, &call{query: partitionsOf, args: []any{s.schema, table}, scan: func(r row) error {
			at, err := time.Parse("20060102", strings.TrimPrefix(r.Text(0), table+"_"))
			if err == nil && wanted(at, at.Add(day), now) {
				names = append(names, r.Text(0))
			}
			return nil
		}})
	})
	return names, err
}

// drop drops a partition, unless others use the table for too long: the next
// call tries again.
func (s *Store) drop(ctx context.Context, name string) (bool, error) {
	err := s.connected(ctx, func(c *conn) error {
		return c.run(ctx, &call{query: setLockWait, args: []any{dropWait}}, &call{text: `DROP TABLE ` + quote(s.schema) + `.` + quote(name)})
	})
	if passing(err) || gone(err) {
		return false, nil
	}
	return err == nil, s.explained(err)
}

// gone reports whether a statement met a day that another node has just
// dropped. The server says so of one that goes away while it looks at it with
// the code of all that it did not expect, in words that it does not translate.
func gone(err error) bool {
	code := codeOf(err)
	return code == codeNoTable || code == codeInternal && strings.Contains(messageOf(err), "relation")
}

// deleteEndedOfDay deletes tasks of one day that ended before $1, and their histories.
// Rows of a day lie about in the order in which they ended, so that the first to
// go are found at once without an index of their times, which every settlement
// would have to pay for; and they are deleted by their places. When all are gone,
// finding so reads the day whole.
const deleteEndedOfDay = `WITH d AS (DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %[1]s WHERE finished_at < $1::bigint LIMIT $2::bigint)) RETURNING id),
 a AS (DELETE FROM outlast_attempt WHERE id = ANY(ARRAY(SELECT id FROM d)))
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
		_, err = s.pipeline(ctx, &call{
			text: newStatement(fmt.Sprintf(deleteEndedOfDay, name), quote(s.schema)+".").text, args: []any{ended.UnixMicro(), limit - deleted},
			scan: func(r row) error { n = int(r.Int(0)); return nil },
		})
		if gone(err) {
			n, err = 0, nil
		}
		deleted += n
	}
	return deleted, err
}

// deleteLost deletes histories of tasks that went with a whole day: where
// nothing of a day is wanted any more the day is dropped, else what is not
// wanted is deleted.
func (s *Store) deleteLost(ctx context.Context, ended time.Time, limit int) (deleted int, err error) {
	days, err := s.pastDays(ctx, "outlast_attempt", ended)
	for _, name := range days {
		if err != nil || deleted >= limit {
			return deleted, err
		}
		var n int
		if n, err = s.deleteLostOf(ctx, name, limit-deleted); gone(err) {
			n, err = 0, nil
		}
		deleted += n
	}
	return deleted, err
}

func (s *Store) deleteLostOf(ctx context.Context, name string, limit int) (deleted int, err error) {
	const wanted = `(SELECT true FROM outlast_task t WHERE t.id = a.id) OR (SELECT true FROM outlast_done d WHERE d.id = a.id LIMIT 1)`
	text := func(pattern string) string {
		return newStatement(fmt.Sprintf(pattern, name), quote(s.schema)+".").text
	}
	kept := false
	_, err = s.pipeline(ctx, &call{text: text(`SELECT 1 FROM %s a WHERE ` + wanted + ` LIMIT 1`), start: func() { kept = false }, scan: func(row) error {
		kept = true
		return nil
	}})
	if err != nil {
		return 0, err
	}
	if !kept {
		dropped, err := s.drop(ctx, name)
		if dropped {
			deleted = 1
		}
		return deleted, err
	}
	c := &call{args: []any{limit}, text: text(`DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %[1]s a WHERE (` + wanted + `) IS NOT TRUE LIMIT $1::bigint))`)}
	_, err = s.pipeline(ctx, c)
	return int(c.changed), err
}

func (s *Store) deleteDedupe(ctx context.Context, _ time.Time, limit int) (int, error) {
	c := &call{query: deleteDedupe, args: []any{s.offset(), limit}}
	_, err := s.pipeline(ctx, c)
	return int(c.changed), err
}

func (s *Store) deleteNodes(ctx context.Context, _ time.Time, limit int) (int, error) {
	c := &call{query: deleteNodes, args: []any{s.offset(), nodeMemory.Microseconds(), limit}}
	_, err := s.pipeline(ctx, c)
	return int(c.changed), err
}
