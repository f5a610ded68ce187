// Package gather lets concurrent callers share commits.
package gather

import (
	"runtime"
	"sync"
)

// Group gathers what concurrent callers hand in while a commit is under way
// and commits it as the next batch: no timer, so a lone caller waits for
// nothing, and many callers share a commit.
type Group[T any] struct {
	Config[T] // not to be changed

	mu      sync.Mutex
	pending []weighted[T]
	waiting Weight // of pending
	closed  bool
	ready   chan struct{}
	done    chan struct{}

	beside sync.WaitGroup // commits that go on beside the others
	room   chan struct{}  // full when as many do as may
}

// Weight is what an item adds to a commit.
type Weight struct{ Items, Bytes int }

type weighted[T any] struct {
	Weight
	item T
}

// Config says what a group commits and how much.
type Config[T any] struct {
	Commit func([]T)
	Most   Weight       // of one commit, unless a single item is more
	Queue  Weight       // of what may wait; zero for no bound
	Drop   func(T) bool // forgets an item for which nobody waits any more; may be nil
	Apart  int          // how many commits that are full may go on beside the others
}

// New makes a group, which commits nothing before Run.
func New[T any](config Config[T]) *Group[T] {
	return &Group[T]{Config: config, ready: make(chan struct{}, 1), done: make(chan struct{}), room: make(chan struct{}, config.Apart)}
}

// Refusal is why a group does not take an item.
type Refusal uint8

// Taken is none; a group that is closed or full takes nothing.
const (
	Taken Refusal = iota
	IsClosed
	IsFull
)

// Put hands in an item.
func (g *Group[T]) Put(item T, w Weight) Refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return IsClosed
	}
	if g.Queue != (Weight{}) && len(g.pending) > 0 && g.waiting.plus(w).exceeds(g.Queue) {
		return IsFull
	}
	g.waiting = g.waiting.plus(w)
	g.pending = append(g.pending, weighted[T]{w, item})
	signal(g.ready)
	return Taken
}

func (w Weight) plus(other Weight) Weight {
	return Weight{w.Items + other.Items, w.Bytes + other.Bytes}
}

func (w Weight) exceeds(limit Weight) bool { return w.Items > limit.Items || w.Bytes > limit.Bytes }

// Run commits until the group is closed and empty.
func (g *Group[T]) Run() {
	defer close(g.done)
	defer g.beside.Wait()
	for {
		batch, full, closed := g.next()
		switch {
		case full && g.Apart > 0:
			g.commitApart(batch)
		case len(batch) > 0:
			g.Commit(batch)
			g.regather(len(batch))
		case closed:
			return
		default:
			<-g.ready
		}
	}
}

// commitApart commits while others go on.
func (g *Group[T]) commitApart(batch []T) {
	g.room <- struct{}{}
	g.beside.Go(func() {
		g.Commit(batch)
		<-g.room
	})
}

// mostYields is how often regather lets others go first. Sixteen callers, measured
// on PostgreSQL, share a commit almost always then; more brought nothing.
const mostYields = 16

// regather lets the n callers just answered hand in their next item, so that they
// share the next commit instead of missing it. It waits for nobody who does not
// come at once.
func (g *Group[T]) regather(n int) {
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
func (g *Group[T]) next() (batch []T, full, closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	taken, sum := 0, Weight{}
	for _, next := range g.pending {
		if g.Drop == nil || !g.Drop(next.item) {
			if len(batch) > 0 && sum.plus(next.Weight).exceeds(g.Most) {
				break
			}
			sum = sum.plus(next.Weight)
			batch = append(batch, next.item)
		}
		g.waiting = Weight{g.waiting.Items - next.Items, g.waiting.Bytes - next.Bytes}
		taken++
	}
	if g.pending = g.pending[taken:]; len(g.pending) == 0 {
		g.pending = nil
	}
	return batch, sum.exceeds(g.Most) || len(g.pending) > 0, g.closed && len(g.pending) == 0
}

// Close refuses further items and waits until the last ones are committed.
func (g *Group[T]) Close() {
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
