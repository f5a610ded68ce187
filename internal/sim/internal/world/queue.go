package world

import "time"

// actor is something to which events happen.
type actor interface {
	Happen(w *World, what What)
}

// What tells the events of one actor apart.
type What uint8

// event is something that will happen to an actor. Of events at the same time the
// one that was scheduled first comes first, so that a run has one possible order.
type event struct {
	at    time.Duration
	order uint64 // number of scheduling, and what in the lowest eight bits
	slot  int32  // of the actor
}

func (e *event) before(other *event) bool {
	return e.at < other.at || e.at == other.at && e.order < other.order
}

// queue is a heap of events with four children per node: half as deep as a binary
// one, and the children lie side by side in memory. Actors wait in slots beside it,
// so that what is moved about holds no pointers, which the garbage collector would
// want to hear of.
type queue struct {
	heap   []event
	order  uint64
	actors []actor
	free   []int32 // slots
}

const children = 4

func (q *queue) empty() bool { return len(q.heap) == 0 }

func (q *queue) push(at time.Duration, a actor, w What) {
	q.order++
	e := event{at, q.order<<8 | uint64(w), q.seat(a)}
	q.heap = append(q.heap, e)
	heap, i := q.heap, len(q.heap)-1
	for i > 0 {
		parent := (i - 1) / children
		if !e.before(&heap[parent]) {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = e
}

// seat gives an actor a slot.
func (q *queue) seat(a actor) int32 {
	if last := len(q.free) - 1; last >= 0 {
		slot := q.free[last]
		q.free = q.free[:last]
		q.actors[slot] = a
		return slot
	}
	q.actors = append(q.actors, a)
	return int32(len(q.actors) - 1)
}

// pop takes out the first event. The queue must not be empty.
func (q *queue) pop() (event, actor) {
	first := q.heap[0]
	last := len(q.heap) - 1
	e := q.heap[last]
	q.heap = q.heap[:last]
	if last > 0 {
		q.sink(e)
	}
	a := q.actors[first.slot]
	q.actors[first.slot] = nil
	q.free = append(q.free, first.slot)
	return first, a
}

// sink puts e in the place of the root and moves it down to where it belongs.
func (q *queue) sink(e event) {
	heap, i := q.heap, 0
	for {
		low := i*children + 1
		if low >= len(heap) {
			break
		}
		for child := low + 1; child < min(low+children, len(heap)); child++ {
			if heap[child].before(&heap[low]) {
				low = child
			}
		}
		if !heap[low].before(&e) {
			break
		}
		heap[i] = heap[low]
		i = low
	}
	heap[i] = e
}
