package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

const (
	defaultLanes = 8
	allLanes     = 1 << 16

	queueColumns = `name, lanes, key_lanes, paused, policy, unknown_type, concurrency, max_pending, weight, updated_at, share_concurrency, share_rate`
)

var (
	// lockCounter takes the lock of those who change queues, lanes and orders, and reads
	// the first number that no lane has.
	lockCounter = query(`SELECT value FROM outlast_counter WHERE name = 'lane'` + forUpdate)
	setCounter  = query(`UPDATE outlast_counter SET value = $1::bigint WHERE name = 'lane'`)

	selectQueues = query(`SELECT ` + queueColumns + ` FROM outlast_queue ORDER BY name`)
	selectLanes  = query(`SELECT lane, queue, owner, epoch FROM outlast_lane ORDER BY lane`)

	// addQueue and setQueue store a queue; its key lanes never change.
	addQueue = query(`INSERT INTO outlast_queue (` + queueColumns + `)
VALUES ($1::text, $2::bigint, $2::bigint, $3::boolean, $4::text, $5::text, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::text)`)
	setQueue = query(`UPDATE outlast_queue SET lanes = $2::bigint, paused = $3::boolean, policy = $4::text, unknown_type = $5::text,
 concurrency = $6::bigint, max_pending = $7::bigint, weight = $8::bigint, updated_at = $9::bigint, share_concurrency = $10::bigint,
 share_rate = $11::text WHERE name = $1::text`)
	pauseQueue = query(`UPDATE outlast_queue SET paused = $2::boolean, updated_at = $3::bigint WHERE name = $1::text`)

	// InsertLane makes a lane. Inputs: its number, its queue.
	InsertLane = query(`INSERT INTO outlast_lane (lane, queue) VALUES ($1::bigint, $2::text)`)
)

func scanQueue(r Row) store.Queue {
	return store.Queue{
		Name: r.Text(0), Lanes: int(r.Int(1)), KeyLanes: int(r.Int(2)), Paused: r.Bool(3), Policy: r.Text(4), UnknownType: r.Text(5),
		Concurrency: int(r.Int(6)), MaxPending: int(r.Int(7)), Weight: int(r.Int(8)), UpdatedAt: r.Time(9),
		Shares: store.ShareLimits{Concurrency: int(r.Int(10)), Rate: store.ShareRate(r.Text(11))},
	}
}

func scanLane(r Row) store.Lane {
	return store.Lane{Number: uint16(r.Int(0)), Queue: r.Text(1), Owner: r.Text(2), Epoch: r.Int(3)}
}

// lockConfig lets one transaction at a time change queues and orders.
func lockConfig(tx Tx) (nextLane int64, err error) {
	nextLane, _, err = first(tx, lockCounter, intOf)
	return nextLane, err
}

// PutQueue implements [store.Config].
func (c Cold) PutQueue(ctx context.Context, queue store.Queue, audit ...store.Audit) (*store.Queue, error) {
	if err := check.Queue(&queue); err != nil {
		return nil, err
	}
	return writing(ctx, c, "put_queue", func(tx Tx) (*store.Queue, error) {
		return changeQueue(tx, queue.Name, audit, func(old *store.Queue, nextLane int64) error { return putQueue(tx, &queue, old, nextLane) })
	})
}

// PauseQueue implements [store.Config].
func (c Cold) PauseQueue(ctx context.Context, name string, paused bool, audit ...store.Audit) (*store.Queue, error) {
	return writing(ctx, c, "pause_queue", func(tx Tx) (*store.Queue, error) {
		return changeQueue(tx, name, audit, func(*store.Queue, int64) error {
			_, err := exec(tx, pauseQueue, name, paused, tx.Now)
			return err
		})
	})
}

// changeQueue changes a queue, which was nil if it is a new one, and returns it as it
// then is.
func changeQueue(tx Tx, name string, audit []store.Audit, change func(old *store.Queue, nextLane int64) error) (*store.Queue, error) {
	nextLane, err := lockConfig(tx)
	if err != nil {
		return nil, err
	}
	before, err := queueOf(tx, name)
	if err != nil {
		return nil, err
	}
	if err := change(before, nextLane); err != nil {
		return nil, err
	}
	after, err := queueOf(tx, name)
	if err != nil {
		return nil, err
	}
	if after == nil {
		return nil, task.NotFound("queue", name)
	}
	return after, Log(tx, store.AuditQueue(audit, before, after))
}

func putQueue(tx Tx, queue, old *store.Queue, nextLane int64) error {
	had, put := 0, addQueue
	if old != nil {
		had, put = old.Lanes, setQueue
	}
	lanes := cmp.Or(queue.Lanes, had, defaultLanes)
	if lanes < had {
		return task.Invalid("lanes", "the lanes of a queue can only be raised", "")
	}
	if err := addLanes(tx, queue.Name, nextLane, lanes-had); err != nil {
		return err
	}
	_, err := exec(tx, put, queue.Name, lanes, queue.Paused, queue.Policy, cmp.Or(queue.UnknownType, "park"),
		queue.Concurrency, queue.MaxPending, cmp.Or(queue.Weight, 1), tx.Now, queue.Shares.Concurrency, string(queue.Shares.Rate))
	return err
}

func addLanes(tx Tx, queue string, next int64, n int) error {
	if n == 0 {
		return nil
	}
	end := next + int64(n)
	if end > allLanes {
		return &task.Error{Code: task.CodeConflict, Message: "all 65536 lanes are in use"}
	}
	calls := []*Call{{Query: setCounter, Args: []any{end}}}
	for lane := next; lane < end; lane++ {
		calls = append(calls, &Call{Query: InsertLane, Args: []any{lane, queue}})
	}
	return tx.Run(calls...)
}

// queueOf reads a queue with its lane numbers; nil if there is none.
func queueOf(s Session, name string) (*store.Queue, error) {
	t := &store.Topology{}
	if err := s.Run(queueCalls(t)...); err != nil {
		return nil, err
	}
	giveLanes(t)
	if i := slices.IndexFunc(t.Queues, func(q store.Queue) bool { return q.Name == name }); i >= 0 {
		return &t.Queues[i], nil
	}
	return nil, nil
}

// Queues implements [store.Config].
func (c Cold) Queues(ctx context.Context) ([]store.Queue, error) {
	t := &store.Topology{}
	err := c.db.Snapshot(ctx, func(s Session) error {
		*t = store.Topology{}
		return readQueues(s, t)
	})
	return resultOf(t.Queues, err)
}

// Topology reads all of a topology but its nodes. Since is the time after which an
// order counts that has happened.
func Topology(s Session, since int64) (*store.Topology, error) {
	t := &store.Topology{}
	var config []int64
	err := readQueues(s, t, into(&t.Orders, selectOrders, scanOrder, since), into(&config, selectConfig, intOf))
	if len(config) > 0 {
		t.Config = config[0]
	}
	return t, err
}

// readQueues reads the queues and lanes, and what other calls do.
func readQueues(s Session, t *store.Topology, others ...*Call) error {
	if err := s.Run(append(queueCalls(t), others...)...); err != nil {
		return err
	}
	giveLanes(t)
	for i := range t.Queues {
		q := &t.Queues[i]
		var err error
		if q.Pending, err = backlog.Pending(s, q.Numbers, q.MaxPending); err != nil {
			return err
		}
	}
	return nil
}

func queueCalls(t *store.Topology) []*Call {
	return []*Call{into(&t.Queues, selectQueues, scanQueue), into(&t.Lanes, selectLanes, scanLane)}
}

// giveLanes gives queues the numbers of their lanes.
func giveLanes(t *store.Topology) {
	at := make(map[string]int, len(t.Queues))
	for i := range t.Queues {
		at[t.Queues[i].Name] = i
	}
	for _, lane := range t.Lanes {
		if i, ok := at[lane.Queue]; ok {
			t.Queues[i].Numbers = append(t.Queues[i].Numbers, lane.Number)
		}
	}
}
