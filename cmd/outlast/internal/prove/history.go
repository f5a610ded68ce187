package prove

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// order is one task that was handed in, and what is to become of it.
type order struct {
	n      int
	draft  client.Draft
	place  int           // within its key, from 1
	fail   int           // attempts that are answered by 500
	dies   bool          // all of them are
	lasts  time.Duration // of each call
	burst  bool          // it is there to measure the speed
	sent   time.Time
	acked  time.Time // zero while the outcome is unknown
	id     task.ID   // as it was acknowledged
	second task.ID   // as its repeat with the same dedupe key was acknowledged
}

// due is when it may begin at the latest: the time of the node that accepted it began
// before it was acknowledged.
func (o *order) due() time.Time { return o.acked.Add(time.Duration(o.draft.Delay)) }

// spends is how many attempts it takes.
func (o *order) spends() int {
	if o.dies {
		return o.fail
	}
	return o.fail + 1
}

// call is one run of a task, as the receiver saw it.
type call struct {
	n          int
	claim      int64
	attempt    int
	start, end time.Time
	status     int // 0: its caller was gone before the answer
}

// trouble is what a node suffered: the only cause for which a run may be taken from it.
type trouble struct {
	fault    fault
	node     string
	from     time.Time
	until    time.Time     // the node or its network is as before
	to       time.Time     // nothing that was under way then can arrive any more
	back     time.Duration // from until to the moment at which the node says that it is ready
	problems []string
}

// end writes down when it was over. A process that was started in place of another has
// nothing under way from before.
func (t *trouble) end(at time.Time) {
	t.until, t.to = at, at
	if !t.fault.ends() {
		t.to = at.Add(late)
	}
}

// over is when its work goes on elsewhere, and its node is ready again.
func (t *trouble) over() time.Time {
	over := t.until.Add(t.back)
	if taken := t.from.Add(recovery); taken.After(over) {
		return taken
	}
	return over
}

// row is a task in the store, with its history.
type row struct {
	*task.Task
	attempts []task.Attempt
}

// history is all that happened: what was handed in, what the receiver saw, what the nodes
// suffered, and what the store says of it in the end.
type history struct {
	mu       sync.Mutex
	began    time.Time
	orders   []*order
	calls    []*call
	troubles []trouble
	nodes    map[string]string // names of nodes by the ids under which they were in the store
	rows     map[int][]row     // by the number of the order
	unsound  []string          // what is wrong with the store itself, and with how nodes stopped in the end
}

func newHistory() *history {
	return &history{began: time.Now(), nodes: map[string]string{}, rows: map[int][]row{}}
}

// add gives an order its number.
func (h *history) add(o *order) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.n = len(h.orders) + 1
	h.orders = append(h.orders, o)
}

// order is the order of a number, nil for one that nobody handed in.
func (h *history) order(n int) *order {
	if n < 1 || n > len(h.orders) {
		return nil
	}
	return h.orders[n-1]
}

// ran is how many calls there were.
func (h *history) ran() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.calls)
}

func (h *history) counts() (accepted, calls int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.orders {
		if !o.acked.IsZero() {
			accepted++
		}
	}
	return accepted, len(h.calls)
}

// noProgress is how long nothing may happen until there is no use in waiting further.
const noProgress = 2 * time.Minute

// await looks now and then whether something is so, as long as there is progress. What
// has not ended then is found by the verdict.
func (h *history) await(ctx context.Context, every time.Duration, so func() bool) {
	last, moved := 0, time.Now()
	for !so() && lasted(ctx, every) {
		if accepted, calls := h.counts(); accepted+calls != last {
			last, moved = accepted+calls, time.Now()
		} else if time.Since(moved) > noProgress {
			return
		}
	}
}
