package engine

import (
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
)

// Nodes may differ in which targets they may call, and in the secrets that they
// have. A node lists such an ability, as a capability of its own, among its types:
// [Push], a blank and what it is, in words that the engine does not read. A handler
// that finds that this node may not make a call, and another living one may, hands
// its task there with [SteerElsewhere]: the task gets the park mark of that
// capability, and whoever lists it takes the task as with a type. When nobody who
// lists it lives any more, the task comes back.

// isAbility reports whether a capability is what a node may do beyond [Push].
func isAbility(capability string) bool { return strings.HasPrefix(capability, Push+" ") }

// abilities lists those of the living nodes that work on the queue.
func (v *view) abilities(queue string) (all []string) {
	if v == nil {
		return nil
	}
	for _, n := range v.alive {
		for _, capability := range n.Serves[queue] {
			if isAbility(capability) && !slices.Contains(all, capability) {
				all = append(all, capability)
			}
		}
	}
	return all
}

// Lent reports whether the owner of the task's lane has left it to this node, by a
// park mark: because the owner cannot start the type, or may not make the call.
func (r *Run) Lent() bool { return r.attempt != nil && r.attempt.entry.mark != 0 }

// handOn parks a task whose attempt was given up for a node with the ability. A
// row of another's lane is its owner's to park. The engine's lock must be held.
func (e *Engine) handOn(entry *entry, ability string) {
	l := entry.lane
	e.near.forget(entry)
	if l == nil || e.near.lanes[l.number] != l {
		return
	}
	e.parking[entry.ID] = l.park(mark{gateType, ability})
	signal(e.load)
}

// park remembers that rows with a mark are in the lane, and returns its number.
func (l *lane) park(m mark) int64 {
	number := m.number()
	if l.marks[number] == nil {
		l.marks[number] = &parked{mark: m}
	}
	return number
}

// differ warns, once for each node and what it says, of nodes of the same kind that
// may call other targets than this one, or have other secrets.
func (e *Engine) differ(v *view) {
	self := v.me(e.node())
	if self == nil || e.config.EnqueueOnly {
		return
	}
	known := make(map[string]string, len(v.alive))
	for id, n := range v.alive {
		if id == self.ID || n.Embedded != self.Embedded {
			continue
		}
		if theirs, mine, differ := unlike(n, self); differ {
			known[id] = theirs
			if before, told := e.unlike[id]; !told || before != theirs {
				e.log.Warn("node.differs", "node", id, "address", n.Address, "may", theirs, "this_node_may", mine,
					"hint", "give all nodes the same allowed targets and target secrets, unless they are to differ: tasks are handed on between them")
			}
		}
	}
	e.unlike = known
}

// unlike compares what two nodes may do beyond [Push], which is the same in all
// queues that a node works on.
func unlike(a, b *store.Node) (ofA, ofB string, differ bool) {
	for queue := range a.Serves {
		if works(a, queue) && works(b, queue) && a.Serves[queue] != nil && b.Serves[queue] != nil {
			ofA, ofB = ability(a.Serves[queue]), ability(b.Serves[queue])
			return ofA, ofB, ofA != ofB
		}
	}
	return "", "", false
}

// ability is what a node lists beyond [Push], "" for nothing.
func ability(types []string) string {
	for _, capability := range types {
		if isAbility(capability) {
			return strings.TrimPrefix(capability, Push+" ")
		}
	}
	return ""
}
