package claimlog_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/task"
)

const lane = 3

func newIDs(n int) []task.ID {
	random := rand.New(rand.NewPCG(1, 2))
	ids := make([]task.ID, n)
	for i := range ids {
		ids[i] = task.NewID(time.Now(), random).WithLane(lane)
	}
	return ids
}

// knows fails the test unless the log has these numbers of tasks.
func knows(t *testing.T, log *claimlog.Log, ids []task.ID, want ...int64) {
	t.Helper()
	for i, id := range ids {
		if got := log.Number(id); got != want[i] {
			t.Errorf("task %d has the number %d, want %d", i, got, want[i])
		}
	}
}

func over(t *testing.T, log *claimlog.Log, want ...claimlog.Place) {
	t.Helper()
	if got := log.Over([]uint16{lane}); !slices.Equal(got, want) {
		t.Errorf("over are %v, want %v", got, want)
	}
}

func TestSettledTasksEndTheirBatch(t *testing.T) {
	log, ids := claimlog.New(), newIDs(3)
	first := claimlog.Place{Lane: lane, Claim: 10}
	log.Claimed([]claimlog.Batch{{Lane: lane, Claim: 10, IDs: ids}}, nil, nil)
	knows(t, log, ids, 10, 10, 10)
	for range 2 { // a settlement that is repeated counts once
		log.Settled([]task.ID{ids[0]}, []int64{10})
		log.Settled([]task.ID{ids[1]}, []int64{10})
	}
	log.Settled([]task.ID{ids[2]}, []int64{9}) // of another claim
	over(t, log)
	knows(t, log, ids, 10, 10, 10)
	log.Claimed([]claimlog.Batch{{Lane: lane, Claim: 20, IDs: ids[:1]}}, nil, nil)
	log.Settled([]task.ID{ids[2]}, []int64{10})
	over(t, log, first)
	if versions, least := log.Versions([]store.LaneEpoch{{Lane: lane}, {Lane: 4}}); !slices.Equal(versions, []int64{20, 0}) || least != 21 {
		t.Errorf("versions %v, least %d", versions, least)
	}
	log.Claimed(nil, []claimlog.Place{first}, nil)
	over(t, log)
	knows(t, log, ids, 20, 0, 0)
	log.Settled(ids[:1], []int64{20})
	log.Left(ids[:1]) // it has died, and may come again
	knows(t, log, ids, 0, 0, 0)
}

func TestMemoryIsReplacedByTheLog(t *testing.T) {
	log, ids := claimlog.New(), newIDs(4)
	log.Claimed([]claimlog.Batch{{Lane: lane, Claim: 10, IDs: ids[:2]}, {Lane: lane, Claim: 11, IDs: ids[2:]}}, nil, nil)
	log.Settled([]task.ID{ids[2]}, []int64{11})
	// 10 is lost, one of 11 has been taken out, 12 is somebody else's.
	log.Replace([]uint16{lane}, []claimlog.Batch{{Lane: lane, Claim: 11, IDs: ids[2:3]}, {Lane: lane, Claim: 12, IDs: ids[:1]}})
	knows(t, log, ids, 12, 0, 11, 0)
	over(t, log, claimlog.Place{Lane: lane, Claim: 11})
	log.Replace([]uint16{lane}, nil)
	knows(t, log, ids, 0, 0, 0, 0)
	over(t, log)
	if log.Version(lane) != 0 {
		t.Errorf("the version of an empty log is %d", log.Version(lane))
	}
}

func TestOldBatchesAreLookedAtAgainAndAgain(t *testing.T) {
	log, ids := claimlog.New(), newIDs(2)
	log.Claimed([]claimlog.Batch{{Lane: lane, Claim: 100, Started: 100, IDs: ids}}, nil, nil)
	var looks []int64
	for now := int64(100); now < 1000; now++ {
		if len(log.Old(now, 10)) > 0 {
			looks = append(looks, now)
			log.Looked([]uint16{lane}, now)
		}
	}
	if want := []int64{111, 123, 147, 195, 291, 483, 867}; !slices.Equal(looks, want) {
		t.Errorf("looked at %v, want %v", looks, want)
	}
	log.Settled([]task.ID{ids[0]}, []int64{100})
	log.Settled([]task.ID{ids[1]}, []int64{100})
	if old := log.Old(1_000_000, 10); old != nil {
		t.Errorf("a batch that is over and names the log is looked at: %v", old)
	}
	log.Claimed([]claimlog.Batch{{Lane: lane, Claim: 2_000_000, Started: 2_000_000}}, nil, nil)
	if old := log.Old(2_000_001, 10); !slices.Equal(old, []uint16{lane}) {
		t.Errorf("a batch that is over is left: %v", old)
	}
}

func TestBatchesOfWhichLittleRunsAreNarrowed(t *testing.T) {
	log, ids := claimlog.New(), newIDs(9)
	log.Claimed([]claimlog.Batch{{Lane: lane, Claim: 10, IDs: ids}}, nil, nil)
	for i, id := range ids[:7] {
		if few := log.Few([]uint16{lane}); few != nil {
			t.Errorf("after %d: %v", i, few)
		}
		log.Settled([]task.ID{id}, []int64{10})
	}
	few := log.Few([]uint16{lane})
	if len(few) != 1 || few[0].Claim != 10 || !slices.Equal(few[0].IDs, ids[7:]) {
		t.Fatalf("got %v", few)
	}
	log.Claimed(nil, nil, few)
	if few := log.Few([]uint16{lane}); few != nil {
		t.Errorf("narrowed twice: %v", few)
	}
	knows(t, log, ids[7:], 10, 10)
	log.Settled([]task.ID{ids[7]}, []int64{10})
	log.Settled([]task.ID{ids[8]}, []int64{10})
	over(t, log, claimlog.Place{Lane: lane, Claim: 10})
}
