package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

const (
	callers   = 16 // that hand tasks in
	orderKeys = 24
	tryFor    = 3 * time.Second // a call of a node's API is given up after that, and made to another
	between   = 50 * time.Millisecond
	hurried   = 40 // seconds of work that measure the speed
	batch     = 250
)

// load hands tasks in, as the applications of a user would: a call that fails is made
// again, to any node, until its outcome is known.
type load struct {
	*history
	nodes  []*node
	target string // URL of the receiver
	random *rand.Rand
	places [orderKeys]int
}

func newLoad(h *history, nodes []*node, target string, seed uint64) *load {
	return &load{history: h, nodes: nodes, target: target, random: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a plan, no secret
}

// run hands in so many tasks a second until it is told to end, and returns when the
// outcome of all is known, or the context has ended.
func (l *load) run(ctx context.Context, rate int, end <-chan struct{}) {
	lines := make([]chan *order, callers)
	var workers sync.WaitGroup
	for i := range lines {
		lines[i] = make(chan *order, 1<<12)
		random := rand.New(rand.NewPCG(l.random.Uint64(), 2)) //nolint:gosec // see newLoad
		workers.Go(func() {
			for o := range lines[i] {
				l.deliver(ctx, o, random)
			}
		})
	}
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for line, on := 0, true; on; line++ {
		o := l.next()
		at := line
		if o.place > 0 { // those of one key one after the other, so that they have an order
			at = int(o.draft.Key[0])
		}
		select {
		case lines[at%callers] <- o:
		case <-ctx.Done():
		}
		select {
		case <-ticker.C:
		case <-end:
			on = false
		case <-ctx.Done():
			on = false
		}
	}
	for _, line := range lines {
		close(line)
	}
	workers.Wait()
}

// next makes up an order: most are plain; some come in the order of a key, twice with
// one dedupe key, late, fail a few times, or for ever.
func (l *load) next() *order {
	o := &order{lasts: time.Duration(l.random.IntN(20)) * time.Millisecond}
	switch kind := l.random.IntN(20); {
	case kind < 6:
		key := l.random.IntN(orderKeys)
		l.places[key]++
		o.place = l.places[key]
		o.draft.Key = string(rune('a' + key))
	case kind < 9:
		o.draft.DedupeKey = client.NewID().String()
	case kind < 11:
		o.draft.Delay = client.Duration(time.Duration(500+l.random.IntN(3000)) * time.Millisecond)
	}
	if l.random.IntN(5) == 0 {
		o.fail = 1 + l.random.IntN(3)
		o.dies = o.place == 0 && l.random.IntN(5) == 0
	}
	switch length := l.random.IntN(50); {
	case length == 0 && o.place == 0 && o.fail == 0:
		o.lasts = 3 * time.Second
	case length < 20:
		o.lasts = time.Duration(100+l.random.IntN(600)) * time.Millisecond
	}
	l.add(o)
	l.draft(o)
	return o
}

// draft completes the draft of an order that has its number. The receiver fails by
// design, which is what budgets and breakers slow down.
func (l *load) draft(o *order) {
	most := 100
	if o.dies {
		most = o.fail
	}
	o.draft.Payload, _ = json.Marshal(payload{o.n}) // a number
	o.draft.Target = &client.Target{URL: l.target}
	o.draft.Retry = json.RawMessage(fmt.Sprintf(`{"max_attempts":%d,"max_crashes":1000,"budget":"none","breaker":"none",
"backoff":{"kind":"exponential","initial":"200ms","multiplier":2,"max":"1s","jitter":"equal"}}`, most))
}

// deliver hands an order in until it is known to be accepted; one with a dedupe key
// twice at the same time, under different ids.
func (l *load) deliver(ctx context.Context, o *order, random *rand.Rand) {
	l.mu.Lock()
	o.sent = time.Now()
	l.mu.Unlock()
	var second task.ID
	var twin sync.WaitGroup
	if o.draft.DedupeKey != "" {
		other := rand.New(rand.NewPCG(random.Uint64(), 3)) //nolint:gosec // see newLoad
		twin.Go(func() { second = l.accepted(ctx, o.draft, other) })
	}
	id := l.accepted(ctx, o.draft, random)
	at := time.Now()
	twin.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.id, o.second = id, second; id != (task.ID{}) {
		o.acked = at
	}
}

// accepted returns under which id a draft was accepted, none if the context has ended.
func (l *load) accepted(ctx context.Context, draft client.Draft, random *rand.Rand) task.ID {
	draft.ID = client.NewID()
	for ctx.Err() == nil {
		api := l.nodes[random.IntN(len(l.nodes))].process().api
		one, cancel := context.WithTimeout(ctx, tryFor)
		t, _, err := api.Enqueue(one, draft)
		cancel()
		if err == nil {
			return t.ID
		}
		lasted(ctx, between)
	}
	return task.ID{}
}

// hurry hands in so many tasks at once, which do nothing, and returns how many a second
// were accepted and, from the first call to the last run, worked.
func (l *load) hurry(ctx context.Context, many int) (accepted, worked float64, err error) {
	before := l.ran()
	batches := make(chan []*order, many/batch+1)
	for made := 0; made < many; made += batch {
		orders := make([]*order, min(batch, many-made))
		for i := range orders {
			orders[i] = &order{burst: true}
			l.add(orders[i])
			l.draft(orders[i])
			orders[i].draft.ID = client.NewID()
		}
		batches <- orders
	}
	close(batches)
	began := time.Now()
	var handed atomic.Int64
	var workers sync.WaitGroup
	for i := range l.nodes {
		workers.Go(func() {
			for orders := range batches {
				if !l.together(ctx, i, orders) {
					return
				}
				handed.Add(int64(len(orders)))
			}
		})
	}
	workers.Wait()
	accepted = float64(handed.Load()) / time.Since(began).Seconds()
	l.await(ctx, 2*time.Millisecond, func() bool { return l.ran() >= before+int(handed.Load()) || !l.alive() })
	return accepted, float64(l.ran()-before) / time.Since(began).Seconds(), context.Cause(ctx)
}

// alive reports whether a node is left that could accept or work something.
func (l *load) alive() bool {
	return slices.ContainsFunc(l.nodes, func(n *node) bool { return n.process().lives() })
}

// together hands in a batch, first to one node, then to the next ones.
func (l *load) together(ctx context.Context, first int, orders []*order) bool {
	drafts := make([]client.Draft, len(orders))
	l.mu.Lock()
	for i, o := range orders {
		o.sent, drafts[i] = time.Now(), o.draft
	}
	l.mu.Unlock()
	bounded, cancel := context.WithTimeout(ctx, noProgress)
	defer cancel()
	var results []client.BatchResult
	var err error
	for try := first; ; try++ {
		one, cancel := context.WithTimeout(bounded, readyWithin)
		results, err = l.nodes[try%len(l.nodes)].process().api.EnqueueBatch(one, drafts, true)
		cancel()
		if err == nil || !l.alive() || !lasted(bounded, between) {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.unsound = append(l.unsound, fmt.Sprintf("no node accepted %d tasks to measure the speed: %v", len(orders), err))
		return false
	}
	for i, o := range orders {
		o.acked, o.id = time.Now(), results[i].ID
	}
	return true
}
