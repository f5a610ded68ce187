package outlast

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// pressure bounds the pending tasks of queues that have a limit. The store
// counts them about once a second; what this node is writing is added, and what it
// has written since that count began. So the limit holds to within what other
// nodes accept in that second. It holds for those who hand tasks in; what the
// program itself makes has no limit: fallbacks, callbacks, ticks, redrives, alerts.
type pressure struct {
	mu      sync.Mutex
	counted *store.Topology
	queues  map[string]*fill

	looking chan struct{} // one element per caller without a place who looks tasks up
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
	// txOpen is how long a caller's transaction is taken to stay open. What it has
	// inserted counts for so long at least.
	txOpen = time.Second
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

// seats are places in a queue that a call has taken.
type seats struct {
	fill *fill // nil for a queue without a limit
	n    int
}

// seatsFor takes places for the tasks of one queue, n of a batch, or refuses all of them. When there
// is no place it looks up which of them are there already: those need none, so a
// caller who lost the answer gets it however full the queue has become.
func (c *Client) seatsFor(ctx context.Context, name string, n int, inserts []store.Insert) (seats, error) {
	if queue, _ := c.engine.Queue(name); queue.MaxPending <= 0 {
		return seats{}, nil
	}
	taken, ok := c.seats(name, n)
	if ok {
		return taken, nil
	}
	for i, known := range c.known(ctx, inserts) {
		if known && inserts[i].Task.Queue == name {
			n--
		}
	}
	if taken, ok = c.seats(name, n); ok {
		return taken, nil
	}
	return seats{}, c.full(name, n)
}

// known looks tasks up, for few callers at once: those who bring more than there
// is place for must not keep the store from what makes place. What cannot be
// looked up is taken for new.
func (c *Client) known(ctx context.Context, inserts []store.Insert) []bool {
	select {
	case c.pressure.looking <- struct{}{}:
		defer func() { <-c.pressure.looking }()
	case <-ctx.Done():
		return nil
	}
	known, err := c.backend.Known(ctx, inserts)
	if err != nil {
		return nil
	}
	return known
}

// seats takes places for tasks, all or none.
func (c *Client) seats(name string, n int) (seats, bool) {
	queue, _ := c.engine.Queue(name)
	if queue.MaxPending <= 0 || n == 0 {
		return seats{}, true
	}
	c.pressure.mu.Lock()
	defer c.pressure.mu.Unlock()
	f := c.fill(&queue)
	if queue.Pending+f.writing+len(f.written)+n > queue.MaxPending {
		return seats{}, false
	}
	f.writing += n
	return seats{f, n}, true
}

// full is the answer to tasks for which there is no place.
func (c *Client) full(name string, n int) error {
	queue, _ := c.engine.Queue(name)
	c.pressure.mu.Lock()
	defer c.pressure.mu.Unlock()
	return c.fill(&queue).full(&queue, n)
}

// fill is what is known of a queue. The lock must be held.
func (c *Client) fill(queue *store.Queue) *fill {
	p := &c.pressure
	began := c.engine.TopologyAt() // before the topology: an older time counts more
	if counted := c.engine.Topology(); p.counted != counted {
		p.recount(counted, began)
	}
	if p.queues == nil {
		p.queues = make(map[string]*fill)
	}
	f := p.queues[queue.Name]
	if f == nil {
		f = &fill{began: began, pending: queue.Pending, drain: math.NaN()}
		p.queues[queue.Name] = f
	}
	return f
}

func (f *fill) full(queue *store.Queue, n int) error {
	problem := &Error{
		Code:    task.CodeQueueFull,
		Message: "the queue " + task.Quote(queue.Name) + " has its limit of " + strconv.Itoa(queue.MaxPending) + " pending tasks",
		Hint:    "come back later, or raise max_pending",
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
func (p *pressure) recount(counted *store.Topology, began time.Time) {
	p.counted = counted
	pending := make(map[string]int, len(p.queues))
	for i := range counted.Queues {
		if queue := &counted.Queues[i]; queue.MaxPending > 0 {
			pending[queue.Name] = queue.Pending
		}
	}
	for name, f := range p.queues {
		now, limited := pending[name]
		if !limited && f.writing == 0 {
			delete(p.queues, name)
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
func (c *Client) seated(s seats, accepted int, by time.Time) {
	if s.fill == nil {
		return
	}
	c.pressure.mu.Lock()
	defer c.pressure.mu.Unlock()
	f := s.fill
	f.writing -= s.n
	f.accepted += accepted
	at, _ := slices.BinarySearchFunc(f.written, by, time.Time.Compare)
	f.written = slices.Insert(f.written, at, slices.Repeat([]time.Time{by}, accepted)...)
}

// written ends the writing of tasks by what the store said of them.
func (c *Client) written(s seats, items []store.Inserted, err error) {
	if s.fill == nil {
		return
	}
	if err != nil {
		c.notWritten(s, err)
		return
	}
	accepted := 0
	for i := range items {
		if items[i].Existing == nil {
			accepted++
		}
	}
	c.seated(s, accepted, time.Now())
}

// notWritten ends the writing of tasks that failed; whether they are on disk may
// not be known.
func (c *Client) notWritten(s seats, err error) {
	var refused *Error
	if errors.As(err, &refused) && (refused.Code != task.CodeUnavailable || refused.Err == nil) {
		c.seated(s, 0, time.Time{})
		return
	}
	c.seated(s, s.n, time.Now().Add(unknownFor))
}

// throttle lets something happen now and then. The zero value is ready.
type throttle struct {
	mu   sync.Mutex
	last time.Time
}

// allow reports whether the last time was at least pause ago.
func (t *throttle) allow(pause time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if !t.last.IsZero() && now.Sub(t.last) < pause {
		return false
	}
	t.last = now
	return true
}
