package membership

import (
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

// longestDeaf bounds the pause between two tries to watch the store.
const longestDeaf = 30 * time.Second

// watch is the loop that hands on what the store tells of other processes' commits.
func (m *Member) watch(waker store.Waker) {
	m.listen(func() error {
		m.watched.Store(true)
		defer m.watched.Store(false)
		return waker.Watch(m.running, m.config.Watch)
	}, func() { m.config.Watch(nil) }) // something was missed
}

// spot is the same of what a store sees that tells of nothing. Whoever missed something
// polls.
func (m *Member) spot(spotter store.Spotter) {
	m.listen(func() error { return spotter.Spot(m.running, m.config.Spot) }, func() {})
}

// listen listens again and again.
func (m *Member) listen(once func() error, missed func()) {
	level := slog.LevelWarn
	for pause := m.config.Pause; m.running.Err() == nil; pause = min(2*pause, longestDeaf) {
		began := time.Now()
		err := once()
		if m.running.Err() != nil {
			return
		}
		if time.Since(began) > longestDeaf {
			pause, level = m.config.Pause, slog.LevelWarn
		}
		m.log.Log(m.running, level, "watch.ended", "error", err, "again_in", pause)
		level = slog.LevelDebug // it has been said; until it works again
		background.Sleep(m.running, pause)
		missed()
	}
}
