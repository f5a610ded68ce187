package postgres

import (
	"cmp"
	"context"
	"slices"

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
	// lockCounter takes the lock that all who make queues and lanes take.
	lockCounter = newQuery(`SELECT value FROM outlast_counter WHERE name = 'lane' FOR UPDATE`)

	lanesOf = newQuery(`SELECT lanes FROM outlast_queue WHERE name = $1::text`)

	// putQueue stores a queue; its key lanes never change.
	putQueue = newQuery(`INSERT INTO outlast_queue (name, lanes, key_lanes, paused, policy, unknown_type, concurrency, max_pending, weight, updated_at)
VALUES ($1::text, $2::bigint, $2::bigint, $3::boolean, $4::text, $5::text, $6::bigint, $7::bigint, $8::bigint, $9::bigint)
ON CONFLICT (name) DO UPDATE SET lanes = excluded.lanes, paused = excluded.paused, policy = excluded.policy, unknown_type = excluded.unknown_type,
 concurrency = excluded.concurrency, max_pending = excluded.max_pending, weight = excluded.weight, updated_at = excluded.updated_at`)

	// raiseCounter reserves lane numbers, insertLanes uses them.
	raiseCounter = newQuery(`UPDATE outlast_counter SET value = value + $1::bigint WHERE name = 'lane' RETURNING value`)
	insertLanes  = newQuery(`INSERT INTO outlast_lane (lane, queue) SELECT n, $1::text FROM generate_series($2::bigint, $3::bigint) AS n`)

	// insertAnchor is what goes with a lane where tables are distributed.
	insertAnchor = newQuery(`INSERT INTO outlast_anchor (lane) VALUES ($1::integer) ON CONFLICT DO NOTHING`)

	pauseQueue = newQuery(`UPDATE outlast_queue SET paused = $2::boolean, updated_at = $3::bigint WHERE name = $1::text`)
)

// PutQueue implements [store.Config].
func (s *Store) PutQueue(ctx context.Context, queue store.Queue, audit ...store.Audit) (*store.Queue, error) {
	if err := check.Queue(&queue); err != nil {
		return nil, err
	}
	var stored *store.Queue
	err := s.write(ctx, func(t *tx) (err error) {
		if _, err := exec(ctx, t, lockCounter); err != nil {
			return err
		}
		before, err := queueBefore(ctx, t, queue.Name, audit)
		if err != nil {
			return err
		}
		old := 0
		if _, err := one(ctx, t, lanesOf, func(r row) { old = int(r.int(0)) }, queue.Name); err != nil {
			return err
		}
		lanes := cmp.Or(queue.Lanes, old, defaultLanes)
		if lanes < old {
			return task.Invalid("lanes", "the lanes of a queue can only be raised", "")
		}
		if err := t.addLanes(ctx, queue.Name, lanes-old); err != nil {
			return err
		}
		_, err = exec(ctx, t, putQueue, queue.Name, lanes, queue.Paused, queue.Policy, cmp.Or(queue.UnknownType, "park"),
			queue.Concurrency, queue.MaxPending, cmp.Or(queue.Weight, 1), t.now)
		if err != nil {
			return err
		}
		if stored, err = wholeQueue(ctx, t, queue.Name); err != nil {
			return err
		}
		return objects.Log(&tables{ctx, t}, store.AuditQueue(audit, before, stored), t.time())
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// queueBefore reads a queue for the audit log, nil where there is none or nobody
// asks.
func queueBefore(ctx context.Context, t *tx, name string, audit []store.Audit) (*store.Queue, error) {
	if len(audit) == 0 {
		return nil, nil
	}
	queues, err := readQueues(ctx, t)
	if i := slices.IndexFunc(queues, func(q store.Queue) bool { return q.Name == name }); err == nil && i >= 0 {
		return &queues[i], nil
	}
	return nil, err
}

func (t *tx) addLanes(ctx context.Context, queue string, n int) error {
	if n == 0 {
		return nil
	}
	var end int64
	if _, err := one(ctx, t, raiseCounter, func(r row) { end = r.int(0) }, n); err != nil {
		return err
	}
	if end > allLanes {
		return &task.Error{Code: task.CodeConflict, Message: "all 65536 lanes are in use"}
	}
	calls := []*call{{query: insertLanes, args: []any{queue, end - int64(n), end - 1}}}
	for lane := end - int64(n); t.store.spread && lane < end; lane++ {
		calls = append(calls, &call{query: insertAnchor, args: []any{int32(lane)}})
	}
	return t.run(ctx, calls...)
}

func readQueues(ctx context.Context, s session) (queues []store.Queue, err error) {
	var lanes []store.Lane
	if err := s.run(ctx, queuesCall(&queues), lanesCall(&lanes)); err != nil {
		return nil, err
	}
	giveLanes(queues, lanes)
	return queues, nil
}

// wholeQueue reads a queue with its lane numbers.
func wholeQueue(ctx context.Context, s session, name string) (*store.Queue, error) {
	queues, err := readQueues(ctx, s)
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
	err = s.lookUp(ctx, func(c session) (err error) {
		if queues, err = readQueues(ctx, c); err != nil {
			return err
		}
		return s.countQueues(ctx, c, queues)
	})
	if err != nil {
		return nil, err
	}
	return queues, nil
}

// PauseQueue implements [store.Config].
func (s *Store) PauseQueue(ctx context.Context, name string, paused bool, audit ...store.Audit) (*store.Queue, error) {
	var stored *store.Queue
	err := s.write(ctx, func(t *tx) (err error) {
		if _, err := exec(ctx, t, lockCounter); err != nil { // one change of a queue at a time
			return err
		}
		before, err := queueBefore(ctx, t, name, audit)
		if err != nil {
			return err
		}
		if _, err := exec(ctx, t, pauseQueue, name, paused, t.now); err != nil {
			return err
		}
		if stored, err = wholeQueue(ctx, t, name); err != nil {
			return err
		}
		return objects.Log(&tables{ctx, t}, store.AuditQueue(audit, before, stored), t.time())
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}
