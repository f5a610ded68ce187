package topology_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
)

// pair is a node whose worker takes any type, and one that may call what it may not.
func pair(limit int) (any, reaches *store.Node, v *topology.View) {
	read := store.Topology{Queues: []store.Queue{{Name: "q", Concurrency: limit}}, Lanes: []store.Lane{{Number: 1, Queue: "q", Owner: "a"}}, Nodes: []store.Node{
		{ID: "a", State: store.NodeAlive, Serves: store.Serves{"q": {AnyType: true, Requests: true}}},
		{ID: "b", State: store.NodeAlive, Serves: store.Serves{"q": {Types: []string{"mail"}, Requests: true, Reach: "sign=host"}}},
	}}
	return &read.Nodes[0], &read.Nodes[1], topology.New(&read)
}

// A worker that takes any type takes no request: the reach of its node and of others
// counts as before.
func TestAnyTypeIsNoReach(t *testing.T) {
	able, reaches, v := pair(1)
	if _, ofB, differ := topology.Unlike(able, reaches); !differ || ofB != "sign=host" {
		t.Errorf("the nodes are alike, or %q", ofB)
	}
	if !v.Borrows(reaches, 1) {
		t.Error("the node borrows none of the calls that only it may make")
	}
	if !v.GoesRound(&store.Queue{Name: "q", Concurrency: 1}) {
		t.Error("the one place stays with the node that may not make all calls")
	}
	reaches.Serves["q"] = store.Serving{Types: []string{"mail"}, Requests: true}
	if v.GoesRound(&store.Queue{Name: "q", Concurrency: 1}) {
		t.Error("the place goes round though one node can start everything")
	}
	if limit, _ := v.Place(&store.Queue{Name: "q", Concurrency: 1}, "a", time.Unix(0, 0)); limit != 1 {
		t.Errorf("the node that can start everything has %d places", limit)
	}
}

// A worker that waits is lent tasks also by a node that could start them.
func TestWantsAreLent(t *testing.T) {
	_, waits, v := pair(0)
	waits.Serves["q"] = store.Serving{Types: []string{"mail"}, Requests: true}
	if v.Borrows(waits, 1) {
		t.Error("the node borrows what the owner starts itself")
	}
	waits.Serves["q"] = store.Serving{Types: []string{"mail"}, Requests: true, Wants: []string{"mail"}}
	if !v.Borrows(waits, 1) {
		t.Error("a worker waits in vain beside tasks that it could have")
	}
}
