package storetest

import (
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// checkLastClaims gives a lane back, again and again, while its owner claims rows of
// it, and compares what is then seen to run with what the claims have answered.
func checkLastClaims(h *harness) {
	lane := h.lanes[0]
	for range 10 {
		seen, claimed := h.freeAmongClaims(lane)
		for id := range claimed {
			h.expect(seen[id], "the claim of %s became visible after its lane was given back", id)
		}
		lane = h.take("n1", lane)[0]
	}
}

// freeAmongClaims gives the lane back while rows of it are claimed, two at a time. It
// returns what runs by then, and all that was claimed.
func (h *harness) freeAmongClaims(lane store.LaneEpoch) (seen, claimed map[task.ID]bool) {
	const claimers, claims = 8, 10
	seen, claimed = map[task.ID]bool{}, map[task.ID]bool{}
	var mu sync.Mutex
	began := make(chan struct{}, claimers*claims)
	claim := func(ids ...task.ID) {
		got, err := h.s.Claim(h.ctx, store.Claim{Node: "n1", Lanes: []store.LaneEpoch{lane}, Items: items(ids...)})
		if err != nil {
			h.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, t := range got.Tasks {
			claimed[t.ID] = true
		}
		began <- struct{}{}
	}
	var group sync.WaitGroup
	for range claimers {
		portion := h.addMany(2*claims, h.inLane(0))
		group.Go(func() {
			for i := range claims {
				claim(portion[2*i], portion[2*i+1])
			}
		})
	}
	<-began // they are in the middle of it
	freed, err := h.s.FreeLanes(h.ctx, "n1", []store.LaneEpoch{lane})
	h.ok(err)
	equal(h, "lanes freed", len(freed), 1)
	running, err := h.s.Running(h.ctx, "n1", nil)
	h.ok(err)
	for _, t := range running {
		seen[t.ID] = true
	}
	group.Wait()
	return seen, claimed
}
