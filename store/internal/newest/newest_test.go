package newest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// shelf is what there is to read.
type shelf struct {
	ids   []task.ID
	reads int
	err   error
}

func (s *shelf) read(_ context.Context, after task.ID, most int) (ids []task.ID, err error) {
	s.reads++
	for _, id := range s.ids {
		if id.Compare(after) > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b task.ID) int { return b.Compare(a) })
	return ids[:min(most, len(ids))], s.err
}

// put makes a task of a lane, so old.
func (s *shelf) put(lane uint16, old time.Duration) task.ID {
	id := task.NewID(time.Now().Add(-old), counter(len(s.ids))).WithLane(lane)
	s.ids = append(s.ids, id)
	return id
}

// counter makes ids of one millisecond differ.
type counter uint64

func (c counter) Uint64() uint64 { return uint64(c) }

// spotting runs fn beside a spotter, and returns what was found.
func spotting(t *testing.T, fn func(shelf *shelf, s *Spotter)) (found [][]uint16) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		shelf := &shelf{}
		shelf.put(1, 0)
		s := New(shelf.read)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Spot(ctx, func(lanes []uint16) { found = append(found, lanes) }) }()
		synctest.Wait()
		fn(shelf, s)
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	return found
}

// pass lets a look happen.
func pass() {
	time.Sleep(every) // sleep: of virtual time
	synctest.Wait()
}

func TestNewTasksAreFound(t *testing.T) {
	found := spotting(t, func(shelf *shelf, _ *Spotter) {
		pass()
		shelf.put(7, 0)
		shelf.put(3, 0)
		shelf.put(7, back/2) // committed late
		pass()
		pass()
		shelf.put(5, 0)
		pass()
	})
	if len(found) != 2 || !slices.Equal(found[0], []uint16{3, 7}) || !slices.Equal(found[1], []uint16{5}) {
		t.Errorf("found %v", found)
	}
}

func TestManyNewTasksAreFoundAtOnce(t *testing.T) {
	found := spotting(t, func(shelf *shelf, _ *Spotter) {
		for lane := range uint16(2 * few) {
			shelf.put(lane, 0)
		}
		pass()
		pass()
	})
	if len(found) != 1 || len(found[0]) != 2*few {
		t.Errorf("found %v", found)
	}
}

func TestOwnTasksAreNoNews(t *testing.T) {
	found := spotting(t, func(shelf *shelf, s *Spotter) {
		for range many + few {
			Note(s, shelf.put(7, 0))
		}
		pass()
		shelf.put(3, 0)
		pass()
	})
	if len(found) != 1 || !slices.Equal(found[0], []uint16{3}) {
		t.Errorf("found %v", found)
	}
}

// A clock that is ahead does not hide what others insert, and nothing is read that is much
// older than the newest.
func TestReadsOnlyWhatIsNew(t *testing.T) {
	found := spotting(t, func(shelf *shelf, _ *Spotter) {
		shelf.put(3, -time.Hour)
		pass()
		shelf.put(4, 0)
		pass()
		shelf.put(5, 2*back)
		pass()
	})
	if len(found) != 2 || !slices.Equal(found[0], []uint16{3}) || !slices.Equal(found[1], []uint16{4}) {
		t.Errorf("found %v", found)
	}
}

func TestEndsWhenTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("away")
		shelf := &shelf{err: failed}
		if err := New(shelf.read).Spot(t.Context(), func([]uint16) {}); !errors.Is(err, failed) || shelf.reads != 1 {
			t.Errorf("it ended with %v after %d reads", err, shelf.reads)
		}
	})
}
