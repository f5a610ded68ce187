package sealed

import (
	"sync"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// unopened remembers which tasks did not open here when they were to run.
type unopened struct {
	mu    sync.Mutex
	tasks map[task.ID]look
	swept time.Time // when old ones were last forgotten to make room
}

type look struct {
	key string
	at  time.Time
}

const (
	// mostWait is how long such a task waits at most until the next look at it.
	mostWait = 10 * time.Minute
	// lately is for how long: the next look at a task that still waits is earlier.
	lately = mostWait + time.Minute
	// mostUnopened bounds the memory that it takes; no more are counted.
	mostUnopened = 10000
	// sweepEvery is how often room is made for others, when there is none.
	sweepEvery = 10 * time.Second
)

func (u *unopened) add(id task.ID, key string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.tasks == nil {
		u.tasks = make(map[task.ID]look)
	}
	_, known := u.tasks[id]
	if !known && len(u.tasks) >= mostUnopened && now.Sub(u.swept) >= sweepEvery {
		u.swept = now
		u.forget(now)
	}
	if known || len(u.tasks) < mostUnopened {
		u.tasks[id] = look{key, now}
	}
}

func (u *unopened) forget(now time.Time) {
	for id, look := range u.tasks {
		if now.Sub(look.at) > lately {
			delete(u.tasks, id)
		}
	}
}

// counts are how many tasks wait for which key; nil for none.
func (u *unopened) counts(now time.Time) (counts map[string]int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget(now)
	for _, look := range u.tasks {
		if counts == nil {
			counts = make(map[string]int)
		}
		counts[look.key]++
	}
	return counts
}
