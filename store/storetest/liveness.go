package storetest

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func livenessRules() []rule {
	return []rule{
		{"join/inserts the row alive with counter 0", "Join inserts the node's row as given, alive, with counter 0.", func(h *harness) {
			started := time.Now().UTC().Truncate(time.Microsecond)
			serves := store.Serves{
				"q":   {Types: []string{"a", "b"}, Wants: []string{"b"}, Reach: "sign=host", Requests: true, Owner: true, Running: true, Once: true},
				"all": {AnyType: true}, "gone": {Leaving: true}, "none": {},
			}
			h.ok(h.s.Join(h.ctx, store.Node{
				ID: "n2", Address: "http://n2", Version: "v1", Release: "r1", Embedded: true, State: store.NodeDead, Counter: 9,
				Serves: serves, StartedAt: started,
			}))
			node := h.node("n2")
			equal(h, "state", node.State, store.NodeAlive)
			equal(h, "counter", node.Counter, 0)
			equal(h, "address, version, release", node.Address+node.Version+node.Release, "http://n2v1r1")
			equal(h, "embedded", node.Embedded, true)
			h.expect(node.StartedAt.Equal(started), "started at %v, want %v", node.StartedAt, started)
			h.expect(reflect.DeepEqual(node.Serves, serves), "serves %+v, want %+v", node.Serves, serves)
		}},
		{"join/keeps the wake key", "Join stores the node's WakeKey and Load; a beat leaves the key and replaces the load.", func(h *harness) {
			key := strings.Repeat("Ab-_09", 10) + "wxyz"
			h.ok(h.s.Join(h.ctx, store.Node{ID: "n2", WakeKey: key, Load: store.Load{Slots: 1000}}))
			equal(h, "wake key", h.node("n2").WakeKey, key)
			equal(h, "load", h.node("n2").Load, store.Load{Slots: 1000})
			for _, load := range []store.Load{{Running: 7, Slots: 10_000}, {}} {
				_, err := h.s.Beat(h.ctx, "n2", store.Report{Load: load})
				h.ok(err)
				equal(h, "load", h.node("n2").Load, load)
				equal(h, "wake key", h.node("n2").WakeKey, key)
			}
			equal(h, "wake key of a node without one", h.node("n1").WakeKey, "")
		}},
		{"join/may be repeated", "A call of unknown outcome may be repeated as it stands: a second Join of an alive node succeeds, and takes no beat back.", func(h *harness) {
			h.join("n2")
			h.beat("n2")
			h.beat("n2")
			h.join("n2")
			equal(h, "state", h.node("n2").State, store.NodeAlive)
			equal(h, "counter", h.node("n2").Counter, 2)
		}},
		{"join/death is final", "Death is final: a dead or left id does not come back to life.", func(h *harness) {
			h.join("dead")
			h.bury("dead")
			h.join("left")
			h.leave("left")
			for _, id := range []string{"dead", "left"} {
				h.expect(h.s.Join(h.ctx, store.Node{ID: id}) != nil, "%s joined again", id)
				h.expect(h.node(id).State != store.NodeAlive, "%s is alive again", id)
			}
		}},
		{"beat/raises the counter by one", "Beat raises the node's counter by one and stores what it serves.", func(h *harness) {
			for want := int64(1); want <= 3; want++ {
				canceled, err := h.s.Beat(h.ctx, "n1", store.Report{Serves: store.Serves{"q": {Types: []string{"mail"}}, "other": {AnyType: true}}})
				h.ok(err)
				equal(h, "canceled", len(canceled), 0)
				equal(h, "counter", h.node("n1").Counter, want)
			}
			serves := h.node("n1").Serves
			h.expect(len(serves) == 2 && slices.Equal(serves["q"].Types, []string{"mail"}) && serves["other"].AnyType, "serves %v", serves)
		}},
		{"beat/tells the requested cancels", "Beat returns the ids of the node's running rows whose cancel was requested, and no others.", func(h *harness) {
			h.join("n2")
			ids := h.addMany(4)
			h.claim(ids[0], ids[1])
			h.claimFor("n2", ids[2])
			for _, id := range []task.ID{ids[0], ids[2], ids[3]} {
				_, err := h.s.Cancel(h.ctx, id)
				h.ok(err)
			}
			for node, want := range map[string]task.ID{"n1": ids[0], "n2": ids[2]} {
				canceled, err := h.s.Beat(h.ctx, node, store.Report{})
				h.ok(err)
				h.expect(len(canceled) == 1 && canceled[0] == want, "%s is told to cancel %v, want %v", node, canceled, want)
			}
		}},
		{"beat/tells a dead node", "Beat returns ErrNodeDead when the row is dead, left or absent.", func(h *harness) {
			h.join("dead")
			h.bury("dead")
			h.join("left")
			h.leave("left")
			for _, id := range []string{"dead", "left", "absent"} {
				_, err := h.s.Beat(h.ctx, id, store.Report{})
				h.expect(errors.Is(err, store.ErrNodeDead), "%s: got %v", id, err)
			}
			equal(h, "counter of the dead", h.node("dead").Counter, 0)
		}},
		{"leave/is idempotent", "Leave marks the node as left; it is idempotent, also for absent nodes, and leaves dead ones dead.", func(h *harness) {
			h.join("n2")
			h.leave("n2")
			h.leave("n2")
			equal(h, "state", h.node("n2").State, store.NodeLeft)
			h.leave("absent")
			h.join("n3")
			h.bury("n3")
			h.leave("n3")
			equal(h, "state of the dead", h.node("n3").State, store.NodeDead)
		}},
		{"bury/compares the counter", "Bury marks a node dead only if it is alive and its counter is still the given one, and says whether it did.", func(h *harness) {
			h.join("n2")
			h.beat("n2")
			for _, counter := range []int64{0, 2} {
				buried, err := h.s.Bury(h.ctx, "n2", counter)
				h.ok(err)
				h.expect(!buried && h.node("n2").State == store.NodeAlive, "buried at counter %d, it has 1", counter)
			}
			h.bury("n2")
			equal(h, "state", h.node("n2").State, store.NodeDead)
			h.join("n3")
			h.leave("n3")
			for _, id := range []string{"n2", "n3", "absent"} {
				buried, err := h.s.Bury(h.ctx, id, h.node(id).Counter)
				h.ok(err)
				h.expect(!buried, "%s was buried, it was not alive", id)
			}
			equal(h, "state of the left", h.node("n3").State, store.NodeLeft)
		}},
		{"topology/shows everything", "Topology reads queues, lanes with owner and epoch, and nodes with their counters.", func(h *harness) {
			h.queue("other", 3)
			h.beat("n1")
			topology := h.topology()
			h.expect(len(topology.Queues) == 2 && topology.Queues[0].Name == "other", "queues by name: %+v", topology.Queues)
			equal(h, "lanes", len(topology.Lanes), 5)
			equal(h, "nodes", len(topology.Nodes), 1)
			for _, lane := range topology.Lanes {
				owner, epoch := "", int64(0)
				if lane.Queue == "q" {
					owner, epoch = "n1", 1
				}
				h.expect(lane.Owner == owner && lane.Epoch == epoch, "lane %+v", lane)
			}
		}},
		{"topology/shows nodes that are gone for an hour", "A node that left or died is shown for an hour, also behind Cleanup, and then no more.", checkGoneNodes},
		{"topology/forgets nodes long gone", "Nodes that left or died long ago and hold nothing are absent; those that hold something stay.", func(h *harness) {
			if h.able.Advance == nil {
				h.Skip("needs a clock that can be moved")
			}
			h.join("holder")
			h.claimFor("holder", h.add())
			h.bury("holder")
			h.join("n2")
			h.leave("n2")
			h.pass(31 * 24 * time.Hour)
			equal(h, "node", h.node("n2").ID, "")
			equal(h, "holder", h.node("holder").ID, "holder")
			equal(h, "alive node", h.node("n1").ID, "n1")
		}},
	}
}

func ownershipRules() []rule {
	return []rule{
		{"take/only free lanes", "TakeLanes takes lanes without owner, or whose owner left or is dead, and raises the epoch of each by one.", func(h *harness) {
			lanes := h.queue("other", 3)
			h.join("n2")
			h.join("n3")
			taken := h.take("n2", lanes[0], lanes[1])
			equal(h, "taken", len(taken), 2)
			for i, lane := range taken {
				h.expect(lane == store.LaneEpoch{Lane: lanes[i].Lane, Epoch: 1}, "took %+v", lane)
			}
			equal(h, "taken from an alive owner", len(h.take("n3", taken...)), 0)
			h.leave("n2")
			again := h.take("n3", taken[0])
			h.expect(len(again) == 1 && again[0].Epoch == 2, "taken from a left owner: %v", again)
			h.bury("n3")
			again = h.take("n1", again[0], taken[1])
			h.expect(len(again) == 2 && again[0].Epoch+again[1].Epoch == 5, "taken from a dead and a left owner: %v", again)
			equal(h, "owner", h.lane(lanes[0].Lane).Owner, "n1")
		}},
		{"take/compares the epoch", "TakeLanes takes a lane only at the epoch given.", func(h *harness) {
			lane := h.queue("other", 1)[0]
			for _, epoch := range []int64{-1, 1} {
				equal(h, "taken", len(h.take("n1", store.LaneEpoch{Lane: lane.Lane, Epoch: epoch})), 0)
			}
			equal(h, "taken", len(h.take("n1", lane)), 1)
			equal(h, "taken again", len(h.take("n1", lane)), 0)
			equal(h, "epoch", h.lane(lane.Lane).Epoch, 1)
		}},
		{"take/items do not share fate", "A lane that cannot be taken, or does not exist, does not keep the others from being taken.", func(h *harness) {
			lanes := h.queue("other", 2)
			taken := h.take("n1", lanes[0], h.lanes[0], store.LaneEpoch{Lane: 65_000}, lanes[1])
			equal(h, "taken", len(taken), 2)
		}},
		{"take/a dead node takes nothing", "A node that is not alive takes nothing.", func(h *harness) {
			lanes := h.queue("other", 1)
			h.join("dead")
			h.bury("dead")
			h.join("left")
			h.leave("left")
			for _, id := range []string{"dead", "left", "absent"} {
				taken, err := h.s.TakeLanes(h.ctx, id, lanes)
				h.expect(err == nil || errors.Is(err, store.ErrNodeDead), "%s: %v", id, err)
				equal(h, "taken by the "+id, len(taken), 0)
			}
			equal(h, "owner", h.lane(lanes[0].Lane).Owner, "")
		}},
		{"free/gives back", "FreeLanes gives back the lanes that the node owns at the epoch; others can take them at once.", func(h *harness) {
			h.join("n2")
			stale := h.lanes[1]
			stale.Epoch--
			freed, err := h.s.FreeLanes(h.ctx, "n1", []store.LaneEpoch{h.lanes[0], stale})
			h.ok(err)
			h.expect(len(freed) == 1 && freed[0].Lane == h.lanes[0].Lane, "freed %v", freed)
			equal(h, "owner", h.lane(h.lanes[0].Lane).Owner, "")
			equal(h, "owner of the other", h.lane(h.lanes[1].Lane).Owner, "n1")
			freed, err = h.s.FreeLanes(h.ctx, "n2", []store.LaneEpoch{h.lanes[1]})
			h.ok(err)
			equal(h, "freed by another", len(freed), 0)
			lane := h.lane(h.lanes[0].Lane)
			equal(h, "taken", len(h.take("n2", store.LaneEpoch{Lane: lane.Number, Epoch: lane.Epoch})), 1)
		}},
		{"free/ends the right to claim", "A lane that was given back, even if taken again, serves no claim of the old epoch.", func(h *harness) {
			id := h.add()
			_, err := h.s.FreeLanes(h.ctx, "n1", h.lanes[:1])
			h.ok(err)
			h.refuseOne(id, store.ReasonEpoch)
			lane := h.lane(h.lanes[0].Lane)
			taken := h.take("n1", store.LaneEpoch{Lane: lane.Number, Epoch: lane.Epoch})
			equal(h, "taken", len(taken), 1)
			h.expect(taken[0].Epoch > h.lanes[0].Epoch, "the epoch did not rise")
			h.refuseOne(id, store.ReasonEpoch)
		}},
		{"free/keeps lanes with a running keyed task", "FreeLanes keeps a lane that holds a running keyed task; an unkeyed one does not matter.", func(h *harness) {
			head := h.add(keyed("k"))
			other := h.add(h.inLane(1))
			running := h.claim(head, other)
			freed, err := h.s.FreeLanes(h.ctx, "n1", h.lanes)
			h.ok(err)
			h.expect(len(freed) == 1 && freed[0].Lane == h.lanes[1].Lane, "freed %v", freed)
			equal(h, "owner", h.lane(h.lanes[0].Lane).Owner, "n1")
			h.settle(settlement(running[0], task.OutcomeSucceeded))
			freed, err = h.s.FreeLanes(h.ctx, "n1", h.lanes[:1])
			h.ok(err)
			equal(h, "freed after the settle", len(freed), 1)
		}},
	}
}

func checkGoneNodes(h *harness) {
	if h.able.Advance == nil {
		h.Skip("needs a clock that can be moved")
	}
	h.join("dead")
	h.bury("dead")
	h.join("left")
	h.leave("left")
	for _, past := range []struct {
		more       time.Duration
		dead, left store.NodeState
	}{{0, store.NodeDead, store.NodeLeft}, {45 * time.Minute, store.NodeDead, store.NodeLeft}, {30 * time.Minute, "", ""}} {
		h.pass(past.more)
		for range 2 {
			equal(h, "the dead", h.node("dead").State, past.dead)
			equal(h, "the left", h.node("left").State, past.left)
			h.cleanup(time.Now().Add(-time.Hour), 1000)
		}
	}
}
