package outlast

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// pressure bounds the pending tasks of queues that have a limit. The store
// counts them about once a second; what this node has accepted since that count
// began is added. So the limit holds to within what other nodes accept in that
// second.
type pressure struct {
	mu       sync.Mutex
	counted  *store.Topology
	accepted map[string][]time.Time // by queue, in order
}

// onItsWay is how long before a count began a task may have been accepted that was
// not on disk then. Those that were count twice, until the next count.
const onItsWay = 100 * time.Millisecond

// restart begins with a new count, and forgets what that has in it.
func (p *pressure) restart(counted *store.Topology, began time.Time) {
	p.counted = counted
	for name, times := range p.accepted {
		since, _ := slices.BinarySearchFunc(times, began.Add(-onItsWay), time.Time.Compare)
		if p.accepted[name] = slices.Clone(times[since:]); since == len(times) {
			delete(p.accepted, name)
		}
	}
}

// room refuses a task for a queue that is full.
func (c *Client) room(queue *store.Queue) error {
	if queue.MaxPending <= 0 {
		return nil
	}
	p := &c.pressure
	p.mu.Lock()
	defer p.mu.Unlock()
	began := c.engine.TopologyAt() // before the topology: an older time counts more
	if counted := c.engine.Topology(); p.counted != counted {
		p.restart(counted, began)
	}
	if queue.Pending+len(p.accepted[queue.Name]) >= queue.MaxPending {
		return &Error{
			Code:       task.CodeQueueFull,
			Message:    "the queue " + task.Quote(queue.Name) + " has its limit of " + strconv.Itoa(queue.MaxPending) + " pending tasks",
			Hint:       "come back later, or raise max_pending",
			RetryAfter: time.Second,
		}
	}
	if p.accepted == nil {
		p.accepted = make(map[string][]time.Time)
	}
	p.accepted[queue.Name] = append(p.accepted[queue.Name], time.Now())
	return nil
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
