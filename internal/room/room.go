// Package room bounds the pending tasks of queues that have a limit.
package room

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Engine is what a node knows of queues.
type Engine interface {
	// Queue is one of the topology.
	Queue(name string) (store.Queue, bool)
	// Topology is what was read last, and TopologyAt when that was.
	Topology() *store.Topology
	TopologyAt() time.Time
}

// Room bounds the pending tasks of queues that have a limit. The store
// counts them about once a second; what this node is writing is added, and what it
// has written since that count began. So the limit holds to within what other
// nodes accept in that second. It holds for those who hand tasks in; what the
// program itself makes has no limit: fallbacks, callbacks, ticks, redrives, alerts. It is
// safe for concurrent use.
type Room struct {
	engine Engine
	lookUp func(ctx context.Context, inserts []store.Insert) ([]bool, error)

	mu      sync.Mutex
	counted *store.Topology
	queues  map[string]*fill

	looking chan struct{} // one element per caller without a place who looks tasks up
}

// New makes the room of a node. lookUp says which tasks are in the store already.
func New(engine Engine, lookUp func(ctx context.Context, inserts []store.Insert) ([]bool, error)) *Room {
	return &Room{engine: engine, lookUp: lookUp, looking: make(chan struct{}, mostLooking)}
}

// fill is what this node knows of how full a queue is.
type fill struct {
	writing int         // on their way to disk
	written []time.Time // when those were on disk that the count may not have; in order

	// How fast tasks leave, for those who have to come back.
	began    time.Time // of the last count
	pending  int       // in it
	accepted int       // since then
	drain    float64   // tasks a second, smoothed; NaN until there were two counts
	promised float64   // places that those who were refused were told to come back for
}

const (
	// TxOpen is how long a caller's transaction is taken to stay open. What it has
	// inserted counts for so long at least.
	TxOpen = time.Second
	// unknownFor is how long an enqueue of unknown outcome counts: as long as the
	// engine may repeat it.
	unknownFor = 10 * time.Second
	// The bounds of the time to come back, and what is said while nothing is known.
	soonest, atLatest = time.Second, time.Minute
	// mostLooking is how many callers without a place look up at once what is there.
	mostLooking = 4
	// drainMemory is the time constant of the smoothed rate.
	drainMemory = 5 * time.Second
)

// Seats are places in a queue that a call has taken.
type Seats struct {
	fill *fill // nil for a queue without a limit
	n    int
}

// Limited reports whether the queue has a limit; else there is nothing to tell of them.
func (s Seats) Limited() bool { return s.fill != nil }

// For takes places for the tasks of one queue, n of a batch, or refuses all of them. When there
// is no place it looks up which of them are there already: those need none, so a
// caller who lost the answer gets it however full the queue has become.
func (r *Room) For(ctx context.Context, name string, n int, inserts []store.Insert) (Seats, error) {
	if queue, _ := r.engine.Queue(name); queue.MaxPending <= 0 {
		return Seats{}, nil
	}
	taken, ok := r.seats(name, n)
	if ok {
		return taken, nil
	}
	for i, known := range r.known(ctx, inserts) {
		if known && inserts[i].Task.Queue == name {
			n--
		}
	}
	if taken, ok = r.seats(name, n); ok {
		return taken, nil
	}
	return Seats{}, r.full(name, n)
}

// known looks tasks up, for few callers at once: those who bring more than there
// is place for must not keep the store from what makes place. What cannot be
// looked up is taken for new.
func (r *Room) known(ctx context.Context, inserts []store.Insert) []bool {
	select {
	case r.looking <- struct{}{}:
		defer func() { <-r.looking }()
	case <-ctx.Done():
		return nil
	}
	known, err := r.lookUp(ctx, inserts)
	if err != nil {
		return nil
	}
	return known
}

// seats takes places for tasks, all or none.
func (r *Room) seats(name string, n int) (Seats, bool) {
	queue, _ := r.engine.Queue(name)
	if queue.MaxPending <= 0 || n == 0 {
		return Seats{}, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.fill(&queue)
	if queue.Pending+f.writing+len(f.written)+n > queue.MaxPending {
		return Seats{}, false
	}
	f.writing += n
	return Seats{f, n}, true
}

// full is the answer to tasks for which there is no place.
func (r *Room) full(name string, n int) error {
	queue, _ := r.engine.Queue(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fill(&queue).full(&queue, n)
}

// fill is what is known of a queue. The lock must be held.
func (r *Room) fill(queue *store.Queue) *fill {
	began := r.engine.TopologyAt() // before the topology: an older time counts more
	if counted := r.engine.Topology(); r.counted != counted {
		r.recount(counted, began)
	}
	if r.queues == nil {
		r.queues = make(map[string]*fill)
	}
	f := r.queues[queue.Name]
	if f == nil {
		f = &fill{began: began, pending: queue.Pending, drain: math.NaN()}
		r.queues[queue.Name] = f
	}
	return f
}

func (f *fill) full(queue *store.Queue, n int) error {
	problem := &task.Error{
		Code:    task.CodeQueueFull,
		Message: "the queue " + task.Quote(queue.Name) + " has its limit of " + strconv.Itoa(queue.MaxPending) + " pending tasks",
		Hint:    "try again later, or raise max_pending",
	}
	wanted := n
	switch {
	case n > queue.MaxPending:
		wanted = 0 // it never fits as it is, so no places are promised to it
		problem.Message = strconv.Itoa(n) + " tasks at once are more than the queue " + task.Quote(queue.Name) + " may have pending, " + strconv.Itoa(queue.MaxPending)
		problem.Hint = "send fewer at once, or raise max_pending"
	case n > 1:
		problem.Message = "the queue " + task.Quote(queue.Name) + " has no place for " + strconv.Itoa(n) + " more tasks: its limit is " + strconv.Itoa(queue.MaxPending) + " pending ones"
	}
	problem.RetryAfter = f.comeBack(wanted)
	return problem
}

// comeBack is when places will be free for tasks that are refused, behind all that
// were refused before them: so those who obey do not all come back at once.
func (f *fill) comeBack(n int) time.Duration {
	if math.IsNaN(f.drain) {
		return soonest
	}
	wait := (f.promised + float64(n)) / f.drain * float64(time.Second)
	if !(wait < float64(atLatest)) { // nothing leaves, too
		return atLatest
	}
	f.promised += float64(n)
	return max(soonest, time.Duration(wait).Round(time.Millisecond))
}

// recount begins with a new count, and forgets what that has in it.
func (r *Room) recount(counted *store.Topology, began time.Time) {
	r.counted = counted
	pending := make(map[string]int, len(r.queues))
	for i := range counted.Queues {
		if queue := &counted.Queues[i]; queue.MaxPending > 0 {
			pending[queue.Name] = queue.Pending
		}
	}
	for name, f := range r.queues {
		now, limited := pending[name]
		if !limited && f.writing == 0 {
			delete(r.queues, name)
			continue
		}
		f.recount(now, began)
	}
}

func (f *fill) recount(pending int, began time.Time) {
	since, _ := slices.BinarySearchFunc(f.written, began, time.Time.Compare)
	f.written = slices.Delete(f.written, 0, since)
	if took := began.Sub(f.began); took > 0 {
		left := float64(max(0, f.pending+f.accepted-pending))
		rate := left / took.Seconds()
		if math.IsNaN(f.drain) {
			f.drain = rate
		}
		f.drain += (rate - f.drain) * (1 - math.Exp(-took.Seconds()/drainMemory.Seconds()))
		f.promised = max(0, f.promised-left)
	}
	f.began, f.pending, f.accepted = began, pending, 0
}

// seated ends the writing of tasks: so many of them were accepted, on disk for
// certain by the given time. The rest of the places are free.
func (r *Room) seated(s Seats, accepted int, by time.Time) {
	if s.fill == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := s.fill
	f.writing -= s.n
	f.accepted += accepted
	at, _ := slices.BinarySearchFunc(f.written, by, time.Time.Compare)
	f.written = slices.Insert(f.written, at, slices.Repeat([]time.Time{by}, accepted)...)
}

// Written ends the writing of tasks by what the store said of them.
func (r *Room) Written(s Seats, items []store.Inserted, err error) {
	if s.fill == nil {
		return
	}
	if err != nil {
		r.notWritten(s, err)
		return
	}
	accepted := 0
	for i := range items {
		if items[i].Existing == nil {
			accepted++
		}
	}
	r.seated(s, accepted, time.Now())
}

// notWritten ends the writing of tasks that failed; whether they are on disk may
// not be known.
func (r *Room) notWritten(s Seats, err error) {
	var refused *task.Error
	if errors.As(err, &refused) && (refused.Code != task.CodeUnavailable || refused.Err == nil) {
		r.seated(s, 0, time.Time{})
		return
	}
	r.seated(s, s.n, time.Now().Add(unknownFor))
}

// Of takes places for a batch that is accepted as a whole, by queue, or none: then at is the
// first of those for which there is no place.
func (r *Room) Of(ctx context.Context, inserts []store.Insert) (taken map[string]Seats, at int, err error) {
	numbers := map[string]int{}
	for i := range inserts {
		numbers[inserts[i].Task.Queue]++
	}
	taken = make(map[string]Seats, len(numbers))
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		seats, err := r.For(ctx, name, numbers[name], inserts)
		if err != nil {
			for _, others := range taken {
				r.seated(others, 0, time.Time{})
			}
			first := slices.IndexFunc(inserts, func(insert store.Insert) bool { return insert.Task.Queue == name })
			return nil, first, err
		}
		taken[name] = seats
	}
	return taken, 0, nil
}

// Each takes places for tasks that do not share fate, and says for which of
// them there is none.
func (r *Room) Each(ctx context.Context, inserts []store.Insert) ([]Seats, map[int]error) {
	taken := make([]Seats, len(inserts))
	var outside []int
	for i := range inserts {
		var ok bool
		if taken[i], ok = r.seats(inserts[i].Task.Queue, 1); !ok {
			outside = append(outside, i)
		}
	}
	if len(outside) == 0 {
		return taken, nil
	}
	asked := make([]store.Insert, len(outside))
	for n, i := range outside {
		asked[n] = inserts[i]
	}
	known, refused := r.known(ctx, asked), map[int]error{}
	for n, i := range outside {
		if known == nil || !known[n] {
			refused[i] = r.full(inserts[i].Task.Queue, 1)
		}
	}
	return taken, refused
}

// WrittenAll ends the writing of a batch whose transaction commits within a while.
func (r *Room) WrittenAll(taken map[string]Seats, inserts []store.Insert, inserted []store.Inserted, err error, while time.Duration) {
	for name, seats := range taken {
		switch {
		case seats.fill == nil:
		case err != nil && while > 0: // the caller rolls back
			r.seated(seats, 0, time.Time{})
		case err != nil:
			r.notWritten(seats, err)
		default:
			accepted := 0
			for i := range inserted {
				if inserted[i].Existing == nil && inserts[i].Task.Queue == name {
					accepted++
				}
			}
			r.seated(seats, accepted, time.Now().Add(while))
		}
	}
}

// WrittenEach ends the writing of tasks that do not share fate.
func (r *Room) WrittenEach(taken []Seats, results []store.BatchResult, err error) {
	for i, seat := range taken {
		if err != nil {
			r.Written(seat, nil, err)
		} else {
			r.Written(seat, results[i].Items, results[i].Err)
		}
	}
}
