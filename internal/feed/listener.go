package feed

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/inspect"
)

// Listener reads a feed at its own pace. It is for one goroutine; [Listener.Close] may
// be called from any, and more than once.
type Listener struct {
	feed   *Feed
	at     uint64    // the last page that was read
	stats  time.Time // of the last ones that were read
	closed sync.Once
}

// Listen begins to listen: after a position of this or an earlier listener, or from now
// on if that is "". It reports false where what came after the position is not there any
// more, and it begins now. Close the listener.
func (f *Feed) Listen(after string) (l *Listener, resumed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners++
	f.begin()
	l = &Listener{feed: f, at: f.last}
	if after == "" {
		return l, true
	}
	name, number, _ := strings.Cut(after, "-")
	at, err := strconv.ParseUint(number, 10, 64)
	if err != nil || name != f.name || at > f.last || at < f.lost {
		return l, false
	}
	l.at = at
	return l, true
}

// Close ends the listening.
func (l *Listener) Close() {
	l.closed.Do(func() {
		l.feed.mu.Lock()
		defer l.feed.mu.Unlock()
		l.feed.listeners--
		l.feed.idleSince = time.Now()
	})
}

// Ended is closed when the feed is.
func (l *Listener) Ended() <-chan struct{} { return l.feed.ended }

// Read returns the pages since the last call, oldest first, how many pages at most were
// dropped before them because the listener was too slow, and the stats, nil if there are no
// newer ones. Until the channel is closed there is no more. Nobody may change what it
// returns.
func (l *Listener) Read() (pages []*inspect.EventPage, dropped int, stats *inspect.EventStats, more <-chan struct{}) {
	f := l.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.at < f.lost {
		dropped, l.at = int(f.lost-l.at), f.lost //nolint:gosec // pages of at most a process' life
	}
	for i := len(f.pages) - 1; i >= 0 && f.pages[i].Number > l.at; i-- {
		pages = f.pages[i:len(f.pages):len(f.pages)]
	}
	l.at = f.last
	if f.stats != nil && f.stats.At.After(l.stats) {
		stats, l.stats = f.stats, f.stats.At
	}
	return append([]*inspect.EventPage(nil), pages...), dropped, stats, f.updated
}

// Position is where the listener has read to.
func (l *Listener) Position() string { return l.feed.name + "-" + strconv.FormatUint(l.at, 10) }
