//go:build faults

package faulttest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servers"
)

// soakFor is how long TestSoak runs: OUTLAST_FAULT_SOAK, an hour unless given.
func soakFor(t *testing.T) time.Duration {
	text := os.Getenv("OUTLAST_FAULT_SOAK")
	if text == "" {
		return time.Hour
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("OUTLAST_FAULT_SOAK: %v", err)
	}
	return d
}

// TestSoak keeps three nodes on each server under load while one fault follows the
// other. Everything that was accepted runs to its end, and nothing grows: memory,
// goroutines and descriptors of a node that lives through it all, and the tables of
// live tasks.
func TestSoak(t *testing.T) {
	for _, d := range dialects {
		if d.start == nil {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, d, func(n *nodeConfig) {
				n.Retention = time.Minute
				n.Slots = 50 // a node keeps the goroutines of as many attempts as once ran together
			}).alone()
			c.begin()
			c.soak(soakFor(t))
		})
	}
}

// sample is what is measured of the veteran, the first node, which is not killed.
type sample struct{ memory, goroutines, descriptors, tables int }

func (c *cluster) soak(span time.Duration) {
	began, made := time.Now(), map[string]int{}
	rest := c.busy()
	measured := make(chan []sample)
	ctx, stop := context.WithCancel(c.ctx)
	go func() { measured <- c.measure(ctx, max(time.Second, span/360)) }()
	for time.Since(began) < span && len(c.violations) == 0 {
		made[c.mishap()]++
		c.let(time.Duration(5+c.random.IntN(10)) * time.Second)
	}
	rest()
	c.settle()
	stop()
	samples := <-measured
	c.Logf("%s: %d tasks, %d runs, faults %v", time.Since(began).Round(time.Second), len(c.ledger.orders), len(c.ledger.calls), made)
	c.flat("resident memory, KiB", samples, func(s sample) int { return s.memory }, 32<<10)
	c.flat("goroutines", samples, func(s sample) int { return s.goroutines }, 40)
	c.flat("descriptors", samples, func(s sample) int { return s.descriptors }, 40)
	c.flat("tables of live tasks, bytes", samples, func(s sample) int { return s.tables }, 8<<20)
	c.accounted()
}

// mishap makes one fault and ends it.
func (c *cluster) mishap() string {
	m := c.members[1+c.random.IntN(2)]
	name, since := m.name(), time.Now()
	what := []string{"kill", "pause", "connections", "restart", "replies", "cut", "forget"}[c.random.IntN(7)]
	switch what {
	case "kill":
		m.down.Store(true)
		c.harness.end(m.process())
		c.let(time.Duration(c.random.IntN(9)) * time.Second)
		c.enter(m)
	case "pause":
		m.down.Store(true)
		if err := m.process().signal(syscall.SIGSTOP); err != nil {
			c.Fatal(err)
		}
		c.let(time.Duration(1+c.random.IntN(14)) * time.Second)
		c.resume(m.process())
		m.down.Store(false)
	case "connections":
		for range 20 {
			c.killSome(c.admin, c.connections, 2)
			c.let(50 * time.Millisecond)
		}
	case "restart":
		if err := c.server.Restart(c.ctx, servers.Immediate); err != nil {
			c.Fatal(err)
		}
		name = "*"
	case "replies":
		m.net.lose(func(request []byte) bool { return isCommit(request) })
		c.let(time.Second)
		m.net.lose(nil)
	case "cut":
		cuts[c.random.IntN(len(cuts))].cut(m.net)
		c.let(time.Duration(1+c.random.IntN(9)) * time.Second)
		m.net.heal()
	case "forget":
		m = c.members[c.random.IntN(3)]
		name = m.name()
		m.net.forget()
	}
	c.ledger.note(trouble{node: name, from: since, to: time.Now().Add(10 * time.Second)})
	return what
}

// settle hands in what is unknown and waits until nothing is left to do.
func (c *cluster) settle() {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, time.Minute)
	defer cancel()
	for _, o := range c.ledger.unknown() {
		if !c.deliver(ctx, o, c.random) {
			c.violation("I1: order %d is not accepted after the faults", o.N)
		}
	}
	c.drain(c.members[0].process(), time.Minute)
}

// measure takes samples until the context ends.
func (c *cluster) measure(ctx context.Context, every time.Duration) (all []sample) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return all
		case <-tick.C:
		}
		p := c.members[0].process()
		s := sample{memory: resident(p.cmd.Process.Pid), goroutines: goroutines(ctx, p.url), tables: c.bytesOfTables(ctx)}
		if files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)); err == nil {
			s.descriptors = len(files)
		}
		if s.memory > 0 && s.goroutines > 0 && s.tables > 0 { // else the server was away
			all = append(all, s)
		}
	}
}

func resident(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.Atoi(fields[0]) // digits
	return kib
}

func goroutines(ctx context.Context, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+goroutinesPath, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	n, _ := strconv.Atoi(string(text)) // 0 if it is no number
	return n
}

// bytesOfTables is how large the tables of live tasks are, with their indexes; 0 if
// the server does not say.
func (c *cluster) bytesOfTables(ctx context.Context) (total int) {
	if err := c.admin.QueryRowContext(ctx, c.size).Scan(&total); err != nil {
		return 0
	}
	return total
}

// flat demands that the last quarter of the samples is about as high as the second.
func (c *cluster) flat(what string, samples []sample, of func(sample) int, slack int) {
	c.Helper()
	if len(samples) < 16 {
		c.violation("only %d samples of %s", len(samples), what)
		return
	}
	middle := func(part []sample) int {
		values := make([]int, len(part))
		for i, s := range part {
			values[i] = of(s)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	quarter := len(samples) / 4
	early, late := middle(samples[quarter:2*quarter]), middle(samples[3*quarter:])
	c.Logf("%s: %d in the second quarter, %d in the last", what, early, late)
	if late > early+early/4+slack {
		c.violation("I15: %s grew from %d to %d", what, early, late)
	}
}

// accounted compares what was accepted with what was seen to run: rows are deleted a
// minute after their end.
func (c *cluster) accounted() {
	c.Helper()
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	account := &checker{ledger: c.ledger}
	account.nothingUnknown()
	account.keysInOrder()
	for _, o := range c.ledger.orders {
		good, bad := 0, 0
		for _, one := range c.ledger.byTask[o.N] {
			switch {
			case one.status == http.StatusOK:
				good++
			case one.status != 0:
				bad++
			}
		}
		failing := max(o.Fail, len(o.Failed))
		dies := o.attempts > 0 && failing >= o.attempts
		if o.acked.IsZero() || !dies && good == 0 || dies && bad < o.attempts {
			account.bad("I1: order %d (%d failures, %d attempts, accepted: %v) was answered well %d times and badly %d times: %s",
				o.N, failing, o.attempts, !o.acked.IsZero(), good, bad, seen(c.ledger.byTask[o.N]))
		}
	}
	for _, line := range account.found {
		c.violation("%s", line)
	}
}
