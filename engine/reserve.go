package engine

// keptPart is which part of the slots is kept for queues, divided by their weights:
// one in so many. What a queue has not got of its part yet, no other one can take, so
// that tasks which end late, or never, hold no node.
const keptPart = 8

// keep works out how many slots each queue is sure to get, and how many of these are
// not taken. One queue alone keeps nothing from itself; with more than half as many
// queues as slots there is nothing to keep.
func (n *near) keep() (owed int) {
	queues, weights := 0, 0
	for _, q := range n.order {
		if !q.paused {
			queues++
			weights += q.weight
		}
	}
	pool := max(n.slots/keptPart, queues)
	for _, q := range n.order {
		if q.kept = 0; !q.paused && 2*queues <= n.slots {
			q.kept = max(1, pool*q.weight/weights)
		}
		if q.limit > 0 {
			q.kept = min(q.kept, q.limit)
		}
		owed += q.owed()
	}
	return owed
}

// owed is how many of the slots that are kept for the queue it has not taken.
func (q *queue) owed() int { return max(0, q.kept-q.running) }

// mayStart reports whether one of the free slots is for the queue.
func (q *queue) mayStart(free, owed int) bool { return q.owed() > 0 || free > owed }
