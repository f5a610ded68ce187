package engine

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// host is the engine as its membership sees it: who works in the lanes.
type host struct {
	*core
	loader    *loader
	recoverer *recoverer
	unlike    map[string]string // nodes that may call other targets; Apply's own
}

// Serves is what this node tells others that it can start, of the queues in a
// view, which may be nil.
func (h *host) Serves(v *topology.View) store.Serves {
	out := store.Serves{}
	if h.config.EnqueueOnly || v == nil {
		return out
	}
	now, served := time.Now(), h.leases.Served()
	for name := range v.Queues {
		s, serves := h.config.Registry.Serves(name)
		_, remote := served[name]
		if s, serves = served.Add(name, s, serves); !serves {
			continue
		}
		leaving := h.member.Leaving()
		if leaving {
			s = store.Serving{Leaving: true}
		}
		s.Owner = !leaving && !h.config.Node.Embedded && slices.Contains(h.config.Queues, name)
		s.Once = h.config.Due != nil
		if remote && !leaving {
			s.Wants = h.leases.Wants(name, now)
		}
		s.Running = v.GoesRound(v.Queues[name]) && h.runsOf(name)
		out[name] = s
	}
	return out
}

// runsOf reports whether tasks of a queue run on this node.
func (h *host) runsOf(name string) bool {
	h.lock()
	defer h.unlock()
	return h.agenda.Runs(name)
}

func (h *host) Report() (running int, targets []store.Target) {
	h.lock()
	running = h.runs
	h.unlock()
	return running, h.Troubled()
}

func (h *host) CancelRequested(ids []task.ID) {
	for _, id := range ids {
		h.lock()
		runs := attemptOf(h.agenda.Entry(id)) != nil
		h.unlock()
		if runs {
			h.Canceled(id)
		}
	}
}

func (h *host) Lost(mark func() (news bool)) {
	h.lock()
	defer h.unlock()
	if !mark() {
		return
	}
	for a := range h.unended {
		if a.lease == nil { // what is leased is the worker's
			a.ctx.cancel(ErrLost)
		}
	}
}

func (h *host) Found() {
	h.doubt()
	signal(h.wake)
}

func (h *host) Rejoined(rename func()) {
	h.lock()
	defer h.unlock()
	rename()
	for _, l := range h.agenda.Lanes() {
		h.disown(l)
	}
}

// Died looks at everything too: a node that ended between a commit and its wake-up has told
// nobody. The others are told to look.
func (h *host) Died() {
	h.lookAtAll()
	h.recoverer.sweepAll()
}

func (h *host) Doubt() { h.doubt() }

// Apply drops lanes that are no longer this node's, adds those that a take of unknown
// outcome has won, and gives queues their settings.
func (h *host) Apply(before, now *topology.View) {
	if found := h.apply(before, now); len(found) > 0 {
		h.settleIn(found)
	}
	h.differ(now)
	signal(h.wake)
}

func (h *host) apply(before, now *topology.View) (found []uint16) {
	h.lock()
	defer h.unlock()
	h.feedback()
	self := h.member.ID()
	position := now.Position(self, h.storeTime(now))
	h.agenda.Follow(time.Now(), guard.Fleet{Breakers: now.Breakers(self), Orders: now.Topology.Orders, Workers: now.Workers(), Position: position})
	if h.member.Alone() && before != nil && len(before.Alive) > 1 {
		h.leases.DoubtLanes(nil) // the last of the others may have settled some, and told nobody
	}
	for _, l := range h.agenda.Lanes() {
		if row := now.Lanes[l.Number()]; row == nil || row.Owner != self || row.Epoch != l.Owned().Epoch {
			h.disown(l)
		}
	}
	for name, row := range now.Queues {
		s := agenda.QueueSettings{Paused: row.Paused, Weight: max(1, row.Weight), UnknownDies: row.UnknownType == "dead"}
		s.Limit, s.Until = h.place(now, row)
		s.Each = agenda.Each(position, row.Shares)
		h.agenda.SetQueue(name, s)
	}
	for number, row := range now.Lanes {
		if row.Owner == self && h.agenda.Lane(number) == nil && !h.config.EnqueueOnly {
			h.agenda.Own(number, row.Epoch, row.Queue)
			found = append(found, number)
		}
	}
	h.lookIntoNew(before, now)
	return found
}

// place is this node's part of a queue's limit, and until when, µs. Turns go by the
// store's clock, as far as it is known.
func (h *host) place(v *topology.View, q *store.Queue) (limit int, until int64) {
	limit, end := v.Place(q, h.member.ID(), h.storeTime(v))
	if end.IsZero() {
		return limit, 0
	}
	return limit, micros(end.Add(h.lag.known()))
}

// storeTime is when the view was read, by the store's clock as far as it is known.
func (h *host) storeTime(v *topology.View) time.Time { return v.Read.Add(-h.lag.known()) }

// lookIntoNew makes the loader look into lanes whose owner has changed, or into
// all when this node has just joined, for rows that their owners cannot start and
// this node can: they may have marked them before it came. The engine's lock must
// be held.
func (h *host) lookIntoNew(before, now *topology.View) {
	self := now.Me(h.member.ID())
	if self == nil || h.config.EnqueueOnly {
		return
	}
	joined := before == nil || before.Me(self.ID) == nil
	for number, l := range now.Lanes {
		changed := joined || before.Lanes[number] == nil || before.Lanes[number].Owner != l.Owner
		if changed && h.agenda.Lane(number) == nil && now.Borrows(self, number) {
			h.hints.lend[number] = true
			signal(h.changed)
		}
	}
}

// disown forgets a lane, with the marks that were still to be written in it:
// they are its next owner's. The engine's lock must be held.
func (h *host) disown(l *agenda.Lane) {
	h.agenda.Disown(l)
	for id := range h.parking {
		if id.Lane() == l.Number() {
			delete(h.parking, id)
		}
	}
}

func (h *host) Taken(lanes []store.LaneEpoch) {
	numbers := make([]uint16, len(lanes))
	v := h.member.View()
	h.lock()
	for i, l := range lanes {
		numbers[i] = l.Lane
		name, _ := v.QueueOf(l.Lane)
		h.agenda.Own(l.Lane, l.Epoch, name)
	}
	h.unlock()
	h.settleIn(numbers)
}

func (h *host) Freed(lanes []store.LaneEpoch) {
	h.lock()
	defer h.unlock()
	for _, lane := range lanes {
		if l := h.agenda.Lane(lane.Lane); l != nil && l.Owned() == lane {
			h.disown(l)
		}
	}
}

// ToGive leaves out lanes with a running keyed task, and drains them, see
// [agenda.Agenda.ToGive].
func (h *host) ToGive(surplus map[string]int) (lanes []store.LaneEpoch) {
	h.lock()
	defer h.unlock()
	if surplus == nil {
		return h.agenda.IdleLanes()
	}
	for queue, count := range surplus {
		lanes = append(lanes, h.agenda.ToGive(queue, count, micros(time.Now()))...)
	}
	return lanes
}

// settleIn recovers what the last owners of new lanes left running, reads
// their park marks and makes the loader fill them.
func (h *host) settleIn(lanes []uint16) {
	h.log.Info("lanes.taken", "count", len(lanes))
	h.recoverer.sweep(lanes)
	h.loader.readMarks(lanes)
	signal(h.load)
}

// differ warns, once for each node and what it says, of nodes of the same kind that
// may call other targets than this one, or have other secrets.
func (h *host) differ(v *topology.View) {
	self := v.Me(h.member.ID())
	if self == nil || h.config.EnqueueOnly {
		return
	}
	known := make(map[string]string, len(v.Alive))
	for id, n := range v.Alive {
		if id == self.ID || n.Embedded != self.Embedded {
			continue
		}
		if theirs, mine, differ := topology.Unlike(n, self); differ {
			known[id] = theirs
			if before, told := h.unlike[id]; !told || before != theirs {
				h.log.Warn("node.differs", "node", id, "address", n.Address, "may", theirs, "this_node_may", mine,
					"hint", "give all nodes the same allowed targets and target secrets, unless they are to differ: tasks are handed on between them")
			}
		}
	}
	h.unlike = known
}
