// Package enqueue accepts tasks: it checks drafts, gives them their places in the queues,
// writes them, and says what became of each.
package enqueue

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/internal/inforce"
	"github.com/outlast-dev/outlast/internal/room"
	"github.com/outlast-dev/outlast/internal/throttle"
	"github.com/outlast-dev/outlast/internal/tracing"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Config is what tasks are accepted with.
type Config struct {
	Backend  store.Backend
	Engine   *engine.Engine
	Handlers *handlers.Handlers
	Policies *inforce.Policies
	Tracer   *tracing.Tracer // nil for no spans
	Logger   *slog.Logger
	Longest  time.Duration // that a request of a task may take here

	Middleware []Middleware // around calls of One, Many and In, the first outermost

	Channels func(context.Context) accept.ChannelCheck
	Calls    func(context.Context) accept.CallCheck

	// Enqueued is told of each task that was accepted, and of those that were there.
	Enqueued func(ctx context.Context, t *task.Task, existing bool)
	// Refused is told why a task was not accepted, and returns the error.
	Refused func(ctx context.Context, err error) error
	// Told is told of each new task that is on disk.
	Told func(t *task.Task)
}

// Enqueuer accepts the tasks of one node. It is safe for concurrent use.
type Enqueuer struct {
	backend    store.Backend
	engine     *engine.Engine
	handlers   *handlers.Handlers
	policies   *inforce.Policies
	tracer     *tracing.Tracer
	logger     *slog.Logger
	longest    time.Duration
	middleware []Middleware
	channels   func(context.Context) accept.ChannelCheck
	calls      func(context.Context) accept.CallCheck
	enqueued   func(ctx context.Context, t *task.Task, existing bool)
	refused    func(ctx context.Context, err error) error
	told       func(t *task.Task)

	room      *room.Room
	refreshed throttle.Throttle // reads of the topology for unknown names
	txLocks   txLocks           // of calls in callers' transactions
}

// New makes the enqueuer of a node.
func New(c Config) *Enqueuer {
	return &Enqueuer{
		backend: c.Backend, engine: c.Engine, handlers: c.Handlers, policies: c.Policies, tracer: c.Tracer, logger: c.Logger, longest: c.Longest, middleware: c.Middleware,
		channels: c.Channels, calls: c.Calls, enqueued: c.Enqueued, refused: c.Refused, told: c.Told,
		room: room.New(c.Engine, c.Backend.Known),
	}
}

// Receipt says what became of a draft; [outlast.Receipt] says what its fields mean.
type Receipt struct {
	Task     *task.Task
	Existing bool
	Err      error
}

// One accepts one task.
func (e *Enqueuer) One(ctx context.Context, d drafts.Draft) (Receipt, error) {
	if len(e.middleware) > 0 {
		return e.oneAround(ctx, d)
	}
	return e.oneTraced(ctx, d)
}

// oneAround is One with middleware.
func (e *Enqueuer) oneAround(ctx context.Context, d drafts.Draft) (Receipt, error) {
	receipts, err := e.around(ctx, 1, func(int) drafts.Draft { return d }, func(ctx context.Context, all []drafts.Draft) ([]Receipt, error) {
		receipt, err := e.oneTraced(ctx, all[0])
		if err != nil {
			return nil, err
		}
		return []Receipt{receipt}, nil
	})
	if err != nil {
		return Receipt{}, err
	}
	return receipts[0], receipts[0].Err
}

func (e *Enqueuer) oneTraced(ctx context.Context, d drafts.Draft) (Receipt, error) {
	if e.tracer == nil {
		return e.one(ctx, &d)
	}
	ctx, span := e.trace(ctx, &d, 1)
	receipt, err := e.one(ctx, &d)
	if err == nil {
		span.Accepted(receipt.Task.ID, receipt.Existing)
	}
	span.End(err)
	return receipt, err
}

// Many accepts some tasks. Atomic ones share fate: all are accepted, or none. Otherwise each
// receipt has its own error.
func (e *Enqueuer) Many(ctx context.Context, count int, draft func(i int) drafts.Draft, atomic bool) ([]Receipt, error) {
	if err := tooMany(count); err != nil || count == 0 {
		return nil, err
	}
	if len(e.middleware) == 0 {
		return e.many(ctx, count, draft, atomic)
	}
	return e.around(ctx, count, draft, func(ctx context.Context, all []drafts.Draft) ([]Receipt, error) {
		return e.many(ctx, count, at(all), atomic)
	})
}

func (e *Enqueuer) many(ctx context.Context, count int, draft func(i int) drafts.Draft, atomic bool) ([]Receipt, error) {
	first := draft(0)
	ctx, span := e.trace(ctx, &first, count)
	receipts, err := []Receipt(nil), error(nil)
	if atomic {
		receipts, err = e.atomic(ctx, count, draft, e.engine.Enqueue, 0)
	} else {
		receipts, err = e.each(ctx, count, draft)
	}
	span.End(err)
	return receipts, err
}

func (e *Enqueuer) one(ctx context.Context, d *drafts.Draft) (Receipt, error) {
	insert, err := e.prepare(ctx, d, "", false, nil)
	if err != nil {
		return Receipt{}, e.refused(ctx, err)
	}
	inserts := []store.Insert{insert}
	seat, err := e.room.For(ctx, insert.Task.Queue, 1, inserts)
	if err != nil {
		return Receipt{}, e.refused(ctx, Attributed(err, ""))
	}
	inserted, err := e.engine.Enqueue(ctx, inserts)
	if seat.Limited() {
		e.room.Written(seat, inserted, err)
	}
	if err != nil {
		return Receipt{}, e.refused(ctx, Attributed(err, ""))
	}
	receipt := e.Receipt(ctx, &insert, &inserted[0])
	e.tell(receipt)
	return receipt, nil
}

func tooMany(count int) error {
	if count <= drafts.Most {
		return nil
	}
	return &task.Error{Code: task.CodeTooLarge, Message: strconv.Itoa(count) + " tasks are too many for one call", Hint: "send at most 10000"}
}

// atomic validates all drafts before any is written. They are on disk a
// while after write has returned.
func (e *Enqueuer) atomic(ctx context.Context, count int, draft func(i int) drafts.Draft, write func(context.Context, []store.Insert) ([]store.Inserted, error), while time.Duration) ([]Receipt, error) {
	inserts := make([]store.Insert, count)
	channel := e.channels(ctx)
	var wrong accept.Complaints
	for i := range count {
		d := draft(i)
		insert, err := e.prepare(ctx, &d, Item(i), false, channel)
		if err != nil && !wrong.Collect(err) {
			return nil, e.refused(ctx, err)
		}
		inserts[i] = insert
	}
	if err := wrong.Err("some of the tasks are invalid"); err != nil {
		return nil, e.refused(ctx, err)
	}
	taken, at, err := e.room.Of(ctx, inserts)
	if err != nil {
		return nil, e.refused(ctx, Attributed(err, Item(at)))
	}
	inserted, err := write(ctx, inserts)
	e.room.WrittenAll(taken, inserts, inserted, err, while)
	if err != nil {
		return nil, e.refused(ctx, e.attribute(ctx, err, inserts))
	}
	receipts := make([]Receipt, len(inserted))
	for i := range inserted {
		receipts[i] = e.Receipt(ctx, &inserts[i], &inserted[i])
	}
	if while == 0 {
		e.tell(receipts...)
	}
	return receipts, nil
}

// each lets every draft have its own fate.
func (e *Enqueuer) each(ctx context.Context, count int, draft func(i int) drafts.Draft) ([]Receipt, error) {
	receipts := make([]Receipt, count)
	inserts := make([]store.Insert, 0, count)
	places := make([]int, 0, count)
	channel := e.channels(ctx)
	for i := range count {
		d := draft(i)
		insert, err := e.prepare(ctx, &d, "", false, channel)
		if err != nil {
			receipts[i].Err = e.refused(ctx, Attributed(err, ""))
			continue
		}
		inserts, places = append(inserts, insert), append(places, i)
	}
	taken, refused := e.room.Each(ctx, inserts)
	if len(refused) > 0 {
		inserts, places, taken = e.refuse(ctx, receipts, refused, inserts, places, taken)
	}
	if len(inserts) == 0 {
		return receipts, nil
	}
	results, err := e.engine.EnqueueEach(ctx, inserts)
	e.room.WrittenEach(taken, results, err)
	if err != nil {
		return nil, e.refused(ctx, err)
	}
	for i := range results {
		if results[i].Err != nil {
			receipts[places[i]].Err = e.refused(ctx, Attributed(results[i].Err, ""))
			continue
		}
		receipts[places[i]] = e.Receipt(ctx, &inserts[i], &results[i].Items[0])
	}
	e.tell(receipts...)
	return receipts, nil
}

// refuse notes on the receipts which tasks are refused, and returns the others.
func (e *Enqueuer) refuse(ctx context.Context, receipts []Receipt, refused map[int]error, inserts []store.Insert, places []int, taken []room.Seats) ([]store.Insert, []int, []room.Seats) {
	n := 0
	for i, place := range places {
		if err := refused[i]; err != nil {
			receipts[place].Err = e.refused(ctx, Attributed(err, ""))
			continue
		}
		inserts[n], places[n], taken[n] = inserts[i], place, taken[i]
		n++
	}
	return inserts[:n], places[:n], taken[:n]
}

// Receipt turns what the store said into what the caller learns.
func (e *Enqueuer) Receipt(ctx context.Context, insert *store.Insert, inserted *store.Inserted) Receipt {
	t, existing := insert.Task, inserted.Existing != nil
	if existing {
		t = inserted.Existing
	}
	e.enqueued(ctx, t, existing)
	if existing {
		return Receipt{Task: t, Existing: true}
	}
	t.State = task.Pending
	t.Seq = inserted.Entry.Seq
	t.RunAt = time.UnixMicro(inserted.Entry.RunAt).UTC()
	t.CreatedAt, t.UpdatedAt = inserted.Created, inserted.Created
	return Receipt{Task: t}
}

// tell tells of the tasks of receipts that are new and on disk.
func (e *Enqueuer) tell(receipts ...Receipt) {
	for i := range receipts {
		if r := &receipts[i]; r.Err == nil && !r.Existing {
			e.told(r.Task)
		}
	}
}

func (e *Enqueuer) policyOf(t *task.Task) (*retry.Policy, error) {
	chosen, _, err := e.policies.Of(t)
	return chosen, err
}
