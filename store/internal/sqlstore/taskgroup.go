package sqlstore

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/task"
)

// Members are counted by lane, so that nodes that end tasks of different lanes do not wait for
// one another. A transaction of a caller, which may stay open for long, has a row of its own:
// its part is a random number, that of all others 0.
//
// Everybody locks a group, then tasks, then counts. Who inserts members or takes back a death
// shares the lock of the group, so that who closes or finishes it waits, and sees what they
// have counted. An end needs no lock of the group: it cannot be done before.

const taskGroupColumns = `id, label, state, callback, created_at, closed_at, done_at, callback_id`

var (
	getTaskGroup  = query(`SELECT ` + taskGroupColumns + ` FROM outlast_group WHERE id = $1::uuid`)
	lockTaskGroup = query(`SELECT ` + taskGroupColumns + ` FROM outlast_group WHERE id = $1::uuid` + forUpdate)
	holdTaskGroup = query(`SELECT id, state FROM outlast_group WHERE id = $1::uuid` + forShare)

	addTaskGroup    = query(`INSERT INTO outlast_group (id, label, state, callback, created_at) VALUES ($1::uuid, $2::text, $3::text, $4::bytea, $5::bigint)` + onConflict)
	closeTaskGroup  = query(`UPDATE outlast_group SET state = $2::text, closed_at = $3::bigint WHERE id = $1::uuid`)
	finishTaskGroup = query(`UPDATE outlast_group SET state = $2::text, done_at = $3::bigint, callback_id = $4::uuid WHERE id = $1::uuid`)

	// listTaskGroups and listGroupsOf are two, so that each has an index.
	listTaskGroups = query(`SELECT ` + taskGroupColumns + ` FROM outlast_group WHERE id < $1::uuid ORDER BY id DESC LIMIT $2::bigint`)
	listGroupsOf   = query(`SELECT ` + taskGroupColumns + ` FROM outlast_group WHERE state = $1::text AND id < $2::uuid ORDER BY id DESC LIMIT $3::bigint`)

	sumMembers = query(`SELECT CAST(sum(members) AS bigint), CAST(sum(succeeded) AS bigint), CAST(sum(dead) AS bigint), CAST(sum(canceled) AS bigint)
FROM outlast_group_count WHERE group_id = $1::uuid`)
	addMembers = query(`UPDATE outlast_group_count SET members = members + $4::bigint, succeeded = succeeded + $5::bigint, dead = dead + $6::bigint, canceled = canceled + $7::bigint
WHERE group_id = $1::uuid AND lane = $2::integer AND part = $3::bigint`)
	newMembers = query(`INSERT INTO outlast_group_count (group_id, lane, part, members, succeeded, dead, canceled)
VALUES ($1::uuid, $2::integer, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint)` + onConflict)

	oldTaskGroups   = query(`SELECT id FROM outlast_group WHERE state = 'done' AND done_at < $1::bigint ORDER BY done_at LIMIT $2::bigint`)
	dropTaskGroup   = query(`DELETE FROM outlast_group WHERE id = $1::uuid AND state = 'done'`)
	dropGroupCounts = query(`DELETE FROM outlast_group_count WHERE group_id = $1::uuid`)
)

// groupBeyond is above every id.
var groupBeyond = task.ID{0: 0xff, 1: 0xff, 2: 0xff, 3: 0xff, 4: 0xff, 5: 0xff, 6: 0xff, 7: 0xff, 8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff}

func scanTaskGroup(r Row) task.Group {
	g := task.Group{
		ID: r.ID(0), Label: r.Text(1), State: task.GroupState(r.Text(2)), CreatedAt: r.Time(4), ClosedAt: r.Time(5), DoneAt: r.Time(6), CallbackTask: r.ID(7),
	}
	_ = json.Unmarshal(r.Blob(3), &g.Callback) // one without a type is refused where it is to be made
	return g
}

func scanCounts(r Row) task.GroupCounts {
	return task.GroupCounts{Members: int(r.Int(0)), Succeeded: int(r.Int(1)), Dead: int(r.Int(2)), Canceled: int(r.Int(3))}
}

// counted reads the counts of groups in one round trip.
func counted(s Session, groups []task.Group) error {
	var calls []*Call
	for i := range groups {
		calls = append(calls, &Call{Query: sumMembers, Args: []any{groups[i].ID}, Scan: func(r Row) error {
			groups[i].Counts = scanCounts(r)
			return nil
		}})
	}
	if len(calls) == 0 {
		return nil
	}
	return s.Run(calls...)
}

// readGroup reads a group by a query, with its counts.
func readGroup(s Session, q *Query, id task.ID) (*task.Group, error) {
	groups, err := all(s, q, scanTaskGroup, id)
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return nil, grouped.NotFound(id)
	}
	return &groups[0], counted(s, groups)
}

// Standings shares the locks of groups and reads how they stand; those that are not there are
// absent. With counts it has their members too. A caller's transaction reads none: where it is
// SERIALIZABLE, it would lock them, or conflict with others that bring members.
func Standings(s Session, groups []task.ID, counts bool) (map[task.ID]grouped.Standing, error) {
	found := make(map[task.ID]grouped.Standing, len(groups))
	for _, id := range groups {
		var members int
		calls := []*Call{{Query: holdTaskGroup, Args: []any{id}, Scan: func(r Row) error {
			found[r.ID(0)] = grouped.Standing{State: task.GroupState(r.Text(1))}
			return nil
		}}}
		if counts {
			calls = append(calls, &Call{Query: sumMembers, Args: []any{id}, Scan: func(r Row) error {
				members = scanCounts(r).Members
				return nil
			}})
		}
		if err := s.Run(calls...); err != nil {
			return nil, err
		}
		if standing, ok := found[id]; ok {
			standing.Members = members
			found[id] = standing
		}
	}
	return found, nil
}

// AddCounts adds what was counted; callers says that the transaction is a caller's.
func AddCounts(s Session, counts grouped.Tally, callers bool) error {
	part := int64(0)
	if callers {
		part = 1 + rand.Int64N(1<<62)
	}
	for _, place := range counts.Places() {
		c := counts[place]
		args := []any{place.Group, place.Lane, part, c.Members, c.Succeeded, c.Dead, c.Canceled}
		// The row is there but for the first time; who comes second then adds to it.
		for _, q := range [...]*Query{addMembers, newMembers, addMembers} {
			if callers && q == addMembers {
				continue
			}
			changed, err := exec(s, q, args...)
			if err != nil {
				return err
			}
			if changed > 0 {
				break
			}
		}
	}
	return nil
}

// TaskGroups is the part of a [store.Backend] about groups of tasks. A store embeds it.
type TaskGroups struct{ cold Cold }

// NewTaskGroups makes the part that works on a database.
func NewTaskGroups(db Database) TaskGroups { return TaskGroups{Cold{db: db}} }

// PutGroup implements [store.TaskGroups].
func (c TaskGroups) PutGroup(ctx context.Context, group task.Group, audit ...store.Audit) (*task.Group, error) {
	if err := check.Group(&group); err != nil {
		return nil, err
	}
	callback, err := json.Marshal(group.Callback)
	if err != nil {
		return nil, task.Invalid("callback", "it cannot be stored: "+err.Error(), "")
	}
	return writing(ctx, c.cold, "put_group", func(tx Tx) (*task.Group, error) {
		added, err := exec(tx, addTaskGroup, group.ID, group.Label, string(task.GroupOpen), callback, tx.Now)
		if err != nil {
			return nil, err
		}
		stands, err := readGroup(tx, getTaskGroup, group.ID)
		if err != nil {
			return nil, err
		}
		if added > 0 {
			return stands, Log(tx, audit)
		}
		return stands, check.SameGroup(stands, &group)
	})
}

// CloseGroup implements [store.TaskGroups].
func (c TaskGroups) CloseGroup(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Group, error) {
	return writing(ctx, c.cold, "close_group", func(tx Tx) (*task.Group, error) {
		group, err := readGroup(tx, lockTaskGroup, id)
		if err != nil || group.State != task.GroupOpen {
			return group, err
		}
		group.State, group.ClosedAt = task.GroupClosed, now(tx)
		if _, err := exec(tx, closeTaskGroup, id, string(group.State), tx.Now); err != nil {
			return nil, err
		}
		return group, Log(tx, audit)
	})
}

// FinishGroup implements [store.TaskGroups].
func (c TaskGroups) FinishGroup(ctx context.Context, id task.ID, counted task.GroupCounts, callback store.Insert) (group *task.Group, err error) {
	if err := check.Insert(&callback); err != nil {
		return nil, err
	}
	err = c.cold.db.Change(ctx, 0, func(tx Tx) (err error) {
		group, err = readGroup(tx, lockTaskGroup, id)
		if err != nil || !group.Complete() || group.Counts != counted {
			return err
		}
		if _, err := tx.Insert([]store.Insert{callback}); err != nil {
			return err
		}
		group.State, group.DoneAt, group.CallbackTask = task.GroupDone, now(tx), callback.Task.ID
		_, err = exec(tx, finishTaskGroup, id, string(group.State), tx.Now, group.CallbackTask)
		return err
	})
	return resultOf(group, err)
}

// Group implements [store.TaskGroups].
func (c TaskGroups) Group(ctx context.Context, id task.ID) (*task.Group, error) {
	return reading(ctx, c.cold, func(s Session) (*task.Group, error) { return readGroup(s, getTaskGroup, id) })
}

// Groups implements [store.TaskGroups].
func (c TaskGroups) Groups(ctx context.Context, state task.GroupState, before task.ID, limit int) ([]task.Group, error) {
	if limit <= 0 {
		return nil, nil
	}
	if before.IsZero() {
		before = groupBeyond
	}
	return reading(ctx, c.cold, func(s Session) (groups []task.Group, err error) {
		if state == "" {
			groups, err = all(s, listTaskGroups, scanTaskGroup, before, limit)
		} else {
			groups, err = all(s, listGroupsOf, scanTaskGroup, string(state), before, limit)
		}
		if err != nil {
			return nil, err
		}
		return groups, counted(s, groups)
	})
}

// CleanGroups deletes groups that were done before a time, with their counts, at most so many.
// Where there are none it writes nothing.
func (c TaskGroups) CleanGroups(ctx context.Context, done store.Time, limit int) (deleted int, err error) {
	for deleted < limit {
		most := min(limit-deleted, groupsTogether)
		var old []task.ID
		err := c.cold.db.Read(ctx, func(s Session) (err error) {
			old, err = all(s, oldTaskGroups, func(r Row) task.ID { return r.ID(0) }, done.UnixMicro(), most)
			return err
		})
		if err == nil && len(old) > 0 {
			err = c.cold.db.Write(ctx, "cleanup", func(tx Tx) error { return dropGroups(tx, old) })
		}
		if err != nil {
			return deleted, err
		}
		if deleted += len(old); len(old) < most {
			return deleted, nil
		}
	}
	return deleted, nil
}

// dropGroups deletes groups that are done, as they stay.
func dropGroups(tx Tx, done []task.ID) error {
	var calls []*Call
	for _, id := range done {
		calls = append(calls, &Call{Query: dropTaskGroup, Args: []any{id}}, &Call{Query: dropGroupCounts, Args: []any{id}})
	}
	return tx.Run(calls...)
}

// groupsTogether is how many groups one transaction deletes.
const groupsTogether = 100
