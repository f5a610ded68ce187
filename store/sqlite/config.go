package sqlite

import (
	"cmp"
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const (
	defaultLanes = 8
	allLanes     = 1 << 16
)

var (
	selectQueue = &query{sql: `SELECT name, lanes, key_lanes, paused, policy, unknown_type, concurrency, max_pending, weight, updated_at
FROM outlast_queue WHERE name = ?`}

	// putQueue stores a queue; its key lanes never change.
	putQueue = &query{sql: `INSERT INTO outlast_queue (name, lanes, key_lanes, paused, policy, unknown_type, concurrency, max_pending, weight, updated_at)
VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (name) DO UPDATE SET lanes = ?2, paused = ?3, policy = ?4, unknown_type = ?5, concurrency = ?6, max_pending = ?7, weight = ?8, updated_at = ?9`}

	// nextLane reserves n lane numbers and returns the first not reserved.
	nextLane   = &query{sql: `UPDATE outlast_counter SET value = value + ? WHERE name = 'lane' RETURNING value`}
	insertLane = &query{sql: `INSERT INTO outlast_lane (lane, queue) VALUES (?, ?)`}
	pauseQueue = &query{sql: `UPDATE outlast_queue SET paused = ?2, updated_at = ?3 WHERE name = ?1`}
)

// PutQueue implements [store.Config].
func (s *Store) PutQueue(ctx context.Context, queue store.Queue, audit ...store.Audit) (*store.Queue, error) {
	if err := check.Queue(&queue); err != nil {
		return nil, err
	}
	var stored *store.Queue
	err := s.write(ctx, "put_queue", func(tx *tx) error {
		old, err := readQueue(tx, queue.Name)
		if err != nil {
			return err
		}
		lanes := queue.Lanes
		if lanes == 0 {
			lanes = max(old.Lanes, defaultLanes)
			if old.Lanes > 0 {
				lanes = old.Lanes
			}
		}
		if lanes < old.Lanes {
			return task.Invalid("lanes", "the lanes of a queue can only be raised", "")
		}
		if err := addLanes(tx, queue.Name, lanes-old.Lanes); err != nil {
			return err
		}
		_, err = tx.exec(putQueue, queue.Name, lanes, queue.Paused, queue.Policy, cmp.Or(queue.UnknownType, "park"),
			queue.Concurrency, queue.MaxPending, cmp.Or(queue.Weight, 1), tx.now)
		if err != nil {
			return err
		}
		if stored, err = wholeQueue(tx, queue.Name); err != nil {
			return err
		}
		return objects.Log(tables{tx}, store.AuditQueue(audit, known(&old), stored), tx.time())
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

func addLanes(tx *tx, queue string, n int) error {
	if n == 0 {
		return nil
	}
	var end int64
	if _, err := one(tx, nextLane, func(r row) { end = r.int(0) }, n); err != nil {
		return err
	}
	if end > allLanes {
		if _, err := one(tx, nextLane, func(row) {}, -n); err != nil {
			return err
		}
		return &task.Error{Code: task.CodeConflict, Message: "all 65536 lanes are in use"}
	}
	for lane := end - int64(n); lane < end; lane++ {
		if _, err := tx.exec(insertLane, lane, queue); err != nil {
			return err
		}
	}
	return nil
}

func readQueue(s session, name string) (queue store.Queue, err error) {
	_, err = one(s, selectQueue, func(r row) { queue = scanQueue(r) }, name)
	return queue, err
}

// wholeQueue reads a queue with its lane numbers.
func wholeQueue(s session, name string) (*store.Queue, error) {
	queues, err := readQueues(s)
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
	err = s.read(ctx, func(c *conn) (err error) {
		queues, err = readQueues(c)
		for i := range queues {
			if err == nil {
				err = countQueue(c, &queues[i])
			}
		}
		return err
	})
	return queues, err
}

// PauseQueue implements [store.Config].
func (s *Store) PauseQueue(ctx context.Context, name string, paused bool, audit ...store.Audit) (*store.Queue, error) {
	var stored *store.Queue
	err := s.write(ctx, "pause_queue", func(tx *tx) error {
		old, err := readQueue(tx, name)
		if err != nil {
			return err
		}
		n, err := tx.exec(pauseQueue, name, paused, tx.now)
		if err != nil {
			return err
		}
		if n == 0 {
			return task.NotFound("queue", name)
		}
		if stored, err = wholeQueue(tx, name); err != nil {
			return err
		}
		old.Lanes = stored.Lanes
		return objects.Log(tables{tx}, store.AuditQueue(audit, &old, stored), tx.time())
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
