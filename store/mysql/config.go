package mysql

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const (
	defaultLanes = 8
	allLanes     = 1 << 16
)

const (
	// lockLanes locks the counter of lanes, which also keeps two changes of
	// one queue apart.
	lockLanes = `SELECT value FROM outlast_counter WHERE name = 'lane' FOR UPDATE`
	setLanes  = `UPDATE outlast_counter SET value = ? WHERE name = 'lane'`

	selectQueue = `SELECT ` + queueColumns + ` FROM outlast_queue WHERE name = ?`

	// putQueue stores a queue; its key lanes never change.
	putQueue = `INSERT INTO outlast_queue (` + queueColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON DUPLICATE KEY UPDATE lanes = VALUES(lanes), paused = VALUES(paused), policy = VALUES(policy), unknown_type = VALUES(unknown_type),
 concurrency = VALUES(concurrency), max_pending = VALUES(max_pending), weight = VALUES(weight), updated_at = VALUES(updated_at)`

	insertLanes = `INSERT INTO outlast_lane (lane, queue) VALUES `
	pauseQueue  = `UPDATE outlast_queue SET paused = ?, updated_at = ? WHERE name = ?`
)

// PutQueue implements [store.Config].
func (s *Store) PutQueue(ctx context.Context, queue store.Queue, audit ...store.Audit) (*store.Queue, error) {
	if err := check.Queue(&queue); err != nil {
		return nil, err
	}
	var stored *store.Queue
	err := s.write(ctx, "put_queue", func(tx *tx) error {
		var next int64
		if err := tx.one(lockLanes, &next); err != nil {
			return err
		}
		old, err := tx.queue(queue.Name)
		if err != nil {
			return err
		}
		lanes := cmp.Or(queue.Lanes, old.Lanes, defaultLanes)
		if lanes < old.Lanes {
			return task.Invalid("lanes", "the lanes of a queue can only be raised", "")
		}
		if err := tx.addLanes(queue.Name, next, lanes-old.Lanes); err != nil {
			return err
		}
		_, err = tx.exec(putQueue, queue.Name, lanes, lanes, queue.Paused, queue.Policy, cmp.Or(queue.UnknownType, "park"),
			queue.Concurrency, queue.MaxPending, cmp.Or(queue.Weight, 1), tx.now)
		if err != nil {
			return err
		}
		if stored, err = tx.wholeQueue(queue.Name); err != nil {
			return err
		}
		return objects.Log(&tables{tx: tx}, store.AuditQueue(audit, known(&old), stored), tx.time())
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

func (tx *tx) addLanes(queue string, next int64, n int) error {
	if n == 0 {
		return nil
	}
	end := next + int64(n)
	if end > allLanes {
		return &task.Error{Code: task.CodeConflict, Message: "all 65536 lanes are in use"}
	}
	lanes := insertion{on: tx.session, head: insertLanes}
	for lane := next; lane < end; lane++ {
		if err := lanes.add(lane, queue); err != nil {
			return err
		}
	}
	if err := lanes.flush(); err != nil {
		return err
	}
	_, err := tx.exec(setLanes, end)
	return err
}

func (s *session) queue(name string) (q store.Queue, err error) {
	err = s.each(selectQueue, func(rows *sql.Rows) (err error) {
		q, err = scanQueue(rows)
		return err
	}, name)
	return q, err
}

// wholeQueue reads a queue with its lane numbers.
func (s *session) wholeQueue(name string) (*store.Queue, error) {
	queues, _, err := s.queues()
	if err != nil {
		return nil, err
	}
	for i := range queues {
		if queues[i].Name == name {
			return &queues[i], nil
		}
	}
	return nil, task.NotFound("queue", name)
}

// Queues implements [store.Config].
func (s *Store) Queues(ctx context.Context) (queues []store.Queue, err error) {
	err = s.snapshot(ctx, func(c *session) (err error) {
		if queues, _, err = c.queues(); err != nil {
			return err
		}
		return c.countQueues(queues)
	})
	if err != nil {
		return nil, err
	}
	return queues, nil
}

// PauseQueue implements [store.Config].
func (s *Store) PauseQueue(ctx context.Context, name string, paused bool, audit ...store.Audit) (*store.Queue, error) {
	var stored *store.Queue
	err := s.write(ctx, "pause_queue", func(tx *tx) error {
		var next int64
		if err := tx.one(lockLanes, &next); err != nil { // one change of a queue at a time
			return err
		}
		old, err := tx.queue(name)
		if err != nil {
			return err
		}
		if _, err := tx.exec(pauseQueue, paused, tx.now, name); err != nil {
			return err
		}
		if stored, err = tx.wholeQueue(name); err != nil {
			return err
		}
		old.Lanes = stored.Lanes
		return objects.Log(&tables{tx: tx}, store.AuditQueue(audit, &old, stored), tx.time())
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// known is nil for a queue that there was not.
func known(queue *store.Queue) *store.Queue {
	if queue.Lanes == 0 {
		return nil
	}
	return queue
}
