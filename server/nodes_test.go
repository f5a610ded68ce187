package server_test

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// mute is a store that tells of no commit, as some databases do.
type mute struct{ store.Backend }

// member is one server of several on a mute store.
type member struct {
	*api
	began chan string
}

func startMember(t *testing.T, backend store.Backend) *member {
	t.Helper()
	ctx := context.Background()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	node, err := outlast.Open(ctx, mute{backend}, outlast.WithAllQueues(), outlast.WithRelease("r1"), outlast.WithAddress(listener.Addr().String()))
	must(t, err)
	m := &member{began: make(chan string, 100)}
	outlast.Handle(node, "t", func(_ context.Context, name string) error { m.began <- name; return nil })
	must(t, node.Start(ctx))
	s, err := server.New(server.Config{Client: node, Store: "memory"})
	must(t, err)
	web := s.HTTP()
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	m.api = &api{t, "http://" + listener.Addr().String(), &http.Client{Transport: &http.Transport{}}, node, s}
	t.Cleanup(func() {
		m.http.CloseIdleConnections()
		must(t, node.Stop(ctx))
		must(t, web.Close())
		<-ended
	})
	return m
}

func (m *member) nodes() map[string]client.Node {
	var list client.Nodes
	m.call("GET", "/v1/nodes", "").is(200).into(&list)
	out := map[string]client.Node{}
	for _, n := range list.Nodes {
		out[n.Address] = n
	}
	return out
}

// Two servers on a store without notifications: both are listed, share the
// lanes, and a task for the other starts long before it would poll.
func TestNodesWakeEachOther(t *testing.T) {
	data := memory.New()
	a, b := startMember(t, data), startMember(t, data.Handle())
	address := strings.TrimPrefix(b.url, "http://")
	var there client.Node
	heard := func() bool { return there.Silent != nil && time.Duration(*there.Silent) <= 3*time.Second }
	for deadline := time.Now().Add(2 * time.Minute); there.Lanes != 4 || !heard(); there = a.nodes()[address] {
		if time.Now().After(deadline) {
			t.Fatalf("the other node: %+v", there)
		}
	}
	self := a.nodes()[strings.TrimPrefix(a.url, "http://")]
	if !self.Self || self.Silent != nil || self.Lanes != 4 || self.Slots != 1000 || self.State != "alive" || self.Kind != "server" || self.Release != "r1" ||
		!slices.Equal(self.Queues, []string{"default"}) || !slices.Equal(self.Types, []string{"@http", "t"}) {
		t.Errorf("the node itself: %+v", self)
	}
	if there.Self {
		t.Errorf("the other node: %+v", there)
	}
	var late []time.Duration
	for range 5 { // a machine that is busy with something else may disturb one round, or two
		late = a.lateAt(b)
		t.Logf("start at the other node after %s", late)
		if len(late) < 3 || late[len(late)/2] < 100*time.Millisecond { // the poll alone takes as long, on average
			return
		}
	}
	t.Errorf("tasks start at the other node after %s", late)
}

// lateAt hands tasks in and returns how long those took that started at the other
// member, in order.
func (m *member) lateAt(other *member) (late []time.Duration) {
	for range 20 {
		var made client.Task
		sent := time.Now()
		m.call("POST", "/v1/tasks", `{"type":"t","payload":"x"}`).is(201).into(&made)
		select {
		case <-m.began:
		case <-other.began:
			late = append(late, time.Since(sent))
		case <-time.After(2 * time.Minute):
			m.t.Fatal("a task did not start")
		}
	}
	slices.Sort(late)
	return late
}

// The key of the row opens the way, another does not, and nobody is shown it.
func TestWakeKey(t *testing.T) {
	data := memory.New()
	a := startMember(t, data)
	topology, err := data.Topology(t.Context())
	must(t, err)
	key := topology.Nodes[0].WakeKey
	if len(key) < 20 {
		t.Fatalf("the key %q can be guessed", key)
	}
	for _, wrong := range []string{"", "x", key[1:], key + "x", strings.ToLower(key)} {
		a.call("POST", "/v1/nodes/wake", `{"lanes":[1]}`, "Outlast-Wake-Key", wrong).problem(403, "denied")
	}
	a.call("POST", "/v1/nodes/wake", `{"lanes":[0,7,65535]}`, "Outlast-Wake-Key", key).is(200)
	a.call("POST", "/v1/nodes/wake", `{"lanes":[]}`, "Outlast-Wake-Key", key).is(200)
	for _, path := range []string{"/v1/nodes", "/v1/lanes", "/readyz?verbose", "/metrics", "/v1/targets"} {
		if text := string(a.call("GET", path, "").is(200).body); strings.Contains(text, key) {
			t.Errorf("%s shows the wake key", path)
		}
	}
}

// Lanes come in pages, by queue and by node.
func TestLanes(t *testing.T) {
	a := start(t)
	a.call("PUT", "/v1/queues/more", `{"lanes":200}`).is(201)
	var all []int
	for cursor := ""; ; {
		var page client.Lanes
		a.call("GET", "/v1/lanes?limit=90&cursor="+cursor, "").is(200).into(&page)
		for _, lane := range page.Lanes {
			all = append(all, lane.Number)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(all) != 208 || !slices.IsSorted(all) {
		t.Errorf("%d lanes: %v", len(all), all)
	}
	var page client.Lanes
	a.call("GET", "/v1/lanes?queue=default&node="+a.node.Stats().Node, "").is(200).into(&page)
	if len(page.Lanes) != 8 || page.NextCursor != "" {
		t.Errorf("of one queue and node: %+v", page)
	}
	for _, lane := range page.Lanes {
		if lane.Known == nil || *lane.Known != 0 || lane.OwnerState != "alive" || lane.Epoch != 1 {
			t.Errorf("lane %+v", lane)
		}
	}
	a.call("GET", "/v1/lanes?node=nobody", "").problem(404, "not_found")
}
