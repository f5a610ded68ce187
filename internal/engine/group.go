package engine

import (
	"runtime"
	"sync"
)

// group gathers what concurrent callers hand in while a commit is under way
// and commits it as the next batch: no timer, so a lone caller waits for
// nothing, and many callers share a commit.
type group[T any] struct {
	groupConfig[T]

	mu      sync.Mutex
	pending []weighted[T]
	waiting weight // of pending
	closed  bool
	ready   chan struct{}
	done    chan struct{}

	beside sync.WaitGroup // commits that go on beside the others
	room   chan struct{}  // full when as many do as may
}

// weight is what an item adds to a commit.
type weight struct{ items, bytes int }

type weighted[T any] struct {
	weight
	item T
}

// groupConfig says what a group commits and how much.
type groupConfig[T any] struct {
	commit func([]T)
	most   weight       // of one commit, unless a single item is more
	queue  weight       // of what may wait; zero for no bound
	drop   func(T) bool // forgets an item for which nobody waits any more; may be nil
	apart  int          // how many commits that are full may go on beside the others
}

func newGroup[T any](config groupConfig[T]) *group[T] {
	return &group[T]{groupConfig: config, ready: make(chan struct{}, 1), done: make(chan struct{}), room: make(chan struct{}, config.apart)}
}

// refusal is why a group does not take an item.
type refusal uint8

const (
	taken refusal = iota
	isClosed
	isFull
)

// put hands in an item.
func (g *group[T]) put(item T, w weight) refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return isClosed
	}
	if g.queue != (weight{}) && len(g.pending) > 0 && g.waiting.plus(w).exceeds(g.queue) {
		return isFull
	}
	g.waiting = g.waiting.plus(w)
	g.pending = append(g.pending, weighted[T]{w, item})
	signal(g.ready)
	return taken
}

func (w weight) plus(other weight) weight {
	return weight{w.items + other.items, w.bytes + other.bytes}
}

func (w weight) exceeds(limit weight) bool { return w.items > limit.items || w.bytes > limit.bytes }

// run commits until the group is closed and empty.
func (g *group[T]) run() {
	defer close(g.done)
	defer g.beside.Wait()
	for {
		batch, full, closed := g.next()
		switch {
		case full && g.apart > 0:
			g.commitApart(batch)
		case len(batch) > 0:
			g.commit(batch)
			g.regather(len(batch))
		case closed:
			return
		default:
			<-g.ready
		}
	}
}

// commitApart commits while others go on.
func (g *group[T]) commitApart(batch []T) {
	g.room <- struct{}{}
	g.beside.Go(func() {
		g.commit(batch)
		<-g.room
	})
}

// mostYields is how often regather lets others go first. Sixteen callers, measured
// on PostgreSQL, share a commit almost always then; more brought nothing.
const mostYields = 16

// regather lets the n callers just answered hand in their next item, so that they
// share the next commit instead of missing it. It waits for nobody who does not
// come at once.
func (g *group[T]) regather(n int) {
	for range mostYields {
		runtime.Gosched()
		g.mu.Lock()
		again := len(g.pending)
		g.mu.Unlock()
		if again >= n {
			return
		}
	}
}

// next takes what is committed next, and says whether no more may go with it.
func (g *group[T]) next() (batch []T, full, closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	taken, sum := 0, weight{}
	for _, next := range g.pending {
		if g.drop == nil || !g.drop(next.item) {
			if len(batch) > 0 && sum.plus(next.weight).exceeds(g.most) {
				break
			}
			sum = sum.plus(next.weight)
			batch = append(batch, next.item)
		}
		g.waiting = weight{g.waiting.items - next.items, g.waiting.bytes - next.bytes}
		taken++
	}
	if g.pending = g.pending[taken:]; len(g.pending) == 0 {
		g.pending = nil
	}
	return batch, sum.exceeds(g.most) || len(g.pending) > 0, g.closed && len(g.pending) == 0
}

// close refuses further items and waits until the last ones are committed.
func (g *group[T]) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	signal(g.ready)
	<-g.done
}

// signal wakes the reader of a channel of capacity 1, without waiting.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
