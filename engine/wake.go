package engine

import (
	"context"
	"slices"
)

// changedLane notes that rows of a lane changed, which may be another node's. The
// engine's lock must be held.
func (c *core) changedLane(number uint16) {
	if c.agenda.Lane(number) == nil {
		c.member.Wakeups.ChangedLane(number)
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
func (c *core) Wake(lanes ...uint16) {
	c.lock()
	for _, lane := range lanes {
		c.changedLane(lane)
	}
	c.unlock()
	c.Heard(lanes...)
}

// Heard takes a wake-up from elsewhere: others have changed rows of the lanes,
// or, without lanes, anything. It has no other effect than a look at them.
func (c *core) Heard(lanes ...uint16) {
	v := c.member.View()
	c.lock()
	c.leases.DoubtLanes(lanes)
	if len(lanes) == 0 {
		c.hints.all = true
		c.member.Stirred()
	}
	found := c.hints.all
	for _, lane := range lanes {
		switch self := v.Me(c.member.ID()); {
		case c.agenda.Lane(lane) != nil:
			c.hints.lanes[lane], found = true, true
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
