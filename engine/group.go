package engine

import (
	"runtime"
	"sync"
)

// group gathers what concurrent callers hand in while a commit is under way
// and commits it as the next batch: no timer, so a lone caller waits for
// nothing, and many callers share a commit.
type group[T any] struct {
	max    int // items per commit
	size   func(T) int
	commit func([]T)

	mu      sync.Mutex
	pending []T
	closed  bool
	ready   chan struct{}
	done    chan struct{}
}

func newGroup[T any](limit int, size func(T) int, commit func([]T)) *group[T] {
	return &group[T]{max: limit, size: size, commit: commit, ready: make(chan struct{}, 1), done: make(chan struct{})}
}

// put hands in an item; false if the group is closed.
func (g *group[T]) put(item T) bool {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false
	}
	g.pending = append(g.pending, item)
	g.mu.Unlock()
	signal(g.ready)
	return true
}

// run commits until the group is closed and empty.
func (g *group[T]) run() {
	defer close(g.done)
	for {
		batch, closed := g.next()
		switch {
		case len(batch) > 0:
			g.commit(batch)
			// Let the callers just answered hand in their next item, so that
			// they share the next commit instead of missing it.
			runtime.Gosched()
		case closed:
			return
		default:
			<-g.ready
		}
	}
}

func (g *group[T]) next() (batch []T, closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	count, size := 0, 0
	for count < len(g.pending) {
		if size += g.size(g.pending[count]); size > g.max && count > 0 {
			break
		}
		count++
	}
	batch = g.pending[:count:count]
	g.pending = g.pending[count:]
	return batch, g.closed
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
