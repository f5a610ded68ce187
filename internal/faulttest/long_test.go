//go:build faults

package faulttest

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// The same for an application with the library inside.
func TestKillApplication(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.killAtRandom(max(4, cycles()/5), func() *process { return h.node(nodeConfig{Name: "app"}) }, load{workers: 4, perWorker: 25, kind: "work"})
}

// 1000 tasks over 10 ordering keys with 30 % failures, some of which back off
// beyond what a node looks ahead, while the nodes that own the lanes are
// killed and others take the lanes over: each key strictly in order, one in
// flight.
func TestOrder(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	near := func(name string) nodeConfig { return nodeConfig{Name: name, Horizon: 500 * time.Millisecond} }
	a := h.node(near("a"))
	b := h.node(near("b"))
	front := h.node(nodeConfig{Name: "front", Only: true})
	h.waitUntil(10*time.Second, "both nodes own lanes", func() bool { return h.lanesOf(a) > 0 && h.lanesOf(b) > 0 })

	keys := make([][]*order, 10)
	for key := range keys {
		for place := range 100 {
			keys[key] = append(keys[key], h.ledger.order(keyed(h, place), func(o *order) {
				o.draft.Type, o.draft.Key = "work", fmt.Sprint("key-", key)
				o.draft.Priority = new(int) // a higher one is looked for earlier
				wait := 10 * time.Millisecond
				if place == 20 || place == 60 {
					wait = 2 * time.Second
				}
				o.draft.Retry = policy(wait, 5, `,"max_crashes":1000`)
			}))
		}
	}
	var callers sync.WaitGroup
	for _, orders := range keys {
		callers.Go(func() {
			for _, o := range orders {
				if err := h.send(front, o); err != nil {
					h.violation("enqueue: %v", err)
					return
				}
			}
		})
	}
	h.calls(30*time.Second, 300, func(*call) bool { return true })
	h.end(a)
	c := h.node(near("c"))
	h.calls(30*time.Second, 750, func(*call) bool { return true })
	h.end(b)
	callers.Wait()
	h.drain(front, 60*time.Second)
	byNode := map[string]int{}
	h.ledger.count(func(c *call) bool { byNode[c.node]++; return true })
	h.after(true, c, front)
	t.Logf("runs by node: %v", byNode)
}

func keyed(h *harness, place int) work {
	w := work{}
	if h.random.IntN(10) < 3 || place == 20 || place == 60 {
		w.Fail = 1
	}
	return w
}
