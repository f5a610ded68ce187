package engine

// placed is an item that knows its place in the one heap that holds it.
type placed interface{ place() *int }

// rank is by what a heap orders its items: the first number, then the second.
type rank struct{ first, second int64 }

func (r rank) before(other rank) bool {
	return r.first < other.first || r.first == other.first && r.second < other.second
}

// pile is a heap whose items know their place, so that any of them can be
// taken out or moved in O(log n). It keeps their ranks beside them, and has four
// branches instead of two: what costs is to look at items all over memory. The
// zero pile with rank set is empty and ready.
type pile[T placed] struct {
	items []ranked[T]
	rank  func(T) rank
}

type ranked[T placed] struct {
	rank
	item T
}

const branches = 4

func (p *pile[T]) len() int { return len(p.items) }

// first is the least item; the pile must not be empty.
func (p *pile[T]) first() T { return p.items[0].item }

func (p *pile[T]) push(item T) {
	p.items = append(p.items, ranked[T]{})
	p.up(len(p.items)-1, ranked[T]{p.rank(item), item})
}

func (p *pile[T]) pop() T {
	item := p.items[0].item
	p.remove(item)
	return item
}

func (p *pile[T]) remove(item T) {
	at, last := *item.place(), len(p.items)-1
	moved := p.items[last]
	p.items[last] = ranked[T]{}
	p.items = p.items[:last]
	if at < last {
		p.settle(at, moved)
	}
	*item.place() = -1
}

// fix moves an item whose rank has changed.
func (p *pile[T]) fix(item T) {
	if now, at := p.rank(item), *item.place(); now != p.items[at].rank {
		p.settle(at, ranked[T]{now, item})
	}
}

// settle finds the place of an item on the way up or down from a hole.
func (p *pile[T]) settle(hole int, r ranked[T]) {
	if hole > 0 && r.before(p.items[(hole-1)/branches].rank) {
		p.up(hole, r)
		return
	}
	p.down(hole, r)
}

func (p *pile[T]) up(hole int, r ranked[T]) {
	for hole > 0 {
		parent := (hole - 1) / branches
		if !r.before(p.items[parent].rank) {
			break
		}
		p.put(hole, p.items[parent])
		hole = parent
	}
	p.put(hole, r)
}

func (p *pile[T]) down(hole int, r ranked[T]) {
	for {
		first := branches*hole + 1
		if first >= len(p.items) {
			break
		}
		least := first
		for i := first + 1; i < min(first+branches, len(p.items)); i++ {
			if p.items[i].before(p.items[least].rank) {
				least = i
			}
		}
		if !p.items[least].before(r.rank) {
			break
		}
		p.put(hole, p.items[least])
		hole = least
	}
	p.put(hole, r)
}

func (p *pile[T]) put(at int, r ranked[T]) {
	p.items[at] = r
	*r.item.place() = at
}
