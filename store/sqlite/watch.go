package sqlite

import (
	"context"
	"os"
	"time"

	"github.com/outlast-dev/outlast/store"
)

const (
	// The log is looked at so often, and more often as long as somebody else has
	// committed within the last second.
	watchEvery, watchBusy, busyFor = 5 * time.Millisecond, 2 * time.Millisecond, time.Second
	// settled is how old the log's time stamp must be before "unchanged" is
	// believed where the index cannot be read: clocks of file systems tick slowly.
	settled = 25 * time.Millisecond
)

// indexHeader is the part of the index of the write-ahead log that changes with
// every commit; see "The WAL-Index Header" in https://sqlite.org/walformat.html.
type indexHeader [48]byte

// logStamp is what system calls tell of the write-ahead log. While it stands
// still nobody has committed. The header is what counts: a commit is on disk some
// time before it is in the index, and only then can be seen. Size and time serve
// where the index is in no file.
type logStamp struct {
	size   int64
	time   time.Time
	header indexHeader
}

// final reports whether nothing can follow that leaves the stamp as it is.
func (l *logStamp) final() bool {
	return l.header != indexHeader{} || time.Since(l.time) > settled
}

// logStamp reads a stamp, with the header if index is not nil.
func (s *Store) logStamp(index *os.File) (stamp logStamp) {
	if index != nil {
		if n, _ := index.ReadAt(stamp.header[:], 0); n == len(stamp.header) {
			return stamp
		}
		stamp.header = indexHeader{}
	}
	if info, err := os.Stat(s.path + "-wal"); err == nil {
		stamp.size, stamp.time = info.Size(), info.ModTime()
	}
	return stamp
}

// Watch implements [store.Waker]. It looks at the log's index by a system call
// and asks the database only when that has changed, so an idle server costs no
// queries. Commits of the store's own writer do not wake.
func (s *Store) Watch(ctx context.Context, wake func(lanes []store.ChangedLane)) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	index, err := os.Open(s.path + "-shm") // the locks of SQLite belong to open files, not to processes
	if err == nil {
		defer index.Close() //nolint:errcheck // only read
	}
	known, seen := logStamp{}, s.writer.foreign.Load()
	var busy time.Time // when somebody else has committed; zero when that is long ago
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.closed:
			return store.ErrClosed
		case <-ticker.C:
		}
		if stamp := s.logStamp(index); stamp != known {
			if stamp.final() {
				known = stamp
			}
			if err := s.writer.ask(ctx); err != nil && ctx.Err() == nil {
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
