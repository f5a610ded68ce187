package faulttest

import (
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/planttest"
	"github.com/outlast-dev/outlast/task"
)

// sharp scenarios aim at one promise each. mutant is the defect in the store
// that the scenario must find when it is planted, and breaks the invariant
// that the defect breaks.
var sharp = []struct {
	name, mutant, breaks string
	run                  func(h *harness)
}{
	{"kill at the acknowledgement", "ack_before_commit", "I1", killAtAck},
	{"kill at the first call", "handout_before_commit", "I4", killAtCall},
	{"long runs on a living node", "recover_ignores_node", "I4", longRuns},
	{"recovered and not yet run again", "recover_keeps_claim", "I3", recoveredWaits},
	{"late answer of a paused node", "settle_without_claim_check", "I3", lateAnswer},
	{"moved while its timer fires", "claim_ignores_run_at", "I5", movedAtTheTimer},
	{"key whose head is out of sight", "claim_without_head_of_key", "I7", headOutOfSight},
}

func TestSharp(t *testing.T) {
	t.Parallel()
	for _, scenario := range sharp {
		t.Run(scenario.name, func(t *testing.T) {
			t.Parallel()
			scenario.run(newHarness(t))
		})
	}
}

// Every planted defect is found by the scenario that aims at it.
func TestMutants(t *testing.T) {
	t.Parallel()
	overlay := planttest.Overlay(t, "../../store/sqlite", defects, []string{"time"}, answerEarly)
	binary := filepath.Join(t.TempDir(), "mutants")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, scenario := range sharp {
		t.Run(scenario.mutant, func(t *testing.T) {
			t.Parallel()
			var violations []string
			for range 10 { // some scenarios are a race, which a busy machine may lose
				h := newHarness(t)
				h.crowd = 1 // what a defect prevents is waited for in vain
				h.binary, h.env, h.quiet, h.breaks = binary, []string{planttest.Switch + "=" + scenario.mutant}, true, scenario.breaks
				scenario.run(h)
				if violations = h.violations; h.found {
					t.Logf("found %d violations, such as %s", len(violations), violations[len(violations)-1])
					return
				}
			}
			t.Errorf("the defect %s was planted, and %q did not find that it breaks %s: %q", scenario.mutant, scenario.name, scenario.breaks, violations)
		})
	}
}

// killAtAck kills the process as soon as one task is acknowledged.
func killAtAck(h *harness) {
	for range 5 {
		p := h.node(nodeConfig{Name: "node"})
		if err := h.resend(p); err != nil {
			h.Fatal(err)
		}
		h.mustSend(p, h.ledger.order(work{}, func(o *order) { o.draft.Type = "work" }))
		h.after(false, p)
	}
	h.finish(h.node(nodeConfig{Name: "last"}))
}

// killAtCall kills the process while the first call is answered.
func killAtCall(h *harness) {
	for range 5 {
		p := h.node(nodeConfig{Name: "node"})
		h.ledger.mu.Lock()
		h.ledger.onCall = func(*call) int { p.strike(); return 0 }
		h.ledger.mu.Unlock()
		o := h.ledger.order(work{}, func(o *order) {
			o.draft.Type, o.draft.Retry = "work", policy(time.Second, 3, `,"max_crashes":1000`)
		})
		if h.send(p, o) == nil { // else the kill came first
			h.waitUntil(5*time.Second, "the order or an older one is called", func() bool { return p.gone(0) || len(h.ledger.callsOf(o.N)) > 0 })
		}
		h.after(false, p)
	}
	h.ledger.onCall = nil
	h.finish(h.node(nodeConfig{Name: "last"}))
}

// longRuns lets tasks run for longer than any sweep for lost rows.
func longRuns(h *harness) {
	p := h.node(nodeConfig{Name: "node"})
	for range 5 {
		h.mustSend(p, h.ledger.order(work{Millis: 5000}, func(o *order) { o.draft.Type = "work" }))
	}
	h.drain(p, 8*time.Second)
	h.after(true, p)
}

// recoveredWaits looks at rows that were taken from a dead process and wait
// for a slot.
func recoveredWaits(h *harness) {
	first := h.node(nodeConfig{Name: "first"})
	for range 4 {
		h.mustSend(first, h.ledger.order(work{Millis: -1}, func(o *order) { o.draft.Type = "work" }))
	}
	h.calls(5*time.Second, 4, func(*call) bool { return true })
	h.after(false, first)
	second := h.node(nodeConfig{Name: "second", Slots: 1})
	h.calls(5*time.Second, 1, func(c *call) bool { return c.node == "second" })
	h.after(false, second)
	close(h.ledger.block)
	h.finish(h.node(nodeConfig{Name: "third"}))
}

// lateAnswer stops a process until others have taken its task, and lets it
// bring its answer while the task runs elsewhere.
func lateAnswer(h *harness) {
	late, rest := make(chan struct{}), make(chan struct{})
	h.ledger.onCall = func(c *call) int {
		wait, status := rest, 0
		if c.node == "a" {
			wait, status = late, 500
		}
		select {
		case <-wait:
		case <-h.ledger.quit:
		}
		return status
	}
	defer func() { h.ledger.onCall = nil }()
	a := h.node(nodeConfig{Name: "a"})
	orders := make([]*order, 6)
	for i := range orders {
		orders[i] = h.mustSend(a, h.ledger.order(work{}, func(o *order) {
			o.draft.Type, o.draft.Retry = "work", policy(10*time.Millisecond, 5, "")
			if i >= 4 {
				o.draft.Key = fmt.Sprint("late-", i)
			}
		}))
	}
	h.calls(5*time.Second, len(orders), func(c *call) bool { return c.node == "a" })
	h.pause(a)
	b := h.node(nodeConfig{Name: "b"})
	if !h.calls(15*time.Second, len(orders), func(c *call) bool { return c.node == "b" }) {
		return
	}
	close(late) // the answers wait in a's sockets
	h.resume(a)
	time.Sleep(time.Second) // sleep: whatever a does with its late answers, it does now
	for _, o := range orders {
		if now := h.has(b, o.id); now.State != task.Running {
			h.violation("I3: order %d runs on b and is %s after the late answer of a", o.N, now.State)
		}
	}
	close(rest)
	h.drain(b, 15*time.Second)
	h.after(true, a, b)
}

// pause stops a process, but not in the middle of a write to a file of SQLite: nobody
// else could write then until it goes on.
func (h *harness) pause(p *process) {
	h.Helper()
	h.Cleanup(func() { _ = p.signal(syscall.SIGCONT) })
	for range 100 {
		now := time.Now()
		h.ledger.note(trouble{node: p.name, from: now, to: now})
		if err := p.signal(syscall.SIGSTOP); err != nil {
			h.Fatal(err)
		}
		h.waitUntil(5*time.Second, "it stands still", func() bool { return p.state() == "T" })
		if h.writable() {
			return
		}
		if err := p.signal(syscall.SIGCONT); err != nil {
			h.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond) // sleep: the write ends in another process
	}
	h.Fatal("whenever it is stopped, it is writing")
}

// writable reports whether nobody keeps the file locked.
func (h *harness) writable() bool {
	h.Helper()
	path, isFile := strings.CutPrefix(h.store, "sqlite:")
	if !isFile {
		return true
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(100)")
	if err != nil {
		h.Fatal(err)
	}
	defer db.Close() // nothing was written
	tx, err := db.BeginTx(h.ctx, nil)
	if err != nil {
		return false
	}
	return tx.Rollback() == nil
}

func (h *harness) resume(p *process) {
	h.Helper()
	if state := p.state(); state != "T" {
		h.violation("%s did not stand still all the time: it is in state %q", p.name, state)
	}
	if err := p.signal(syscall.SIGCONT); err != nil {
		h.Fatal(err)
	}
}

// movedAtTheTimer moves tasks to a later time, through another process, while
// the one where they wait stands still: its timers fire as it goes on, before
// it can hear of the moves.
func movedAtTheTimer(h *harness) {
	owner := h.node(nodeConfig{Name: "owner"})
	other := h.node(nodeConfig{Name: "other", Only: true})
	orders, due := h.waitingIn(owner)
	h.moveAll(other, orders)
	time.Sleep(time.Until(due.Add(50 * time.Millisecond))) // sleep: until the timers would have fired
	h.resume(owner)
	h.drain(other, 10*time.Second)
	h.after(true, owner, other)
}

// waitingIn lets tasks wait in a process for one time, and stops it before that comes. A busy
// machine gets more time for it.
func (h *harness) waitingIn(owner *process) (orders []*order, due time.Time) {
	h.Helper()
	for lead := time.Second; ; lead *= 2 {
		due = time.Now().Add(lead).Truncate(time.Millisecond)
		orders = make([]*order, 20)
		for i := range orders {
			orders[i] = h.ledger.order(work{}, func(o *order) {
				o.draft.Type, o.due = "work", due
				o.draft.RunAt = client.Time{Time: due}
			})
		}
		h.sendAll(owner, orders)
		h.pause(owner)
		if time.Now().Before(due) {
			return orders, due
		}
		h.resume(owner)
	}
}

// moveAll moves tasks to a time of which much is left when all are moved.
func (h *harness) moveAll(by *process, orders []*order) {
	h.Helper()
	for lead := 3 * time.Second; ; lead *= 2 {
		later := time.Now().Add(lead)
		for _, o := range orders {
			if _, err := by.api.Reschedule(h.ctx, o.id, client.Reschedule{RunAt: client.Time{Time: later}}); err != nil {
				h.Fatal(err)
			}
			h.ledger.move(o, later)
		}
		if time.Until(later) > 2*lead/3 {
			return
		}
	}
}

// move notes that an operator gave a waiting task another time.
func (l *ledger) move(o *order, to time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.due, o.moved = to, true
}

// headOutOfSight takes the lane of a key over while its head waits for
// longer than a node looks ahead, and the tasks behind it are due.
func headOutOfSight(h *harness) {
	near := nodeConfig{Name: "first", Horizon: 500 * time.Millisecond}
	first := h.node(near)
	for i := range 12 {
		w := work{}
		if i < 3 {
			w.Fail = 1
		}
		h.mustSend(first, h.ledger.order(w, func(o *order) {
			o.draft.Type, o.draft.Key = "work", fmt.Sprint("sight-", i%3)
			o.draft.Priority = new(int) // a higher one is looked for earlier
			o.draft.Retry = policy(4*time.Second, 3, "")
		}))
	}
	h.calls(5*time.Second, 3, func(*call) bool { return true })
	h.waitUntil(5*time.Second, "the failures of the heads are on disk", func() bool {
		page, err := first.api.Tasks(h.ctx, client.Filter{State: string(task.Running)}, 1, "")
		return err == nil && len(page.Tasks) == 0
	})
	h.after(false, first)
	near.Name = "second"
	second := h.node(near)
	h.finish(second)
}
