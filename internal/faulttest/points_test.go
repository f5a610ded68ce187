package faulttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// point is a place where a node can be told to kill itself.
type point struct {
	name string
	once bool // passed once in the life of a node, while it starts
	new  bool // passed only in an empty database
}

// points are all of them. Those of the store lie before a commit, and between
// it and the answer; run.after lies between a run and its settlement.
var points = []point{
	{name: "enqueue.before_commit"}, {name: "enqueue.after_commit"},
	{name: "claim.before_commit"}, {name: "claim.after_commit"},
	{name: "settle.before_commit"}, {name: "settle.after_commit"},
	{name: "run.before"}, {name: "run.after"},
	{name: "beat.before_commit"}, {name: "beat.after_commit"},
	{name: "bury.before_commit", once: true}, {name: "bury.after_commit", once: true},
	{name: "recover.before_commit", once: true}, {name: "recover.after_commit", once: true},
	{name: "join.before_commit", once: true}, {name: "join.after_commit", once: true},
	{name: "lanes.before_commit", once: true}, {name: "lanes.after_commit", once: true},
	{name: "put_queue.before_commit", new: true}, {name: "put_queue.after_commit", new: true},
}

// Kill -9 at every named point, by the process itself.
func TestKillPoints(t *testing.T) {
	t.Parallel()
	for _, at := range points {
		counts := []int{2}
		switch {
		case at.once || at.new:
			counts = []int{1}
		case long():
			counts = []int{1, 2, 3, 5, 8, 13, 21}
		}
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			for _, count := range counts {
				h.killAtPoint(at, count)
				h.renew()
			}
		})
	}
}

// killAtPoint lets a process begin some work and die, a second one die at
// the point, and a third one finish.
func (h *harness) killAtPoint(at point, count int) {
	h.Helper()
	// Callers share commits, but one caller's orders have one each.
	kind, l := "work", load{workers: 3, perWorker: max(6, count), kind: "work"}
	if !at.new {
		first := h.node(nodeConfig{Name: "first"})
		h.begin(first, kind)
		h.after(false, first)
		close(h.ledger.block) // the second runs do not wait
	}

	second, err := h.tryNode(nodeConfig{Name: "second", KillAt: fmt.Sprintf("%s:%d", at.name, count)})
	if second == nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { second.kill() })
	if err == nil && h.resend(second) == nil {
		l.run(h, second, count)
	}
	if !second.gone(dies) {
		h.violation("%s was not passed %d times", at.name, count)
	}
	h.after(false, second)
	h.finish(h.node(nodeConfig{Name: "third"}))
}

// begin leaves tasks of every state behind: running, waiting, failed, ended.
func (h *harness) begin(p *process, kind string) {
	h.Helper()
	for i := range 12 {
		w := work{}
		if i < 6 {
			w.Millis = -1 // runs until its process ends
		}
		o := h.ledger.order(w, func(o *order) {
			o.draft.Type, o.attempts = kind, 3
			o.draft.Retry = policy(30*time.Millisecond, 3, `,"max_crashes":1000`)
			if i%3 == 0 {
				o.draft.Key = fmt.Sprint("begun-", i%2)
			}
			if i == 11 {
				o.draft.Delay = client.Duration(time.Second)
			}
		})
		h.mustSend(p, o)
	}
	h.calls(5*time.Second, 5, func(*call) bool { return true })
}
