package memory

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/outlast-dev/outlast/task"
)

// place is a position in an order: by first, then second, then id.
type place struct {
	first, second int64
	id            task.ID
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second), bytes.Compare(a.id[:], b.id[:]))
}

// chunkSize bounds what one insertion or removal moves.
const chunkSize = 256

// ordered is a sorted set of places, kept in chunks of bounded size: a
// B-tree of two levels. The zero value is empty.
type ordered struct {
	chunks [][]place // each sorted and not empty
	length int
}

// find returns the position of the first place that is not before p, and
// whether it is p. The chunk may be one past the end.
func (o *ordered) find(p place) (chunk, at int, found bool) {
	chunk = sort.Search(len(o.chunks), func(i int) bool {
		last := o.chunks[i]
		return comparePlaces(last[len(last)-1], p) >= 0
	})
	if chunk == len(o.chunks) {
		return chunk, 0, false
	}
	at, found = slices.BinarySearchFunc(o.chunks[chunk], p, comparePlaces)
	return chunk, at, found
}

func (o *ordered) add(p place) {
	chunk, at, found := o.find(p)
	if found {
		return
	}
	o.length++
	if chunk == len(o.chunks) {
		if chunk == 0 {
			o.chunks = append(o.chunks, []place{p})
			return
		}
		chunk--
		at = len(o.chunks[chunk])
	}
	grown := slices.Insert(o.chunks[chunk], at, p)
	o.chunks[chunk] = grown
	if len(grown) > chunkSize {
		upper := slices.Clone(grown[chunkSize/2:])
		o.chunks[chunk] = grown[:chunkSize/2]
		o.chunks = slices.Insert(o.chunks, chunk+1, upper)
	}
}

func (o *ordered) remove(p place) {
	chunk, at, found := o.find(p)
	if !found {
		return
	}
	o.length--
	o.chunks[chunk] = slices.Delete(o.chunks[chunk], at, at+1)
	if len(o.chunks[chunk]) == 0 {
		o.chunks = slices.Delete(o.chunks, chunk, chunk+1)
	}
}

func (o *ordered) has(p place) bool {
	_, _, found := o.find(p)
	return found
}

// min is the first place, if there is one.
func (o *ordered) min() (place, bool) {
	if o.length == 0 {
		return place{}, false
	}
	return o.chunks[0][0], true
}

// from yields the places that are not before p, ascending. The set must not
// change meanwhile.
func (o *ordered) from(p place) iter.Seq[place] {
	return func(yield func(place) bool) {
		chunk, at, _ := o.find(p)
		for ; chunk < len(o.chunks); chunk, at = chunk+1, 0 {
			for _, p := range o.chunks[chunk][at:] {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// all yields every place, ascending.
func (o *ordered) all() iter.Seq[place] {
	return func(yield func(place) bool) {
		for _, chunk := range o.chunks {
			for _, p := range chunk {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// before yields the places before p, descending; nil means from the end.
func (o *ordered) before(p *place) iter.Seq[place] {
	return func(yield func(place) bool) {
		chunk, at := len(o.chunks), 0
		if p != nil {
			chunk, at, _ = o.find(*p)
		}
		for {
			if at == 0 {
				if chunk == 0 {
					return
				}
				chunk--
				at = len(o.chunks[chunk])
			}
			at--
			if !yield(o.chunks[chunk][at]) {
				return
			}
		}
	}
}
