package backlog

import (
	"math"
	"testing"

	"github.com/outlast-dev/outlast/store"
)

// scripted holds keys, and counts the marks that were asked for.
type scripted struct {
	held   []Key
	asked  [][]Range
	behind int
}

func (s *scripted) Held([]uint16) ([]Key, error) { return s.held, nil }

func (s *scripted) Within(ranges []Range, _ bool, _ int) (int, error) {
	s.asked = append(s.asked, ranges)
	return 1, nil
}

func (s *scripted) Behind(keys []Key, _ int) (int, error) {
	s.behind++
	return len(keys), nil
}

// No range has the mark of a held key, and all other marks are in one.
func TestRangesLeaveOutHeldKeys(t *testing.T) {
	s := &scripted{held: []Key{{1, "a"}, {1, "b"}, {2, "c"}}}
	found, err := Count(s, []uint16{1, 2, 3}, 10)
	if want := (store.Backlog{Pending: 2, Aside: 1, Parked: 3}); err != nil || found != want || len(s.asked) != 2 || s.behind != 1 {
		t.Fatalf("%+v, %v, %d", found, err, len(s.asked))
	}
	covers := func(ranges []Range, lane uint16, mark int64) (n int) {
		for _, r := range ranges {
			if r.Lane == lane && r.Low <= mark && mark <= r.High {
				n++
			}
		}
		return n
	}
	aside, unmarked := s.asked[0], s.asked[1]
	for lane, held := range map[uint16][]string{1: {"a", "b"}, 2: {"c"}, 3: nil} {
		without := map[int64]bool{0: true}
		for _, key := range held {
			without[store.KeyMark(key)] = true
		}
		for _, mark := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
			if want := map[bool]int{true: 0, false: 1}[without[mark]]; covers(aside, lane, mark) != want {
				t.Errorf("lane %d: mark %d is in %d ranges", lane, mark, covers(aside, lane, mark))
			}
		}
		for mark := range without {
			if covers(aside, lane, mark) != 0 || mark != 0 && (covers(aside, lane, mark-1) != 1 || covers(aside, lane, mark+1) != 1) {
				t.Errorf("lane %d: ranges %v around %d", lane, aside, mark)
			}
		}
		if covers(unmarked, lane, 0) != 1 {
			t.Errorf("lane %d: rows without a mark are not counted", lane)
		}
	}
}

// The greatest and the least mark may be those of keys.
func TestRangesAtTheEnds(t *testing.T) {
	if _, aside := Ranges([]uint16{1}, nil); len(aside) != 2 || aside[0] != (Range{1, math.MinInt64, -1}) || aside[1] != (Range{1, 1, math.MaxInt64}) {
		t.Error(aside)
	}
}
