package membership

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/topology"
)

// calls are the wake-ups that go to each node by a call of its own. All but
// running and ended is the telling loop's.
type calls struct {
	context context.Context // ends the calls under way
	call    func(ctx context.Context, to *topology.Message) error
	waiting map[string]*topology.Message
	begun   map[string]bool      // under way
	rest    map[string]time.Time // nodes that could not be told
	running sync.WaitGroup
	ended   chan callEnd
}

// callEnd is a call that has ended.
type callEnd struct {
	node string
	err  error
}

func newCalls(ctx context.Context, call func(ctx context.Context, to *topology.Message) error) *calls {
	return &calls{
		context: ctx, call: call, waiting: map[string]*topology.Message{}, begun: map[string]bool{}, rest: map[string]time.Time{},
		ended: make(chan callEnd, 1),
	}
}

// add puts messages together with those that wait. What is for a node that
// rests is dropped: it finds out by its poll.
func (c *calls) add(messages map[string]*topology.Message, now time.Time) {
	for id, until := range c.rest {
		if !until.After(now) {
			delete(c.rest, id)
		}
	}
	for id, to := range messages {
		if _, rests := c.rest[id]; rests {
			continue
		}
		if waiting := c.waiting[id]; waiting != nil {
			to.Add(waiting)
		}
		c.waiting[id] = to
	}
}

// start begins a call of every node that has a message and no call.
func (c *calls) start() {
	for id, to := range c.waiting {
		if c.begun[id] {
			continue
		}
		delete(c.waiting, id)
		c.begun[id] = true
		c.running.Go(func() { c.tell(id, to) })
	}
}

// tell makes one call and says that it has ended.
func (c *calls) tell(id string, to *topology.Message) {
	ctx, cancel := context.WithTimeout(c.context, wakeupTime)
	defer cancel()
	err := c.call(ctx, to)
	select {
	case c.ended <- callEnd{id, err}:
	case <-c.context.Done():
	}
}

// endAll notes the ends of calls that wait to be noted.
func (c *calls) endAll() {
	for {
		select {
		case call := <-c.ended:
			c.end(call)
		default:
			return
		}
	}
}

// end notes the end of a call. A node that could not be told rests.
func (c *calls) end(call callEnd) {
	delete(c.begun, call.node)
	if call.err != nil {
		c.rest[call.node] = time.Now().Add(wakeupRest)
		delete(c.waiting, call.node)
	}
}
