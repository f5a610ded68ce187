package postgres

import (
	"sync"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// recent keeps values by id, each once, for a while: between one and two
// generations. What there is no room for is not kept: what was put in first
// is mostly wanted first.
type recent[V any] struct {
	room       int           // weight of all values at most
	generation time.Duration // how long values are young

	mu         sync.Mutex
	young, old map[task.ID]weighed[V]
	weights    [2]int // of the young and the old
	since      time.Time
}

type weighed[V any] struct {
	value  V
	weight int
}

// put keeps a value, in place of an earlier one.
func (r *recent[V]) put(at time.Time, id task.ID, value V, weight int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.age(at)
	r.remove(id)
	if r.weights[0]+r.weights[1]+weight > r.room {
		return
	}
	r.young[id] = weighed[V]{value, weight}
	r.weights[0] += weight
}

// take returns a value, which is kept no longer.
func (r *recent[V]) take(id task.ID) (value V, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.remove(id)
}

func (r *recent[V]) remove(id task.ID) (value V, found bool) {
	for i, generation := range [...]map[task.ID]weighed[V]{r.young, r.old} {
		if kept, found := generation[id]; found {
			delete(generation, id)
			r.weights[i] -= kept.weight
			return kept.value, true
		}
	}
	return value, false
}

// age drops the old and makes the young old, when they have been young for
// long enough.
func (r *recent[V]) age(at time.Time) {
	if r.young != nil && at.Sub(r.since) < r.generation {
		return
	}
	r.old, r.young = r.young, make(map[task.ID]weighed[V])
	r.weights[1], r.weights[0], r.since = r.weights[0], 0, at
}
