//go:build faults

package faulttest

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// backlog is how many tasks of a bad target are due at once.
const backlog = 100_000

// starveProbes are handed in beside a bad target at 50 per second. Its first calls
// are hundreds of new connections at once, all of them between this machine's own
// processes: the p99 is one of many seconds, not of that burst.
const starveProbes = 900

// starveFloor is what the timers and the scheduler of a machine with two
// cores take away when they are busy: below it a ratio says nothing.
const starveFloor = 25 * time.Millisecond

// 100 000 due tasks of a target that refuses everything, in the same lanes:
// tasks of another target start with a p99 at most twice that of an idle
// server.
func TestRefusingTargetStarvesNobody(t *testing.T) {
	alone(t).starve(backlog, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
}

// The same with a target that never answers.
func TestHangingTargetStarvesNobody(t *testing.T) {
	alone(t).starve(5000, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection is not noticed
		<-r.Context().Done()
	})
}

// starve compares how soon tasks start with and without the tasks of a bad target. The
// best of three measurements counts: programs that are no part of this take cores now and
// then, in the one half or the other.
func (h *harness) starve(count int, bad http.HandlerFunc) {
	h.Helper()
	for try := 1; ; try++ {
		p99, was := h.measureStarving(count, bad)
		if p99 <= max(2*was, starveFloor) {
			return
		}
		if try == 3 {
			h.violation("tasks of other targets start after p99 %s, idle %s, three times in a row", p99, was)
			return
		}
		h.renew()
	}
}

// measureStarving returns the p99 of the time until a task starts beside those of a bad
// target, which is another address of this machine, and without them.
func (h *harness) measureStarving(count int, bad http.HandlerFunc) (p99, was time.Duration) {
	h.Helper()
	listener, err := (&net.ListenConfig{}).Listen(h.ctx, "tcp", "127.0.0.2:0")
	if err != nil {
		h.Skipf("this machine has no second loopback address: %v", err)
	}
	var seen atomic.Int64
	target := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		bad(w, r)
	}))
	_ = target.Listener.Close()
	target.Listener = listener
	target.Start()
	h.Cleanup(func() {
		target.CloseClientConnections()
		target.Close()
	})
	p := h.serve()
	_ = h.probe(p, 50) // connections, pages and code are warm then
	idle := h.probe(p, 300)
	h.fill(p, target.URL, count)
	resumed := time.Now()
	h.waitUntil(10*time.Second, "the bad target is called", func() bool { return seen.Load() > 0 })
	busy := h.probe(p, starveProbes)
	page, err := p.api.Queue(h.ctx, "default")
	if err != nil {
		h.Fatal(err)
	}
	p99, was = percentile(busy, 99), percentile(idle, 99)
	h.Logf("start after acknowledgement: idle p50 %s p99 %s; beside %d tasks of a bad target p50 %s p99 %s max %s; the bad target had %d calls in %s; queue %+v",
		percentile(idle, 50), was, count, percentile(busy, 50), p99, percentile(busy, 100), seen.Load(), time.Since(resumed).Round(time.Millisecond), *page)
	for part := range 3 {
		third := busy[part*len(busy)/3 : (part+1)*len(busy)/3]
		h.Logf("part %d of 3: p50 %s p99 %s", part+1, percentile(third, 50), percentile(third, 99))
	}
	h.end(p)
	return p99, was
}

// fill makes many tasks of a target due at the same moment.
func (h *harness) fill(p *process, url string, count int) {
	h.Helper()
	if _, err := p.api.PauseQueue(h.ctx, "default", true); err != nil {
		h.Fatal(err)
	}
	began := time.Now()
	for sent := 0; sent < count; sent += 1000 {
		drafts := make([]client.Draft, min(1000, count-sent))
		for i := range drafts {
			drafts[i] = client.Draft{Payload: json.RawMessage(`{}`), Target: &client.Target{URL: url}}
		}
		if _, err := p.api.EnqueueBatch(h.ctx, drafts, false); err != nil {
			h.Fatal(err)
		}
	}
	h.Logf("%d tasks handed in in %s", count, time.Since(began).Round(time.Millisecond))
	if _, err := p.api.PauseQueue(h.ctx, "default", false); err != nil {
		h.Fatal(err)
	}
}

// probe hands in n tasks at 50 per second and returns how long after their
// acknowledgement each was called.
func (h *harness) probe(p *process, n int) (after []time.Duration) {
	h.Helper()
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	var orders []*order
	for range n {
		<-pace.C
		orders = append(orders, h.mustSend(p, h.ledger.order(work{}, nil)))
	}
	last := orders[n-1].N
	h.waitUntil(20*time.Second, "all probes are called", func() bool {
		return h.ledger.count(func(c *call) bool { return c.n > last-n }) >= n
	})
	for _, o := range orders {
		if calls := h.ledger.callsOf(o.N); len(calls) > 0 {
			after = append(after, max(0, calls[0].start.Sub(o.acked)))
		}
	}
	return after
}
