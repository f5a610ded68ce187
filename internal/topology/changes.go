package topology

import (
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// mostLanes is how many lanes one message names; more are told as "any".
const mostLanes = 4096

// Changes are what a node has changed that others should look at. The zero value is
// none.
type Changes struct {
	Owners     map[uint16]int64 // lanes whose owner should look at them, and from which rank on
	Borrowers  map[uint16]bool  // lanes with rows that their owner cannot start
	Leasers    map[Leaser]bool  // nodes that leased tasks which have ended, by lane
	Everything bool             // queues or nodes changed: everybody should look at the topology
}

// Leaser is a node that leased tasks of a lane.
type Leaser struct {
	Node string
	Lane uint16
}

// Owner notes that the owner of a lane should look at it from a rank on.
func (c *Changes) Owner(lane uint16, from int64) {
	if c.Owners == nil {
		c.Owners = map[uint16]int64{}
	}
	if least, ok := c.Owners[lane]; !ok || from < least {
		c.Owners[lane] = from
	}
}

// Lanes are the changed lanes in order; nil for "any".
func (c *Changes) Lanes() (lanes []store.ChangedLane) {
	all := map[uint16]bool{}
	for lane := range c.Owners {
		all[lane] = true
	}
	maps.Copy(all, c.Borrowers)
	for of := range c.Leasers {
		all[of.Lane] = true
	}
	if c.Everything || len(all) > mostLanes {
		return nil
	}
	for _, lane := range slices.Sorted(maps.Keys(all)) {
		changed := store.ChangedLane{Lane: lane, From: store.NoRank}
		if from, ok := c.Owners[lane]; ok {
			changed.From = from
		}
		lanes = append(lanes, changed)
	}
	return lanes
}

// Message is what one node is to be told.
type Message struct {
	Node  *store.Node
	lanes map[uint16]bool
	any   bool
}

// Add puts an older message for the same node into this one.
func (m *Message) Add(older *Message) {
	m.any = m.any || older.any
	maps.Copy(m.lanes, older.lanes)
}

// Lanes are the lanes that the node is to look at, in order; nil for all that it has.
func (m *Message) Lanes() []uint16 {
	if m.any || len(m.lanes) > mostLanes {
		return nil
	}
	return slices.Sorted(maps.Keys(m.lanes))
}

// Audience says who should hear of changes: the owner of each lane, the nodes that can
// start what an owner cannot, those that leased what has ended, and everybody where
// that is to be.
func (v *View) Audience(c Changes, self string) map[string]*Message {
	to := map[string]*Message{}
	tell := func(id string, lane uint16, any bool) {
		node := v.Alive[id]
		if node == nil || id == self || node.Address == "" || node.WakeKey == "" {
			return
		}
		m := to[id]
		if m == nil {
			m = &Message{Node: node, lanes: map[uint16]bool{}}
			to[id] = m
		}
		if m.any = m.any || any; !any {
			m.lanes[lane] = true
		}
	}
	for number := range c.Owners {
		if l := v.Lanes[number]; l != nil {
			tell(l.Owner, number, false)
		}
	}
	for of := range c.Leasers {
		tell(of.Node, of.Lane, false)
	}
	for id, node := range v.Alive {
		for number := range c.Borrowers {
			if v.Borrows(node, number) {
				tell(id, number, false)
			}
		}
		if c.Everything {
			tell(id, 0, true)
		}
	}
	return to
}

// Borrows reports whether a node may run rows of a lane that its owner cannot
// start. A lane without an owner may have such rows of the last one.
func (v *View) Borrows(n *store.Node, number uint16) bool {
	l := v.Lanes[number]
	if l == nil || l.Owner == n.ID {
		return false
	}
	mine, serves := n.Serves[l.Queue]
	owner := v.Alive[l.Owner]
	if !serves || owner == nil {
		return serves
	}
	theirs, served := owner.Serves[l.Queue]
	if !served {
		return true
	}
	return mine.AnyType && !theirs.AnyType || len(mine.Wants) > 0 ||
		slices.ContainsFunc(mine.Capabilities(), func(capability string) bool { return !theirs.Can(capability) })
}
