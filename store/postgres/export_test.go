package postgres

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Claimed makes the store believe that so many rows were claimed.
func (s *Store) Claimed(n int64) { s.claims.Add(n) }

// Unswept is how many claims there were since the table was swept.
func (s *Store) Unswept() int64 { return s.claims.Load() }

// TidyAfter is after how many claims the store sweeps.
const TidyAfter = tidyAfter

// Remembered is how many pending and running rows the store remembers.
func (s *Store) Remembered() (pending, running int) {
	tasks, runs := &s.memory.tasks, &s.memory.runs
	return len(tasks.young) + len(tasks.old), len(runs.young) + len(runs.old)
}

// Recent is what the store remembers by id.
type Recent struct{ recent[int] }

// NewRecent makes one.
func NewRecent(room int, generation time.Duration) *Recent {
	return &Recent{recent[int]{room: room, generation: generation}}
}

// Put keeps a value.
func (r *Recent) Put(at time.Time, id task.ID, value, weight int) { r.put(at, id, value, weight) }

// Take returns a value, which is kept no longer.
func (r *Recent) Take(id task.ID) (int, bool) { return r.take(id) }

// Observe has each statement told to fn.
func (s *Store) Observe(fn func(text string, values [][]byte)) { s.sent = fn }

// Crossing are the statements of an engine that ask all machines of a Citus.
func (s *Store) Crossing() (texts []string) {
	for _, q := range []*query{runningOf, anySuspect, holdsRows, newestLetter} {
		texts = append(texts, s.texts[q.index][0].text)
	}
	return texts
}
