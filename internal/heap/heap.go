// Package heap is a heap whose items know their place in it.
package heap

// Rank is by what a heap orders its items: the first number, then the second.
type Rank struct{ First, Second int64 }

// Before reports whether a rank comes before another one.
func (r Rank) Before(other Rank) bool {
	return r.First < other.First || r.First == other.First && r.Second < other.Second
}

// Heap holds items that know their place, so that any of them can be taken out or moved
// in O(log n). It keeps their ranks beside them, and has four branches instead of two:
// what costs is to look at items all over memory.
type Heap[T any] struct {
	items []ranked[T]
	rank  func(T) Rank
	place func(T) *int
}

type ranked[T any] struct {
	Rank
	item T
}

const branches = 4

// New makes an empty heap. Place is where an item keeps its place in this heap: -1 while
// it is not there.
func New[T any](rank func(T) Rank, place func(T) *int) Heap[T] {
	return Heap[T]{rank: rank, place: place}
}

// Len is the number of items.
func (h *Heap[T]) Len() int { return len(h.items) }

// First is the least item; the heap must not be empty.
func (h *Heap[T]) First() T { return h.items[0].item }

// At is the item in a place. The later places are mostly those of greater items.
func (h *Heap[T]) At(place int) T { return h.items[place].item }

// Push adds an item.
func (h *Heap[T]) Push(item T) {
	h.items = append(h.items, ranked[T]{})
	h.up(len(h.items)-1, ranked[T]{h.rank(item), item})
}

// Pop takes out the least item; the heap must not be empty.
func (h *Heap[T]) Pop() T {
	item := h.items[0].item
	h.Remove(item)
	return item
}

// Remove takes out an item, which must be there.
func (h *Heap[T]) Remove(item T) {
	at, last := *h.place(item), len(h.items)-1
	moved := h.items[last]
	h.items[last] = ranked[T]{}
	h.items = h.items[:last]
	if at < last {
		h.settle(at, moved)
	}
	*h.place(item) = -1
}

// Fix moves an item whose rank has changed.
func (h *Heap[T]) Fix(item T) {
	if now, at := h.rank(item), *h.place(item); now != h.items[at].Rank {
		h.settle(at, ranked[T]{now, item})
	}
}

// settle finds the place of an item on the way up or down from a hole.
func (h *Heap[T]) settle(hole int, r ranked[T]) {
	if hole > 0 && r.Before(h.items[(hole-1)/branches].Rank) {
		h.up(hole, r)
		return
	}
	h.down(hole, r)
}

func (h *Heap[T]) up(hole int, r ranked[T]) {
	for hole > 0 {
		parent := (hole - 1) / branches
		if !r.Before(h.items[parent].Rank) {
			break
		}
		h.put(hole, h.items[parent])
		hole = parent
	}
	h.put(hole, r)
}

func (h *Heap[T]) down(hole int, r ranked[T]) {
	for {
		first := branches*hole + 1
		if first >= len(h.items) {
			break
		}
		least := first
		for i := first + 1; i < min(first+branches, len(h.items)); i++ {
			if h.items[i].Before(h.items[least].Rank) {
				least = i
			}
		}
		if !h.items[least].Before(r.Rank) {
			break
		}
		h.put(hole, h.items[least])
		hole = least
	}
	h.put(hole, r)
}

func (h *Heap[T]) put(at int, r ranked[T]) {
	h.items[at] = r
	*h.place(r.item) = at
}
