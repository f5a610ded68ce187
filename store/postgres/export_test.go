package postgres

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
)

// Claimed makes the store believe that so many rows were claimed.
func (s *Store) Claimed(n int64) { s.claims.Add(n) }

// Unswept is how many claims there were since the table was swept.
func (s *Store) Unswept() int64 { return s.claims.Load() }

// WithDays makes the partitions of fewer days ahead, which takes less time.
func WithDays(ahead int) Option { return func(o *options) { o.ahead = ahead } }

// TidyAfter is after how many claims the store sweeps.
const TidyAfter = tidyAfter

// Unused is what Distribute asks before it does anything.
func (s *Store) Unused(ctx context.Context, within time.Duration) error { return s.unused(ctx, within) }

// Observe has each statement told to fn.
func (s *Store) Observe(fn func(text string, values [][]byte)) { s.sent = fn }

// Crossing are the statements of an engine that ask all machines of a Citus.
func (s *Store) Crossing() (texts []string) {
	for _, q := range []*wire.Query{runningOf, anySuspect, holdsRows, newestLetter} {
		texts = append(texts, s.book.Of(q))
	}
	return texts
}

// MarksText is the statement that looks for marks.
func (s *Store) MarksText() string { return s.book.Of(firstMarks) }

// ArrivedText is the statement that reads what has arrived.
func (s *Store) ArrivedText() string { return s.book.Of(arrivedRows) }

// Payload and LanesOfPayload write and read what a notification says.
func Payload(lanes []store.ChangedLane) string { return payload(lanes) }

func LanesOfPayload(text string) []store.ChangedLane { return lanesOfPayload(text) }

// OfAnotherServer makes the store believe that what it has read ahead is of another server
// than the one that it is connected to.
func (s *Store) OfAnotherServer() {
	for lane, state := range s.readAhead.lanes {
		state.server--
		s.readAhead.lanes[lane] = state
	}
}

// Channel is where nodes of the store are notified.
func (s *Store) Channel() string { return s.channel() }
