package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Wake-ups between nodes: after a commit that changed lanes of another node,
// that node is told which, so that it looks at them now and not at its next
// poll. They are advice: never waited for, sent together, dropped on error.
const (
	newsEvery = 2 * time.Millisecond // between two wake-ups by the store
	callEvery = 5 * time.Millisecond // the same by calls, which cost more
	newsTime  = time.Second          // limit of one
	newsRest  = time.Second          // a node that could not be told is left alone so long
	mostNews  = 4096                 // lanes in one wake-up; more are told as "any"
)

// news is what this node has changed and not told yet. Guarded by the
// engine's lock.
type news struct {
	owners    map[uint16]bool // lanes whose owner should look at them
	borrowers map[uint16]bool // lanes with rows that their owner cannot start
	leasers   map[leaser]bool // nodes that leased tasks which have ended, by lane
	stir      bool            // queues or nodes changed: everybody should look at the topology
}

// changedLane notes that rows of a lane changed. The engine's lock must be
// held.
func (e *Engine) changedLane(number uint16) {
	if e.alone || e.near.lanes[number] != nil {
		return
	}
	if e.news.owners == nil {
		e.news.owners = map[uint16]bool{}
	}
	e.news.owners[number] = true
	signal(e.told)
}

// lent notes that a lane has rows that only others can start. The engine's
// lock must be held.
func (e *Engine) lent(number uint16) {
	if e.alone {
		return
	}
	if e.news.borrowers == nil {
		e.news.borrowers = map[uint16]bool{}
	}
	e.news.borrowers[number] = true
	signal(e.told)
}

// stirOthers makes other nodes look at queues, lanes and nodes now. The
// engine's lock must be held.
func (e *Engine) stirOthers() {
	if !e.alone {
		e.news.stir = true
		signal(e.told)
	}
}

// Stir makes all nodes look at queues, lanes and nodes now, and tells others
// what this node serves: an operator changed a queue. It returns when this
// node has looked and has taken the lanes that it should, after a second, or
// when ctx ends.
func (e *Engine) Stir(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, newsTime)
	defer cancel()
	e.ask(ctx, e.beatAsks)
	e.mu.Lock()
	e.stirOthers()
	e.mu.Unlock()
	e.ask(ctx, e.asks)
}

// ask makes a loop do its work now, and waits until it has, as long as ctx.
func (e *Engine) ask(ctx context.Context, loop chan chan struct{}) {
	done := make(chan struct{})
	select {
	case loop <- done:
	case <-ctx.Done():
		return
	case <-e.running.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	case <-e.running.Done():
	}
}

// lastNews tells what changed at the end, when the loops have ended: the node
// has left. Nobody who does not answer is waited for long.
func (e *Engine) lastNews(ctx context.Context, watched bool) {
	e.mu.Lock()
	alone := e.alone
	e.mu.Unlock()
	if alone {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, newsTime/2)
	defer cancel()
	notifier, notifies := store.As[store.Notifier](e.config.Store)
	switch {
	case watched && notifies:
		e.notify(ctx, notifier, news{stir: true})
	case !watched && e.config.Tell != nil:
		var calls sync.WaitGroup
		for _, m := range e.view.Load().audience(news{stir: true}, e.node()) {
			calls.Go(func() { _ = e.tellOne(ctx, m) }) // the observer was told
		}
		calls.Wait()
	}
}

// newsPause is the time between two wake-ups.
func (e *Engine) newsPause() time.Duration {
	if e.watched.Load() {
		return newsEvery
	}
	return callEvery
}

// telling is the loop that tells other nodes the news: at once, and then no more
// often than it should.
func (e *Engine) telling() {
	calls := newCalls(e)
	defer calls.running.Wait()
	var last time.Time
	for {
		select {
		case <-e.running.Done():
			return
		case call := <-calls.ended:
			calls.end(call)
			calls.start() // what came up during it
			continue
		case <-e.told:
		}
		if wait := e.newsPause() - time.Since(last); wait > 0 && !sleep(e.running, wait) {
			return
		}
		last = time.Now()
		calls.endAll()
		e.tellNews(calls)
	}
}

// tellNews tells what there is by the way that the store offers: its own, or
// a call of each node that is concerned. A store whose watch sees every commit
// needs neither.
func (e *Engine) tellNews(calls *calls) {
	e.mu.Lock()
	n := e.news
	e.news = news{}
	e.mu.Unlock()
	v, self := e.view.Load(), e.node()
	if len(v.alive) == 0 || len(v.alive) == 1 && v.alive[self] != nil {
		return
	}
	notifier, notifies := store.As[store.Notifier](e.config.Store)
	switch watched := e.watched.Load(); {
	case watched && notifies:
		ctx, cancel := context.WithTimeout(e.running, newsTime)
		defer cancel()
		e.notify(ctx, notifier, n)
	case !watched && e.config.Tell != nil:
		calls.add(v.audience(n, self), time.Now())
		calls.start()
	}
}

// notify hands the news to the store.
func (e *Engine) notify(ctx context.Context, notifier store.Notifier, n news) {
	lanes := n.lanes()
	if len(lanes) == 0 && !n.stir {
		return
	}
	began := time.Now()
	err := notifier.Notify(ctx, lanes)
	e.toldOf("notify", len(lanes), began, err)
}

// lanes are the changed lanes in order; nil for "any".
func (n *news) lanes() (numbers []uint16) {
	if n.stir {
		return nil
	}
	all := maps.Clone(n.owners)
	if all == nil {
		all = map[uint16]bool{}
	}
	maps.Copy(all, n.borrowers)
	for of := range n.leasers {
		all[of.lane] = true
	}
	return bounded(slices.Collect(maps.Keys(all)))
}

// lookIntoNew makes the loader look into lanes whose owner has changed, or into
// all when this node has just joined, for rows that their owners cannot start and
// this node can: they may have marked them before it came. The engine's lock must
// be held.
func (e *Engine) lookIntoNew(before, now *view) {
	self := now.me(e.node())
	if self == nil || e.config.EnqueueOnly {
		return
	}
	joined := before == nil || before.me(self.ID) == nil
	for number, l := range now.lanes {
		changed := joined || before.lanes[number] == nil || before.lanes[number].Owner != l.Owner
		if changed && e.near.lanes[number] == nil && now.borrows(self, number) {
			e.lenders[number] = true
			signal(e.changed)
		}
	}
}

// bounded sorts lanes; too many of them become "any".
func bounded(numbers []uint16) []uint16 {
	if len(numbers) > mostNews {
		return nil
	}
	slices.Sort(numbers)
	return numbers
}

func (e *Engine) toldOf(way string, lanes int, began time.Time, err error) {
	if err != nil && e.running.Err() == nil {
		e.log.Debug("wakeup.failed", "way", way, "lanes", lanes, "error", err)
	}
	if f := e.config.Observer.Told; f != nil {
		f(way, lanes, time.Since(began), err)
	}
}

// message is what one node is to be told.
type message struct {
	node  *store.Node
	lanes map[uint16]bool
	any   bool
}

// audience says who should hear the news: the owner of each lane, the nodes
// that can start what an owner cannot, those that leased what has ended, and for
// a stir everybody.
func (v *view) audience(n news, self string) map[string]*message {
	to := map[string]*message{}
	tell := func(id string, lane uint16, any bool) {
		node := v.alive[id]
		if node == nil || id == self || node.Address == "" || node.WakeKey == "" {
			return
		}
		m := to[id]
		if m == nil {
			m = &message{node: node, lanes: map[uint16]bool{}}
			to[id] = m
		}
		if m.any = m.any || any; !any {
			m.lanes[lane] = true
		}
	}
	for number := range n.owners {
		if l := v.lanes[number]; l != nil {
			tell(l.Owner, number, false)
		}
	}
	for of := range n.leasers {
		tell(of.node, of.lane, false)
	}
	for id, node := range v.alive {
		for number := range n.borrowers {
			if v.borrows(node, number) {
				tell(id, number, false)
			}
		}
		if n.stir {
			tell(id, 0, true)
		}
	}
	return to
}

// borrows reports whether a node may run rows of a lane that its owner cannot
// start. A lane without an owner may have such rows of the last one.
func (v *view) borrows(n *store.Node, number uint16) bool {
	l := v.lanes[number]
	if l == nil || l.Owner == n.ID {
		return false
	}
	mine, serves := n.Serves[l.Queue]
	owner := v.alive[l.Owner]
	if !serves || owner == nil {
		return serves
	}
	theirs, served := owner.Serves[l.Queue]
	if !served || theirs == nil {
		return !served
	}
	return mine == nil || slices.ContainsFunc(mine, func(capability string) bool {
		return strings.HasPrefix(capability, wanting) || !isSign(capability) && !slices.Contains(theirs, capability)
	})
}

// calls are the wake-ups that go to each node by a call of its own. All but
// running and ended is the telling loop's.
type calls struct {
	engine  *Engine
	waiting map[string]*message
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

func newCalls(e *Engine) *calls {
	return &calls{engine: e, waiting: map[string]*message{}, begun: map[string]bool{}, rest: map[string]time.Time{}, ended: make(chan callEnd, 1)}
}

// add puts messages together with those that wait. What is for a node that
// rests is dropped: it finds out by its poll.
func (c *calls) add(messages map[string]*message, now time.Time) {
	for id, until := range c.rest {
		if !until.After(now) {
			delete(c.rest, id)
		}
	}
	for id, m := range messages {
		if _, rests := c.rest[id]; rests {
			continue
		}
		if waiting := c.waiting[id]; waiting != nil {
			m.any = m.any || waiting.any
			for number := range waiting.lanes {
				m.lanes[number] = true
			}
		}
		c.waiting[id] = m
	}
}

// start begins a call of every node that has a message and no call.
func (c *calls) start() {
	for id, m := range c.waiting {
		if c.begun[id] {
			continue
		}
		delete(c.waiting, id)
		c.begun[id] = true
		c.running.Go(func() { c.tell(id, m) })
	}
}

// tell makes one call and says that it has ended.
func (c *calls) tell(id string, m *message) {
	ctx, cancel := context.WithTimeout(c.engine.running, newsTime)
	defer cancel()
	err := c.engine.tellOne(ctx, m)
	select {
	case c.ended <- callEnd{id, err}:
	case <-c.engine.running.Done():
	}
}

// tellOne makes one call.
func (e *Engine) tellOne(ctx context.Context, m *message) error {
	var lanes []uint16
	if !m.any {
		for number := range m.lanes {
			lanes = append(lanes, number)
		}
		lanes = bounded(lanes)
	}
	began := time.Now()
	err := e.config.Tell(ctx, *m.node, lanes)
	e.toldOf("call", len(lanes), began, err)
	return err
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
		c.rest[call.node] = time.Now().Add(newsRest)
		delete(c.waiting, call.node)
	}
}
