package faulttest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Two processes on one file share the lanes, and run what the other accepted.
// When one is killed, its tasks run on the other at no cost, and at once: the other sees
// that its process is gone, and does not wait until it has been silent for long.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	a := h.node(nodeConfig{Name: "a"})
	b := h.node(nodeConfig{Name: "b"})
	split := time.Now()
	// Half of each queue's: fewer of the tasks' own would let chance decide who runs them.
	h.waitUntil(10*time.Second, "the lanes are split", func() bool { return h.lanesOf(a) == 5 && h.lanesOf(b) == 5 })
	t.Logf("lanes split %s after the second process was ready", time.Since(split).Round(time.Millisecond))

	// Short tasks, enqueued by a: those of b's lanes run on b.
	var short []*order
	for range 60 {
		short = append(short, h.mustSend(a, h.ledger.order(work{}, func(o *order) { o.draft.Type = "work" })))
	}
	h.drain(a, 10*time.Second)
	var across []time.Duration
	for _, o := range short {
		for _, c := range h.ledger.callsOf(o.N) {
			if c.node == "b" {
				across = append(across, c.start.Sub(o.acked))
			}
		}
	}
	if len(across) < 10 {
		h.violation("only %d of %d tasks ran on the other process", len(across), len(short))
	}
	t.Logf("%d of %d tasks ran on the other process, p50 %s, p99 %s after their acknowledgement", len(across), len(short), percentile(across, 50), percentile(across, 99))

	// Tasks that run while their process is killed.
	var running []*order
	for range 40 {
		running = append(running, h.mustSend(a, h.ledger.order(work{Millis: -1}, func(o *order) { o.draft.Type = "work" })))
	}
	first := running[0].N
	h.calls(10*time.Second, len(running), func(c *call) bool { return c.n >= first })
	onB := h.ledger.count(func(c *call) bool { return c.n >= first && c.node == "b" })
	if onB == 0 || onB == len(running) {
		h.violation("%d of %d tasks ran on b", onB, len(running))
	}
	h.end(b)
	killed := time.Now()
	h.calls(10*time.Second, len(running), func(c *call) bool { return c.n >= first && c.node == "a" })
	t.Logf("%d tasks of the killed process ran on the other after %s", onB, time.Since(killed).Round(time.Millisecond))
	h.waitUntil(5*time.Second, "the other says that the process is gone", func() bool { return strings.Contains(a.output.String(), "process_gone=true") })
	close(h.ledger.block)
	h.drain(a, 10*time.Second)
	for _, o := range running {
		if now := h.has(a, o.id); now.State != task.Succeeded || now.Attempt != 1 {
			h.violation("I6: order %d is %s with %d attempts", o.N, now.State, now.Attempt)
		}
	}
	h.after(true, a)
}

// A task that kills its process, among 500 that do not, ends alone as
// crash_loop.
func TestPoison(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	start := func() *process {
		for range 5 { // the poison may be quicker than the readiness
			p, err := h.tryNode(nodeConfig{Name: "node", Slots: 100})
			if !errors.Is(err, errEnded) {
				return h.started(p, err)
			}
			h.after(false, p)
		}
		h.Fatal("the process ends before it is ready again and again")
		return nil
	}
	p := start()
	var poison *order
	for i := range 501 {
		o := h.ledger.order(work{Millis: 20}, func(o *order) {
			o.draft.Type = "work"
			if i == 250 {
				o.draft.Type, o.odd = "poison", true
				poison = o
			}
		})
		_ = h.send(p, o) // unknown if the poison was quicker
		if p.gone(0) {
			h.after(false, p)
			p = start()
		}
	}
	deaths := 0
	for h.resend(p) != nil || !h.settled(p, 20*time.Second) {
		if deaths++; deaths > 20 {
			h.Fatal("the process dies again and again")
		}
		if !p.gone(dies) {
			h.violation("I8: not everything has ended")
			break
		}
		h.after(false, p)
		p = start()
	}
	end := h.has(p, poison.id)
	if end.State != task.Dead || end.DeadReason != string(task.CrashLoop) {
		h.violation("the poison ended as %s %s", end.State, end.DeadReason)
	}
	runs := h.ledger.count(func(c *call) bool { return c.n == poison.N })
	h.finish(p)
	if h.crashLoops > 0 {
		h.violation("%d innocent tasks ended as crash_loop", h.crashLoops)
	}
	t.Logf("the poison ran %d times, %d crashes are counted", runs, end.Crashes)
}

// settled waits until everything has ended; false if the process dies first.
func (h *harness) settled(p *process, within time.Duration) bool {
	deadline := time.Now().Add(within)
	for time.Now().Before(deadline) && !p.gone(10*time.Millisecond) {
		if h.idle(p) {
			return true
		}
	}
	return false
}
