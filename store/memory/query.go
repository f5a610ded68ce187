package memory

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/task"
)

// findReads bounds the rows that one Find reads.
const findReads = 20_000

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (*task.Task, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	t := s.data.find(id)
	if t == nil {
		return nil, task.NotFound("task", id.String())
	}
	return clone(t), nil
}

// Attempts implements [store.Query].
func (s *Store) Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	if s.data.find(id) == nil {
		return nil, task.NotFound("task", id.String())
	}
	return cloneAttempts(s.data.attempts[id]), nil
}

// Known implements [store.Query].
func (s *Store) Known(ctx context.Context, items []store.Insert) ([]bool, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	known := make([]bool, len(items))
	for i := range items {
		t, d := items[i].Task, items[i].Dedupe
		known[i] = s.data.find(t.ID) != nil
		if !known[i] && d != nil {
			entry, there := s.data.dedupe[dedupeKey{d.Lane, t.Queue, d.Key}]
			known[i] = there && s.data.dedupeLives(entry, now)
		}
	}
	return known, nil
}

// Find implements [store.Query].
func (s *Store) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	if page.Limit == 0 {
		page.Limit = 100
	}
	if page.Limit < 1 || page.Limit > 500 {
		return nil, "", task.Invalid("limit", "a page has 1 to 500 tasks", "")
	}
	cursor, err := parseCursor(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	if _, err := s.begin(ctx); err != nil {
		return nil, "", err
	}
	d := s.data
	defer d.mu.Unlock()
	var tasks []*task.Task
	var last place
	reads, bytes := 0, 0
	for p := range d.candidates(filter, cursor) {
		t := d.find(p.id)
		if t != nil && !filter.Sees(t) {
			continue // as if it were not there
		}
		if reads == findReads || len(tasks) == page.Limit || bytes >= pages.MostBytes {
			return tasks, cursorOf(last), nil
		}
		reads, last = reads+1, p
		if t != nil && filter.Matches(t) {
			if t = clone(t); page.Bare {
				t.Payload, t.Result = nil, nil
			}
			tasks = append(tasks, t)
			bytes += pages.Bytes(t)
		}
	}
	return tasks, "", nil
}

func parseCursor(text string) (*place, error) {
	if text == "" {
		return nil, nil
	}
	p := &place{}
	decoded, err := hex.DecodeString(text)
	if err != nil || len(decoded) != 8+len(p.id) {
		return nil, task.Invalid("cursor", "the cursor is not one of this server", "use the next cursor of the page before, unchanged")
	}
	p.first = int64(binary.BigEndian.Uint64(decoded))
	copy(p.id[:], decoded[8:])
	return p, nil
}

func cursorOf(p place) string {
	return hex.EncodeToString(append(binary.BigEndian.AppendUint64(nil, uint64(p.first)), p.id[:]...))
}

// candidates yields the places before the cursor that may match, newest first.
func (d *data) candidates(filter store.Filter, cursor *place) iter.Seq[place] {
	if filter.IDs == nil && filter.ByFailure() {
		return d.byFailure.before(cursor)
	}
	return func(yield func(place) bool) {
		if filter.IDs == nil {
			for p := range d.byID.before(cursor) {
				if !yield(p) {
					return
				}
			}
			return
		}
		ids := slices.Clone(filter.IDs)
		slices.SortFunc(ids, func(a, b task.ID) int { return bytes.Compare(b[:], a[:]) })
		for _, id := range slices.Compact(ids) {
			if (cursor == nil || bytes.Compare(id[:], cursor.id[:]) < 0) && !yield(place{id: id}) {
				return
			}
		}
	}
}

// Count implements [store.Query].
func (s *Store) Count(ctx context.Context, filter store.Filter, limit int) (int, error) {
	if _, err := s.begin(ctx); err != nil {
		return 0, err
	}
	d := s.data
	defer d.mu.Unlock()
	n := 0
	for p := range d.candidates(filter, nil) {
		if n >= limit {
			break
		}
		if t := d.find(p.id); t != nil && filter.Matches(t) {
			n++
		}
	}
	return n, nil
}

// Key implements [store.Query].
func (s *Store) Key(ctx context.Context, number uint16, name string) (*store.KeyState, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	state := &store.KeyState{}
	lane := s.data.lane(number)
	if lane == nil || lane.keys[name] == nil {
		return state, nil
	}
	k := lane.keys[name]
	if k.hold != nil {
		state.Held, state.Holder, state.Mode, state.Since = true, k.hold.holder, k.hold.mode, k.hold.since
	}
	first, _ := k.pending.min()
	state.Running, state.First = k.running, first.id
	return state, nil
}
