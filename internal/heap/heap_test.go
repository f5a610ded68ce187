package heap

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type item struct {
	rank  Rank
	place int
}

func newHeap() Heap[*item] {
	return New(func(i *item) Rank { return i.rank }, func(i *item) *int { return &i.place })
}

// Whatever is pushed, moved and taken out, the first item is the least one, and every
// item knows its place.
func TestFirstIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, model := newHeap(), []*item{}
		draw := func(t *rapid.T) Rank {
			return Rank{rapid.Int64Range(0, 20).Draw(t, "first"), rapid.Int64Range(0, 3).Draw(t, "second")}
		}
		one := func(t *rapid.T) int { return rapid.IntRange(0, len(model)-1).Draw(t, "which") }
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				i := &item{rank: draw(t), place: -1}
				h.Push(i)
				model = append(model, i)
			},
			"pop": func(*rapid.T) {
				if len(model) > 0 {
					at := slices.Index(model, h.Pop())
					model = slices.Delete(model, at, at+1)
				}
			},
			"remove": func(t *rapid.T) {
				if len(model) > 0 {
					at := one(t)
					if h.Remove(model[at]); model[at].place != -1 {
						t.Fatalf("an item that was taken out is in place %d", model[at].place)
					}
					model = slices.Delete(model, at, at+1)
				}
			},
			"fix": func(t *rapid.T) {
				if len(model) > 0 {
					i := model[one(t)]
					i.rank = draw(t)
					h.Fix(i)
				}
			},
			"": func(t *rapid.T) {
				if h.Len() != len(model) {
					t.Fatalf("%d items of %d", h.Len(), len(model))
				}
				for _, i := range model {
					if h.At(i.place) != i {
						t.Fatalf("place %d holds another item", i.place)
					}
					if i.rank.Before(h.First().rank) {
						t.Fatalf("%v is before the first", i.rank)
					}
				}
			},
		})
	})
}
