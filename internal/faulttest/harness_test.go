package faulttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/storetest"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(nodeEnv); text != "" {
		os.Exit(runNode(text))
	}
	os.Exit(servertest.Wrap(m).Run())
}

// long reports whether the long forms are to run.
func long() bool { return os.Getenv("OUTLAST_FAULT_LONG") != "" }

// cycles is how often a random kill is repeated: a handful of times in make test, with
// one seed, since TestKillPoints kills at every point by name; make faults asks for more.
func cycles() int {
	if n, err := strconv.Atoi(os.Getenv("OUTLAST_FAULT_CYCLES")); err == nil && n > 0 {
		return n
	}
	return 6
}

func seed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("OUTLAST_FAULT_SEED"), 10, 64); err == nil {
		return n
	}
	return 20261120
}

// harness is one scenario: a database, a ledger, and what was found.
type harness struct {
	testing.TB
	ctx    context.Context
	store  string // URL of the database
	ledger *ledger
	binary string   // what plays the nodes
	env    []string // which defect is switched on
	random *rand.Rand

	mu         sync.Mutex
	last       *process // the last one that was started
	violations []string
	quiet      bool          // violations are expected: collect them only
	breaks     string        // the rule that they are to break; what is waited for is of no interest then
	found      bool          // that one is broken
	crowd      time.Duration // times that everything may take longer, as others run beside

	slowest    time.Duration // from a start to being ready
	crashLoops int
}

// newHarness is for a test beside which others run.
func newHarness(t testing.TB) *harness {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{TB: t, ctx: t.Context(), binary: self, crowd: 3, random: rand.New(rand.NewPCG(seed(), 1))}
	h.renew()
	t.Cleanup(func() {
		if !t.Failed() || h.quiet {
			return
		}
		t.Logf("repeat with: OUTLAST_FAULT_SEED=%d OUTLAST_FAULT_CYCLES=%d go test -count=1 -run '^%s$' ./internal/faulttest", seed(), cycles(), t.Name())
		if h.last != nil {
			t.Logf("the last lines of the last process:\n%s", h.last.output)
		}
	})
	return h
}

// renew goes on with an empty database and an empty ledger.
func (h *harness) renew() {
	h.store = "sqlite:" + filepath.Join(h.TempDir(), "outlast.db")
	h.ledger = newLedger(h)
}

// violation reports a broken promise.
func (h *harness) violation(format string, args ...any) {
	h.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	h.violations = append(h.violations, line)
	h.found = h.found || h.breaks != "" && strings.HasPrefix(line, h.breaks+":")
	if !h.quiet && len(h.violations) <= 30 {
		h.TB.Errorf(format, args...)
	}
}

// shim lets storetest report to a list.
type shim struct {
	testing.TB
	found []string
}

func (s *shim) Errorf(format string, args ...any) {
	s.found = append(s.found, fmt.Sprintf(format, args...))
}
func (s *shim) Error(args ...any)                 { s.found = append(s.found, fmt.Sprintln(args...)) }
func (s *shim) Fatal(args ...any)                 { s.Error(args...); runtime.Goexit() }
func (s *shim) Fatalf(format string, args ...any) { s.Errorf(format, args...); runtime.Goexit() }

// broken is what the store's own invariants say is wrong. Tasks of alerts go on while
// nodes live, and a check that reads one row after the other may find one in two
// places; what is broken stays so, and is found again.
func (h *harness) broken(backend store.Backend) (found []string) {
	for try := range 4 {
		s := &shim{TB: h.TB}
		checked := make(chan struct{})
		go func() {
			defer close(checked)
			storetest.CheckInvariants(s, backend)
		}()
		<-checked
		if found = slices.DeleteFunc(s.found, func(line string) bool { return try > 0 && !slices.Contains(found, line) }); len(found) == 0 {
			return nil
		}
		time.Sleep(300 * time.Millisecond) // sleep: alerts are under way in other processes
	}
	return found
}

// check compares the store with the ledger. No process may be writing.
func (h *harness) check(final bool) {
	h.Helper()
	backend, closeStore, err := openStore(h.ctx, h.store, storeOptions{})
	if err != nil {
		h.Fatalf("opening the database: %v", err)
	}
	defer func() { _ = closeStore() }() // it was only read
	for _, line := range h.broken(backend) {
		h.violation("%s", line)
	}
	disk, err := readAll(h.ctx, backend)
	if err != nil {
		h.violation("I11: %v", err)
		return
	}
	result := h.ledger.check(disk, final)
	for _, line := range result.found {
		h.violation("%s", line)
	}
	if final {
		h.crashLoops += result.crashLoops
	}
}

// end kills processes, tells the ledger, and leaves others alone.
func (h *harness) end(processes ...*process) {
	for _, p := range processes {
		p.kill()
		if what, fresh := p.death(); fresh {
			h.ledger.note(what)
		}
	}
}

// after kills the last processes and compares the store with the ledger.
func (h *harness) after(final bool, processes ...*process) {
	h.Helper()
	h.end(processes...)
	if err := h.ledger.allClosed(); err != nil {
		h.Fatal(err)
	}
	h.check(final)
}

// send hands an order in and waits for the acknowledgement. An error leaves
// the outcome unknown; sending again with the same id must not double it.
func (h *harness) send(p *process, o *order) error { return h.sendWithin(p, o, 20*time.Second) }

func (h *harness) sendWithin(p *process, o *order, limit time.Duration) error {
	h.ledger.sending(o)
	ctx, cancel := context.WithTimeout(h.ctx, limit)
	defer cancel()
	t, _, err := p.api.Enqueue(ctx, o.draft)
	if err == nil {
		h.ledger.acknowledged(o, t.ID)
		return nil
	}
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status < 500 && refused.Status != 429 {
		h.violation("I1: order %d was refused: %v", o.N, err)
	}
	return err
}

// mustSend hands in an order to a process that lives.
func (h *harness) mustSend(p *process, o *order) *order {
	h.Helper()
	if err := h.send(p, o); err != nil {
		h.Fatalf("enqueue: %v", err)
	}
	return o
}

// sendAll hands in many orders by several callers at once.
func (h *harness) sendAll(p *process, orders []*order) {
	h.Helper()
	var callers sync.WaitGroup
	for part := range 16 {
		callers.Go(func() {
			for i := part; i < len(orders); i += 16 {
				if err := h.send(p, orders[i]); err != nil {
					h.violation("enqueue: %v", err)
				}
			}
		})
	}
	callers.Wait()
}

// slowest is longer than anything takes that comes to an end, on any machine.
const slowest = 3 * time.Minute

// bound is how soon something is to happen: in the long runs, which measure. In make test
// the verdict is that it happens at all.
func bound(within time.Duration) time.Duration {
	if long() || os.Getenv("OUTLAST_FAULT_CLUSTER") != "" || os.Getenv("OUTLAST_FAULT_SOAK") != "" {
		return within
	}
	return slowest
}

// waitUntil polls a condition, in a crowd for longer. What a planted defect prevents is
// waited for in vain.
func (h *harness) waitUntil(within time.Duration, what string, done func() bool) bool {
	h.Helper()
	if h.crowd > 1 {
		within = bound(h.crowd * within)
	}
	return h.promised(within, what, done)
}

// promised polls a condition that holds this soon, whoever runs beside.
func (h *harness) promised(within time.Duration, what string, done func() bool) bool {
	h.Helper()
	began := time.Now()
	for !done() {
		if h.foundOut() {
			return false
		}
		if time.Since(began) > within {
			h.violation("I8: not within %s: %s", within, what)
			return false
		}
		time.Sleep(min(2*time.Millisecond+time.Since(began)/16, 50*time.Millisecond)) // sleep: what is waited for happens in another process
	}
	return true
}

// foundOut reports whether the defect that was planted is found.
func (h *harness) foundOut() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.found
}

// drain waits until the server has nothing left to do.
func (h *harness) drain(p *process, within time.Duration) bool {
	h.Helper()
	return h.waitUntil(within, "everything has ended", func() bool { return h.idle(p) })
}

// idle reports whether nothing waits or runs.
func (h *harness) idle(p *process) bool {
	for _, state := range []task.State{task.Pending, task.Running} {
		page, err := p.api.Tasks(h.ctx, client.Filter{State: string(state)}, 1, "")
		if err != nil || len(page.Tasks) > 0 {
			return false
		}
	}
	return h.allFinal(p)
}

// allFinal reads every task. Beside it, two looks prove nothing: a task may
// run at the look for waiting ones and wait at the look for running ones.
func (h *harness) allFinal(p *process) bool {
	for cursor := ""; ; {
		page, err := p.api.Tasks(h.ctx, client.Filter{}, 500, cursor)
		if err != nil || slices.ContainsFunc(page.Tasks, func(t client.Task) bool { return !t.State.Final() }) {
			return false
		}
		if cursor = page.NextCursor; cursor == "" {
			return true
		}
	}
}

// percentile of durations; 0 without any.
func percentile(of []time.Duration, p int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)].Round(10 * time.Microsecond)
}

// calls waits until so many calls that match have arrived.
func (h *harness) calls(within time.Duration, n int, match func(c *call) bool) bool {
	h.Helper()
	return h.waitUntil(within, fmt.Sprintf("%d calls", n), func() bool { return h.ledger.count(match) >= n })
}

func (h *harness) has(t *process, id task.ID) *client.Task {
	h.Helper()
	found, err := t.api.Task(h.ctx, id)
	if err != nil {
		h.Fatalf("reading %s: %v", id, err)
	}
	return found
}
