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
	level := slog.LevelWarn
	for pause := m.config.Pause; m.running.Err() == nil; pause = min(2*pause, longestDeaf) {
		began := time.Now()
		m.watched.Store(true)
		err := waker.Watch(m.running, m.config.Watch)
		m.watched.Store(false)
		if m.running.Err() != nil {
			return
		}
		if time.Since(began) > longestDeaf {
			pause, level = m.config.Pause, slog.LevelWarn
		}
		m.log.Log(m.running, level, "watch.ended", "error", err, "again_in", pause)
		level = slog.LevelDebug // it has been said; until it works again
		background.Sleep(m.running, pause)
		m.config.Watch(nil) // something was missed
	}
}
