package faulttest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// lanesOf is how many lanes a process owns.
func (h *harness) lanesOf(p *process) int {
	health, err := p.api.Ready(h.ctx, true)
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
