package engine

// place is where an entry is in the one heap that holds it.
type placed interface{ place() *int }

// pile is a binary heap whose items know their place, so that any of them
// can be taken out or moved in O(log n). The zero pile with less set is
// empty and ready.
type pile[T placed] struct {
	items []T
	less  func(a, b T) bool
}

func (p *pile[T]) len() int { return len(p.items) }

// first is the least item; the pile must not be empty.
func (p *pile[T]) first() T { return p.items[0] }

func (p *pile[T]) push(item T) {
	*item.place() = len(p.items)
	p.items = append(p.items, item)
	p.up(len(p.items) - 1)
}

func (p *pile[T]) pop() T {
	item := p.items[0]
	p.remove(item)
	return item
}

func (p *pile[T]) remove(item T) {
	at, last := *item.place(), len(p.items)-1
	p.swap(at, last)
	var zero T
	p.items[last] = zero
	p.items = p.items[:last]
	if at < last {
		p.fix(p.items[at])
	}
	*item.place() = -1
}

// fix moves an item whose order has changed.
func (p *pile[T]) fix(item T) {
	p.down(*item.place())
	p.up(*item.place())
}

func (p *pile[T]) up(at int) {
	for at > 0 {
		parent := (at - 1) / 2
		if !p.less(p.items[at], p.items[parent]) {
			return
		}
		p.swap(at, parent)
		at = parent
	}
}

func (p *pile[T]) down(at int) {
	for {
		least := 2*at + 1
		if least >= len(p.items) {
			return
		}
		if right := least + 1; right < len(p.items) && p.less(p.items[right], p.items[least]) {
			least = right
		}
		if !p.less(p.items[least], p.items[at]) {
			return
		}
		p.swap(at, least)
		at = least
	}
}

func (p *pile[T]) swap(a, b int) {
	p.items[a], p.items[b] = p.items[b], p.items[a]
	*p.items[a].place(), *p.items[b].place() = a, b
}
