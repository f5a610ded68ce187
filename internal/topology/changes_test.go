package topology

import (
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/store"
)

// A lane is told with the least rank of what changed in it, without one where rows did
// not, and everything without lanes.
func TestChangedLanes(t *testing.T) {
	var c Changes
	c.Owner(5, 20)
	c.Owner(5, 10)
	c.Owner(5, 30)
	c.Owner(4, store.NoRank)
	c.Owner(4, store.AnyRank)
	c.Borrowers = map[uint16]bool{5: true, 6: true}
	c.Leasers = map[Leaser]bool{{Node: "n", Lane: 7}: true}
	want := []store.ChangedLane{{Lane: 4, From: store.AnyRank}, {Lane: 5, From: 10}, {Lane: 6, From: store.NoRank}, {Lane: 7, From: store.NoRank}}
	if got := c.Lanes(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if c.Everything = true; c.Lanes() != nil {
		t.Errorf("everything is %v", c.Lanes())
	}
	c.Everything = false
	for lane := range mostLanes {
		c.Owner(uint16(lane+100), 1)
	}
	if c.Lanes() != nil {
		t.Error("too many lanes are told one by one")
	}
}
