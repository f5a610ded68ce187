package faulttest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// lanesOf is how many lanes a process owns.
func (h *harness) lanesOf(p *process) int {
	health, err := p.api.Ready(h.ctx)
	if err != nil {
		return -1
	}
	number, _, _ := strings.Cut(health.Checks["lanes"].Detail, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return n
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

// A dead task blocks its key, is skipped, or parks what is behind it, also
// after a restart.
func TestOrderOnDead(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"block", "skip", "park"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			newHarness(t).orderOnDead(mode)
		})
	}
}

func (h *harness) orderOnDead(mode string) {
	h.ledger.onCall = func(c *call) int {
		if c.n == 1 && len(h.ledger.callsOf(1)) == 1 {
			return 500 // the head dies once
		}
		return 0
	}
	p := h.serve()
	orders := make([]*order, 4)
	add := func(i int) {
		orders[i] = h.mustSend(p, h.ledger.order(work{}, func(o *order) {
			o.odd = i == 0
			o.draft.Key, o.draft.Retry = "key", policy(time.Second, 1, fmt.Sprintf(`,"order_on_dead":%q`, mode))
		}))
	}
	restart := func() {
		h.after(false, p)
		p = h.serve()
	}
	ran := func(orders ...*order) bool {
		for _, o := range orders {
			if len(h.ledger.callsOf(o.N)) == 0 {
				return false
			}
		}
		return true
	}
	add(0)
	h.waitUntil(5*time.Second, "the head is dead", func() bool { return h.has(p, orders[0].id).State == task.Dead })
	add(1)
	restart()
	add(2)
	if mode == "skip" {
		h.waitUntil(5*time.Second, "the next go on", func() bool { return ran(orders[1:3]...) })
		add(3)
		h.finish(p)
		return
	}
	time.Sleep(1500 * time.Millisecond) // sleep: nothing may happen in this time
	for _, o := range orders[1:3] {
		if now := h.has(p, o.id); ran(o) || now.Waiting != string(task.KeyBlocked) && now.Waiting != string(task.BehindKey) {
			h.violation("I7: order %d ran behind a dead one, or does not say what it waits for: %s, waiting %q", o.N, now.State, now.Waiting)
		}
	}
	restart()
	add(3)
	if mode == "block" {
		if _, err := p.api.Redrive(h.ctx, client.Redrive{IDs: []task.ID{orders[0].id}}); err != nil {
			h.Fatal(err)
		}
	} else if _, err := p.api.Purge(h.ctx, client.Purge{IDs: []task.ID{orders[0].id}}); err != nil {
		h.Fatal(err)
	}
	freed := time.Now()
	h.waitUntil(3*time.Second, "the key goes on", func() bool { return ran(orders[1:]...) })
	h.Logf("%s: the key went on %s after its release", mode, time.Since(freed).Round(time.Millisecond))
	h.finish(p)
}
