package memory_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/storetest"
)

// TestConformance runs the suite, each store on a clock that can be moved.
func TestConformance(t *testing.T) {
	var offsets sync.Map // by store: how far its clock is ahead
	open := func(t *testing.T) store.Backend {
		racetest.OneCaller(t)
		offset := new(atomic.Int64)
		clock := func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
		s := memory.New(memory.WithClock(clock), memory.WithExactDeath())
		offsets.Store(store.Backend(s), offset)
		t.Cleanup(func() { s.Close() })
		return s
	}
	storetest.Run(t, open, storetest.Abilities{
		Reopen: func(_ *testing.T, s store.Backend) store.Backend { return s.(*memory.Store).Handle() },
		Advance: func(_ *testing.T, s store.Backend, d time.Duration) {
			offset, _ := offsets.Load(s)
			offset.(*atomic.Int64).Add(int64(d))
		},
		Tx: func(_ *testing.T, s store.Backend) (any, func() error, func() error) {
			tx := s.(*memory.Store).Begin()
			return tx, tx.Commit, tx.Rollback
		},
		Kill: func(_ *testing.T, s store.Backend) { s.(*memory.Store).Kill() },
	})
}
