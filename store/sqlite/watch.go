package sqlite

import (
	"context"
	"os"
	"time"
)

const (
	// The log is looked at so often, and more often as long as somebody else has
	// committed within the last second.
	watchEvery, watchBusy, busyFor = 5 * time.Millisecond, 2 * time.Millisecond, time.Second
	// settled is how old the log's time stamp must be before "unchanged"
	// is believed: clocks of file systems tick slowly.
	settled = 25 * time.Millisecond
)

// logStamp is what a system call tells of the write-ahead log. While it
// stands still nobody has committed.
type logStamp struct {
	size int64
	time time.Time
}

func (s *Store) logStamp() logStamp {
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		return logStamp{}
	}
	return logStamp{info.Size(), info.ModTime()}
}

// Watch implements [store.Waker]. It looks at the log by a system call and
// asks the database only when that has changed, so an idle server costs no
// queries. Commits of the store's own writer do not wake.
func (s *Store) Watch(ctx context.Context, wake func(lanes []uint16)) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	known, seen := logStamp{}, s.writer.foreign.Load()
	var busy time.Time // when somebody else has committed; zero when that is long ago
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.closed:
			return ErrClosed
		case <-ticker.C:
		}
		if stamp := s.logStamp(); stamp != known {
			if time.Since(stamp.time) > settled {
				known = stamp
			}
			if err := s.look(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
		if foreign := s.writer.foreign.Load(); foreign != seen {
			seen = foreign
			wake(nil)
			if busy.IsZero() {
				ticker.Reset(watchBusy)
			}
			busy = time.Now()
		} else if !busy.IsZero() && time.Since(busy) > busyFor {
			busy = time.Time{}
			ticker.Reset(watchEvery)
		}
	}
}

// look has the writer's connection ask whether others have committed.
func (s *Store) look(ctx context.Context) error {
	return s.writer.ask(ctx)
}
