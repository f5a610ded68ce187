package agenda

import "github.com/outlast-dev/outlast/internal/heap"

// keyID names an ordering key.
type keyID struct {
	lane uint16
	key  string
}

// sequence is the tasks of an ordering key that are in memory: one head, that is
// waiting, ready, claimed or running, and the rest behind it. What is believed here is a
// guess that the claim statement confirms or corrects.
type sequence struct {
	id     keyID
	head   *Entry
	behind heap.Heap[*Entry]
}

func newSequence(id keyID) *sequence { return &sequence{id: id, behind: heap.New(inSequence, placeOf)} }

// inSequence orders the tasks of a key: what has started goes first, then seq.
func inSequence(e *Entry) heap.Rank {
	if e.Attempt+e.Crashes > 0 {
		return heap.Rank{First: 0, Second: e.Seq}
	}
	return heap.Rank{First: 1, Second: e.Seq}
}

// runs reports whether the head is claimed.
func (s *sequence) runs() bool { return s.head != nil && s.head.where == isClaimed }

// empty reports whether nothing of the key is in memory.
func (s *sequence) empty() bool { return s.head == nil && s.behind.Len() == 0 }
