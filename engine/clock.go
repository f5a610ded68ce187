package engine

import (
	"sync/atomic"
	"time"
)

// lag is how far the store's clock is behind this node's, as far as that is
// known, in µs: 0 where it is not. The store alone says what is due; a node
// whose clock is ahead learns so when it is refused, and asks again when the
// store will agree.
type lag struct{ micros atomic.Int64 }

// seen takes a reading of the store's clock that was made between two times of
// this node's: the lag lies between the differences.
func (l *lag) seen(before, after, store time.Time) {
	now := l.micros.Load()
	least, most := before.Sub(store).Microseconds(), after.Sub(store).Microseconds()
	if next := max(0, min(max(now, least), most)); next != now {
		l.micros.Store(next)
	}
}

// known is how far this node's clock is ahead of the store's.
func (l *lag) known() time.Duration { return time.Duration(l.micros.Load()) * time.Microsecond }

// clockPause is the least wait for a store whose clock is behind ours.
const clockPause = 2 * time.Millisecond

// retryAt is when a claim that was refused as too early is tried again: when
// the store will agree, if the lag is known, and after half as long again
// otherwise. Times are µs.
func (l *lag) retryAt(runAt, now int64) int64 {
	return max(runAt+l.micros.Load(), now+max(clockPause.Microseconds(), (now-runAt)/2))
}
