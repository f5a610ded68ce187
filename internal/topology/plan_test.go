package topology_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
)

// cluster is queues, lanes and nodes that follow their plans, without engines.
type cluster struct {
	t     *rapid.T
	now   store.Topology
	old   store.Topology // as it was a while ago
	moves int
	next  int
}

func newCluster(t *rapid.T) *cluster {
	c := &cluster{t: t}
	for range rapid.IntRange(1, 5).Draw(t, "queues") {
		c.addQueue()
	}
	return c
}

func (c *cluster) addQueue() {
	name := fmt.Sprint("q", len(c.now.Queues))
	c.now.Queues = append(c.now.Queues, store.Queue{Name: name})
	for range rapid.IntRange(1, 20).Draw(c.t, "lanes") {
		c.now.Lanes = append(c.now.Lanes, store.Lane{Number: uint16(len(c.now.Lanes)), Queue: name})
	}
}

// join adds a node that serves all queues, or some of them.
func (c *cluster) join(everything bool) string {
	c.next++
	n := store.Node{ID: fmt.Sprintf("n%02d", (c.next*37)%100), State: store.NodeAlive, Embedded: true, Serves: store.Serves{}}
	for _, q := range c.now.Queues {
		if everything || rapid.Bool().Draw(c.t, "serves") {
			n.Serves[q.Name] = store.Serving{AnyType: true}
		}
	}
	if !everything {
		n.Embedded = rapid.Bool().Draw(c.t, "embedded")
	}
	c.now.Nodes = append(c.now.Nodes, n)
	return n.ID
}

func (c *cluster) leave() {
	if len(c.now.Nodes) > 1 {
		at := rapid.IntRange(0, len(c.now.Nodes)-1).Draw(c.t, "leaves")
		c.now.Nodes = slices.Delete(slices.Clone(c.now.Nodes), at, at+1)
	}
}

// remember keeps the topology for nodes that read it now and act later.
func (c *cluster) remember() {
	c.old = c.now
	c.old.Lanes, c.old.Nodes, c.old.Queues = slices.Clone(c.now.Lanes), slices.Clone(c.now.Nodes), slices.Clone(c.now.Queues)
}

// act lets a node do what it plans from a topology.
func (c *cluster) act(self string, seen store.Topology) (moved bool) {
	p := topology.New(&seen).Plan(self)
	alive := map[string]bool{}
	for _, n := range c.now.Nodes {
		alive[n.ID] = true
	}
	for i := range c.now.Lanes {
		l := &c.now.Lanes[i]
		if l.Owner == self && p.Surplus[l.Queue] > 0 {
			p.Surplus[l.Queue]--
			l.Owner, moved = "", true
		}
	}
	for _, want := range p.Take {
		if l := &c.now.Lanes[want.Lane]; l.Epoch == want.Epoch && !alive[l.Owner] {
			l.Owner, moved = self, true
			l.Epoch++
			c.moves++
		}
	}
	return moved
}

// converge lets all nodes act until nothing moves, and returns how many
// rounds that took.
func (c *cluster) converge() int {
	for round := 1; ; round++ {
		moved := false
		nodes := rapid.Permutation(c.now.Nodes).Draw(c.t, "order")
		c.remember()
		for _, n := range nodes {
			seen := c.now
			if rapid.Bool().Draw(c.t, "stale") {
				seen = c.old // as it was before the others acted
			}
			moved = c.act(n.ID, seen) || moved
		}
		if !moved {
			return round
		}
		if round > 30 {
			c.t.Fatalf("lanes still move: %+v", c.now)
		}
	}
}

// owned counts lanes by queue and node.
func (c *cluster) owned() map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, l := range c.now.Lanes {
		if out[l.Queue] == nil {
			out[l.Queue] = map[string]int{}
		}
		out[l.Queue][l.Owner]++
	}
	return out
}

// mayOwn lists the nodes that may own lanes of a queue.
func (c *cluster) mayOwn(queue string) (ids []string) {
	embedded := slices.ContainsFunc(c.now.Nodes, func(n store.Node) bool { _, serves := n.Serves[queue]; return serves && n.Embedded })
	for _, n := range c.now.Nodes {
		if _, serves := n.Serves[queue]; serves && n.Embedded == embedded {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// check checks that every lane has an owner where one may have it, and that
// they are spread evenly in every queue.
func (c *cluster) check() {
	for queue, owned := range c.owned() {
		nodes := c.mayOwn(queue)
		least, most := 1<<20, 0
		for _, id := range nodes {
			least, most = min(least, owned[id]), max(most, owned[id])
		}
		if len(nodes) > 0 && (owned[""] > 0 || most-least > 1) {
			c.t.Errorf("queue %s: %v among %v", queue, owned, nodes)
		}
		for id := range owned {
			if id != "" && !slices.Contains(nodes, id) && slices.ContainsFunc(c.now.Nodes, func(n store.Node) bool { return n.ID == id }) {
				c.t.Errorf("%s owns lanes of %s", id, queue)
			}
		}
	}
}

// Whatever joins and leaves, and however old the readings are that nodes act
// by, lanes come to rest within a few rounds, evenly in every queue and over
// all of them, and then nothing moves any more.
func TestPlansConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCluster(t)
		everything := rapid.Bool().Draw(t, "all serve everything")
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			switch rapid.IntRange(0, 5).Draw(t, "change") {
			case 0:
				c.leave()
			case 1:
				if len(c.now.Queues) < 8 {
					c.addQueue()
				}
			case 2:
				c.remember()
			case 3:
				if len(c.now.Nodes) > 0 {
					c.act(rapid.SampledFrom(c.now.Nodes).Draw(t, "who").ID, c.old)
				}
			default:
				c.join(everything)
			}
		}
		if len(c.now.Nodes) == 0 {
			c.join(everything)
		}
		if rounds := c.converge(); rounds > 8 {
			t.Errorf("%d rounds", rounds)
		}
		c.check()
		totals := map[string]int{}
		for _, n := range c.now.Nodes {
			totals[n.ID] = 0
		}
		whole := true // every node serves every queue
		for _, q := range c.now.Queues {
			whole = whole && len(c.mayOwn(q.Name)) == len(c.now.Nodes)
			for id, count := range c.owned()[q.Name] {
				totals[id] += count
			}
		}
		delete(totals, "")
		for _, n := range c.now.Nodes {
			if whole && totals[n.ID] > totals[c.now.Nodes[0].ID]+1 {
				t.Errorf("totals %v", totals)
			}
		}
	})
}

// A node that joins gets its part, and next to nothing else moves; when it
// leaves, only what it had.
func TestPlansMoveLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCluster(t)
		for range rapid.IntRange(1, 8).Draw(t, "nodes") {
			c.join(true)
		}
		c.converge()
		c.moves = 0
		id := c.join(true)
		c.converge()
		c.check()
		got := 0
		for _, owned := range c.owned() {
			got += owned[id]
		}
		if c.moves > got+len(c.now.Queues) {
			t.Errorf("%d lanes moved for %d: %v", c.moves, got, c.owned())
		}
		c.moves = 0
		c.now.Nodes = slices.DeleteFunc(slices.Clone(c.now.Nodes), func(n store.Node) bool { return n.ID == id })
		c.converge()
		c.check()
		if c.moves > got+len(c.now.Queues) {
			t.Errorf("%d lanes moved, it had %d", c.moves, got)
		}
	})
}

// A queue's limit is never more than its parts together, and where there are
// more nodes than it allows tasks, as many types as possible can start.
func TestLimitsAreDivided(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 10).Draw(t, "limit")
		read := store.Topology{Queues: []store.Queue{{Name: "q", Concurrency: limit}}}
		types := []string{"a", "b", "c", "d"}
		can := map[string]bool{}
		for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
			serves := rapid.SliceOfNDistinct(rapid.SampledFrom(types), 1, 2, rapid.ID).Draw(t, "types")
			read.Nodes = append(read.Nodes, store.Node{ID: fmt.Sprint("n", i), State: store.NodeAlive, Embedded: true, Serves: store.Serves{"q": {Types: serves}}})
			for _, name := range serves {
				can[name] = true
			}
		}
		sum, started := 0, map[string]bool{}
		for _, n := range read.Nodes {
			if share := topology.New(&read).LimitShare("q", n.ID); share > 0 {
				sum += share
				for _, name := range n.Serves["q"].Types {
					started[name] = true
				}
			}
		}
		if sum != limit {
			t.Errorf("a limit of %d is divided into %d", limit, sum)
		}
		if limit >= len(can) && !maps.Equal(started, can) {
			t.Errorf("with a limit of %d, %v can start of %v: %+v", limit, started, can, read.Nodes)
		}
	})
}
