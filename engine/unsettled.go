package engine

import (
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Unsettled is a result that the store has not taken and that is handed in again
// and again, see [Stats].
type Unsettled struct {
	Since time.Time // when it was handed in first; zero if there is none
	Err   error     // of the last time
}

// unsettled are those of all commits, by their first settlement.
type unsettled struct {
	mu  sync.Mutex
	all map[*store.Settlement]Unsettled
}

func (u *unsettled) failed(first *store.Settlement, since time.Time, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[*store.Settlement]Unsettled{}
	}
	u.all[first] = Unsettled{since, err}
}

// over forgets a commit, whatever became of it.
func (u *unsettled) over(first *store.Settlement) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, first)
}

func (u *unsettled) oldest() (found Unsettled) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range u.all {
		if found.Since.IsZero() || one.Since.Before(found.Since) {
			found = one
		}
	}
	return found
}
