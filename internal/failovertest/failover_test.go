//go:build unix

package failovertest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/historytest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/storetest"
	"github.com/outlast-dev/outlast/task"
)

// Nothing runs again later than this after the standby has taken over: nodes
// must connect, find who is alive, and take their lanes. A machine that does
// other things meanwhile is given more, and make faults measures.
const (
	backWithin = 10 * time.Second
	patience   = 2 * time.Minute
)

// cycles is one in a test run; make faults asks for more, alone on its machine.
func cycles() (n int, alone bool) {
	if n, err := strconv.Atoi(os.Getenv("OUTLAST_FAILOVER_CYCLES")); err == nil {
		return n, true
	}
	return 1, false
}

// cluster is three nodes on a pair of servers, and the load on them.
type cluster struct {
	*pair
	nodes []*outlast.Client
	one   store.Backend
	queue historytest.Queue
	log   bytes.Buffer // under mu

	mu     sync.Mutex
	claims map[outlast.ID]int64 // the largest that ran
	runs   []run
	wrong  []string
}

// run is the start of an attempt.
type run struct {
	at    time.Time
	claim int64 // the database's time, as far as no two claims are in one µs
}

func newCluster(t *testing.T, synchronous bool) *cluster {
	t.Helper()
	c := &cluster{pair: newPair(t), claims: map[outlast.ID]int64{}}
	c.follow(t.Context(), synchronous)
	for i := range 3 {
		s, err := postgres.OpenURL(t.Context(), c.url())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		c.one = s
		node, err := outlast.Open(t.Context(), s, outlast.WithLogger(slog.New(slog.NewTextHandler(logWriter{c}, nil))), outlast.WithSlots(40))
		if err != nil {
			t.Fatal(err)
		}
		outlast.Handle(node, "work", c.work, outlast.Interval(200*time.Millisecond), outlast.MaxAttempts(50))
		if err := node.Start(t.Context()); err != nil {
			t.Fatalf("node %d: %v", i, err)
		}
		t.Cleanup(func() {
			if err := node.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Logf("stop: %v", err)
			}
		})
		c.nodes = append(c.nodes, node)
	}
	return c
}

// work is the handler: one attempt in ten fails.
func (c *cluster) work(ctx context.Context, n int) error {
	info, _ := outlast.Info(ctx)
	c.queue.Ran(info.ID, info.Claim)
	c.mu.Lock()
	if last := c.claims[info.ID]; info.Claim <= last {
		c.wrong = append(c.wrong, fmt.Sprintf("task %s ran under claim %d after %d", info.ID, info.Claim, last))
	}
	c.claims[info.ID] = max(c.claims[info.ID], info.Claim)
	c.runs = append(c.runs, run{time.Now(), info.Claim})
	c.mu.Unlock()
	select {
	case <-time.After(time.Duration(n%40) * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	if n%10 == 0 && info.Attempt == 1 {
		return fmt.Errorf("the first attempt of %d fails", n)
	}
	return nil
}

// load enqueues from every node until ctx ends. What was not acknowledged may
// be there or not.
func (c *cluster) load(ctx context.Context, wait *sync.WaitGroup) {
	for i := range 6 {
		node := c.nodes[i%len(c.nodes)]
		wait.Go(func() {
			for n := i; ctx.Err() == nil; n += 6 {
				id := outlast.NewID()
				c.queue.Sending(id)
				receipt, err := node.Enqueue(ctx, outlast.Draft{ID: id, Type: "work", Payload: []byte(strconv.Itoa(n)), Key: key(n)})
				if err == nil {
					c.queue.Acknowledged(receipt.Task.ID)
				}
				time.Sleep(2 * time.Millisecond) // sleep: some hundred tasks a second are enough
			}
		})
	}
}

// key gives every third task one of a few ordering keys.
func key(n int) string {
	if n%3 != 0 {
		return ""
	}
	return "k" + strconv.Itoa(n%21)
}

// ran waits until so many runs began that were claimed after a time, and
// returns when the first of them did.
func (c *cluster) ran(claimed time.Time, count int, within time.Duration) (first time.Time) {
	c.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) { // sleep: real servers
		n := 0
		c.mu.Lock()
		for _, one := range c.runs {
			if one.claim > claimed.UnixMicro() {
				if n++; n == 1 || one.at.Before(first) {
					first = one.at
				}
			}
		}
		c.mu.Unlock()
		if n >= count {
			return first
		}
		if time.Since(began) > within {
			c.Fatalf("%d of %d runs began within %s", n, count, within)
		}
	}
}

// succeeded are tasks that somebody may have been told of as done.
func (c *cluster) succeeded(ctx context.Context) []*task.Task {
	c.Helper()
	done, _, err := c.one.Find(ctx, store.Filter{State: task.Succeeded}, store.Page{Limit: 500})
	if err != nil {
		c.Fatal(err)
	}
	return done
}

func (c *cluster) drain(ctx context.Context) {
	c.Helper()
	// Of looks in a row: one alone can miss a task that goes from pending to
	// running, or back, between its counts.
	quiet := 0
	for began := time.Now(); quiet < 3; time.Sleep(50 * time.Millisecond) { // sleep: real servers
		pending, err := c.one.Count(ctx, store.Filter{State: task.Pending}, 1)
		running, runningErr := c.one.Count(ctx, store.Filter{State: task.Running}, 1)
		if quiet++; err != nil || runningErr != nil || pending+running > 0 {
			quiet = 0
		}
		if time.Since(began) > patience {
			c.Fatalf("tasks are left: %v %v%s", err, runningErr, c.left(ctx))
		}
	}
}

// logWriter keeps the log of all nodes.
type logWriter struct{ *cluster }

func (w logWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

// left tells of a few tasks that have not ended.
func (c *cluster) left(ctx context.Context) string {
	var text strings.Builder
	for _, state := range []task.State{task.Running, task.Pending} {
		some, _, err := c.one.Find(ctx, store.Filter{State: state}, store.Page{Limit: 5})
		fmt.Fprintf(&text, "\n%s: %v", state, err)
		for _, one := range some {
			c.mu.Lock()
			fmt.Fprintf(&text, "\n  %+v, ran under claim %d", one, c.claims[one.ID])
			c.mu.Unlock()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(&text, "\nlog:\n%s", c.log.Bytes()[max(0, c.log.Len()-20_000):])
	return text.String()
}

// TestSynchronousStandbyTakesOver: what was acknowledged before the primary
// was lost is there after its standby was promoted, and runs; claim numbers
// do not come back.
func TestSynchronousStandbyTakesOver(t *testing.T) {
	t.Parallel()
	c := newCluster(t, true)
	ctx := t.Context()
	n, alone := cycles()
	for cycle := range n {
		if cycle > 0 {
			c.follow(ctx, true)
		}
		loaded, stop := context.WithCancel(ctx)
		var wait sync.WaitGroup
		c.load(loaded, &wait)
		c.ran(time.Now(), 200, patience)
		done := c.succeeded(ctx)
		lost, promoted := c.failOver(ctx)
		back := max(0, c.ran(lost, 200, patience).Sub(promoted))
		stop()
		wait.Wait()
		c.drain(ctx)
		for _, before := range done {
			if now, err := c.one.Get(ctx, before.ID); err != nil || now.State != task.Succeeded || now.Claim != before.Claim {
				t.Errorf("task %s had succeeded under claim %d, and now %+v, %v", before.ID, before.Claim, now, err)
			}
		}
		sum, wrong, err := c.queue.Check(ctx, c.one, "default", true)
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range append(wrong, c.wrong...) {
			t.Error(finding)
		}
		storetest.CheckInvariants(t, c.one)
		t.Logf("cycle %d: back %s after the promotion; %d sent, %d acknowledged, %d there, %d runs, %d of them repeats",
			cycle+1, back.Round(time.Millisecond), sum.Sent, sum.Acknowledged, sum.Stored, sum.Ran, sum.Again)
		if alone && back > backWithin {
			t.Errorf("the first run began %s after the promotion", back)
		}
		if sum.Acknowledged < 200 {
			t.Errorf("%d tasks say little", sum.Acknowledged)
		}
	}
}

// TestAsynchronousStandbyLosesWhatItHasNotSeen is the control: the same check
// finds what is lost when commits do not wait for a standby that is behind.
func TestAsynchronousStandbyLosesWhatItHasNotSeen(t *testing.T) {
	t.Parallel()
	c := newCluster(t, false)
	ctx := t.Context()
	loaded, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	c.load(loaded, &wait)
	c.ran(time.Now(), 50, patience)
	c.fallBehind(ctx)
	c.ran(time.Now(), 100, patience)
	lost, _ := c.failOver(ctx)
	c.ran(lost, 20, patience)
	stop()
	wait.Wait()
	c.drain(ctx)
	sum, wrong, err := c.queue.Check(ctx, c.one, "default", true)
	if err != nil {
		t.Fatal(err)
	}
	missed := 0
	for _, finding := range wrong {
		if strings.HasPrefix(finding, "lost: ") {
			missed++
		}
	}
	t.Logf("%d acknowledged, %d there, %d findings of loss", sum.Acknowledged, sum.Stored, missed)
	if missed == 0 {
		t.Error("nothing is lost: this test of synchronous standbys cannot fail")
	}
	storetest.CheckInvariants(t, c.one) // what is left is whole
}
