package stormtest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(receiverEnv) != "" {
		if err := runReceiver(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "receiver:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// plan is the shape of a run.
type plan struct {
	outage mode
	before time.Duration // works
	broken time.Duration // does not
	after  time.Duration // works again; at most, if early is set
	early  bool          // end as soon as there is full goodput again
}

// load is what calls the receiver. It begins at once and ends with ctx; wait
// returns when nothing of it runs any more.
type load interface {
	start(ctx context.Context, url string, counted *series)
	wait()
}

// result is a finished run.
type result struct {
	plan
	arrived    history // at the receiver
	sent       history // by the clients: also what did not arrive
	failed     time.Duration
	recovered  time.Duration
	end        time.Duration
	goroutines []int // every step
	afterwards int   // goroutines when the load has ended
}

// target is a receiver as a run sees it.
type target interface {
	address() (url string, start time.Time)
	become(m mode) time.Duration
	history() history
}

// carryOut makes a run on a receiver in a process of its own.
func carryOut(t *testing.T, p plan, l load) *result {
	t.Helper()
	to := startReceiver(t)
	defer to.stop()
	return p.on(t, to, l)
}

// on makes a run.
func (p plan) on(t *testing.T, to target, l load) *result {
	t.Helper()
	r := &result{plan: p}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	url, start := to.address()
	sent := newSeries(start)
	l.start(ctx, url, sent)
	r.pass(p.before)
	r.failed = to.become(p.outage)
	r.pass(p.broken)
	r.recovered = to.become(works)
	for until := time.Now().Add(p.after); time.Now().Before(until); {
		r.pass(time.Second)
		if _, full := r.with(to.history()).fullGoodput(); full && p.early {
			break
		}
	}
	r.with(to.history())
	r.end = r.arrived.length()
	cancel()
	l.wait()
	r.sent = sent.all()
	r.afterwards = runtime.NumGoroutine()
	return r
}

// with takes over what has arrived.
func (r *result) with(arrived history) *result {
	r.arrived = arrived
	return r
}

// pass lets time go by and counts goroutines.
func (r *result) pass(d time.Duration) {
	tick := time.NewTicker(step)
	defer tick.Stop()
	for end := time.After(d); ; {
		select {
		case <-tick.C:
			r.goroutines = append(r.goroutines, runtime.NumGoroutine())
		case <-end:
			return
		}
	}
}
