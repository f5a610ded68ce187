package outlast

import (
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// pressure bounds the pending tasks of queues that have a limit. The store
// counts them about once a second; what this node has accepted since is added.
// So the limit holds to within what other nodes accept in that second.
type pressure struct {
	mu       sync.Mutex
	counted  *store.Topology
	accepted map[string]int
}

// room refuses a task for a queue that is full.
func (c *Client) room(queue *store.Queue) error {
	if queue.MaxPending <= 0 {
		return nil
	}
	counted := c.engine.Topology()
	p := &c.pressure
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counted != counted || p.accepted == nil {
		p.counted, p.accepted = counted, make(map[string]int)
	}
	if queue.Pending+p.accepted[queue.Name] >= queue.MaxPending {
		return &Error{
			Code:       task.CodeQueueFull,
			Message:    "the queue " + task.Quote(queue.Name) + " has its limit of " + strconv.Itoa(queue.MaxPending) + " pending tasks",
			Hint:       "come back later, or raise max_pending",
			RetryAfter: time.Second,
		}
	}
	p.accepted[queue.Name]++
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
