// Package backlog counts pending tasks without a walk over those that are parked.
//
// Tasks behind a key that is held in mode park are no backlog. Nearly all of them have
// the park mark of their key, so that the index by lane and mark has them apart: the
// counts go by the ranges of marks between those of held keys. What has no mark yet is
// looked at row by row.
package backlog

import (
	"math"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// Key is an ordering key of a lane.
type Key struct {
	Lane uint16
	Key  string
}

// Range is park marks of a lane, both ends included.
type Range struct {
	Lane      uint16
	Low, High int64
}

// Source is how a store counts.
type Source interface {
	// Held lists keys of lanes that are held in mode park, at most [store.MostHolds].
	Held(lanes []uint16) ([]Key, error)
	// Within counts pending rows with a mark in one of the ranges, to a limit. If
	// some keys are held, rows behind held keys are left out.
	Within(ranges []Range, held bool, most int) (int, error)
	// Behind counts pending rows of keys, to a limit.
	Behind(keys []Key, most int) (int, error)
}

// Count counts the pending tasks of lanes, each kind no further than most.
func Count(s Source, lanes []uint16, most int) (store.Backlog, error) {
	found, held, err := pending(s, lanes, most)
	if err == nil && len(held) > 0 {
		found.Parked, err = s.Behind(held, most)
	}
	return found, err
}

// Pending counts the pending tasks of lanes but for the parked ones, to a limit.
func Pending(s Source, lanes []uint16, most int) (int, error) {
	found, _, err := pending(s, lanes, most)
	return found.Pending, err
}

func pending(s Source, lanes []uint16, most int) (found store.Backlog, held []Key, err error) {
	if len(lanes) == 0 || most <= 0 {
		return found, nil, nil
	}
	if held, err = s.Held(lanes); err != nil {
		return found, nil, err
	}
	unmarked, aside := Ranges(lanes, held)
	if found.Aside, err = s.Within(aside, len(held) > 0, most); err != nil {
		return found, nil, err
	}
	found.Pending = found.Aside
	if found.Pending < most {
		n, err := s.Within(unmarked, len(held) > 0, most-found.Pending)
		if err != nil {
			return found, nil, err
		}
		found.Pending += n
	}
	return found, held, nil
}

// Ranges are the marks of lanes: none, and all others but those of held keys.
func Ranges(lanes []uint16, held []Key) (unmarked, aside []Range) {
	marks := make(map[uint16][]int64, len(lanes))
	for _, key := range held {
		marks[key.Lane] = append(marks[key.Lane], store.KeyMark(key.Key))
	}
	for _, lane := range lanes {
		unmarked = append(unmarked, Range{lane, 0, 0})
		without := append(marks[lane], 0)
		slices.Sort(without)
		low := int64(math.MinInt64)
		for _, mark := range slices.Compact(without) {
			if low < mark {
				aside = append(aside, Range{lane, low, mark - 1})
			}
			low = mark + 1
		}
		if low != math.MinInt64 { // the greatest mark was no held key's
			aside = append(aside, Range{lane, low, math.MaxInt64})
		}
	}
	return unmarked, aside
}
