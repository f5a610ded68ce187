package engine

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// changedLane notes that rows of a lane changed, which may be another node's, and the
// least rank of those that are to be found. The engine's lock must be held.
func (c *core) changedLane(number uint16, from int64) {
	if c.agenda.Lane(number) == nil {
		c.member.Wakeups.ChangedLane(number, from)
	}
}

// Stir makes all nodes look at queues, lanes and nodes now, and tells others
// what this node serves: an operator changed a queue. It returns when this
// node has looked and has taken the lanes that it should, after a second, or
// when ctx ends.
func (c *core) Stir(ctx context.Context) { c.member.Stir(ctx) }

// Wake tells the engine, and the owners of the lanes, that this process has
// changed rows of them beside the engine: enqueued in a caller's transaction,
// redriven, a key released. Without lanes, anything on this node may have
// changed.
func (c *core) Wake(lanes ...uint16) { c.WakeFrom(anyRank(lanes)...) }

// WakeFrom is Wake for changes of which more is known.
func (c *core) WakeFrom(lanes ...store.ChangedLane) {
	c.lock()
	for _, l := range lanes {
		c.changedLane(l.Lane, l.From)
	}
	c.unlock()
	c.HeardFrom(lanes...)
}

// Heard takes a wake-up from elsewhere: others have changed rows of the lanes,
// or, without lanes, anything. It has no other effect than a look at them.
func (c *core) Heard(lanes ...uint16) { c.HeardFrom(anyRank(lanes)...) }

// anyRank are lanes of which no more is known than that they changed.
func anyRank(lanes []uint16) []store.ChangedLane {
	changed := make([]store.ChangedLane, len(lanes))
	for i, lane := range lanes {
		changed[i] = store.ChangedLane{Lane: lane, From: store.AnyRank}
	}
	return changed
}

// HeardFrom is Heard for changes of which more is known.
func (c *core) HeardFrom(lanes ...store.ChangedLane) {
	v := c.member.View()
	numbers := make([]uint16, len(lanes))
	for i := range lanes {
		numbers[i] = lanes[i].Lane
	}
	c.lock()
	c.leases.DoubtLanes(numbers)
	if len(lanes) == 0 {
		c.hints.all = true
		c.member.Stirred()
	}
	found := c.hints.all
	for _, l := range lanes {
		lane := l.Lane
		switch self := v.Me(c.member.ID()); {
		case c.agenda.Lane(lane) != nil:
			c.hints.look(l)
			found = true
		case self != nil && (v.Borrows(self, lane) || v.Lanes[lane] != nil && v.Lanes[lane].Owner == self.ID): // it was ours a moment ago
			c.hints.lend[lane], found = true, true
		}
	}
	c.unlock()
	if found {
		signal(c.changed)
	}
}

// spottable is how many entries of a lane a task may have before it that is looked for at once.
const spottable = 256

// spotted takes from the store that others have inserted tasks into lanes. Where one has much in
// memory, a new one waits behind that, and the poll finds it soon enough.
func (c *core) spotted(lanes []uint16) {
	c.lock()
	lanes = slices.DeleteFunc(lanes, func(number uint16) bool {
		l := c.agenda.Lane(number)
		return l == nil || l.Known() > spottable
	})
	c.unlock()
	if len(lanes) > 0 {
		c.Heard(lanes...)
	}
}

// lookAtAll makes the next poll look at everything.
func (c *core) lookAtAll() {
	c.lock()
	c.hints.all = true
	c.unlock()
	signal(c.changed)
}

// look notes that a lane of this node is to be looked at.
func (h *hints) look(l store.ChangedLane) {
	if from, ok := h.lanes[l.Lane]; !ok || l.From < from {
		h.lanes[l.Lane] = l.From
	}
}

// some reports whether there are hints that leave lanes out.
func (h *hints) some() bool { return h.lanes != nil || h.lend != nil }

// hinted returns what the last wake-ups were about, nil lanes for everything, and forgets
// it. Asked says that somebody has said that there is something.
func (c *core) hinted() (h hints, asked bool) {
	c.lock()
	defer c.unlock()
	h, c.hints = c.hints, newHints()
	some := len(h.lanes)+len(h.lend) > 0
	if h.all || !some {
		return hints{}, h.all || some
	}
	return h, true
}
