package retry

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/racetest"
)

// queueModel is a server with some places that takes calls in order, and callers
// who call again as soon as their call has ended, or after a pause when their
// limit refuses. Callers take turns with the limits. Time is virtual.
type queueModel struct {
	limits  []*Limit
	servers int
	service func() float64
	callers int

	now    float64
	events modelEvents
	queue  []modelEvent // calls that wait
	busy   int
	done   []modelCall
	most   int
}

// modelCall is a finished call.
type modelCall struct{ at, took float64 }

// modelEvent is the end of a call that began, or a caller who asks again.
type modelEvent struct {
	at, began float64
	asks      bool
	limit     *Limit
}

type modelEvents []modelEvent

func (e modelEvents) Len() int           { return len(e) }
func (e modelEvents) Less(i, j int) bool { return e[i].at < e[j].at }
func (e modelEvents) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *modelEvents) Push(x any)        { *e = append(*e, x.(modelEvent)) }
func (e *modelEvents) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (m *queueModel) clock() time.Time { return after(seconds(m.now)) }

// run lets the model run until a time.
func (m *queueModel) run(until float64) {
	for i := len(m.events) + len(m.queue); i < m.callers; i++ {
		heap.Push(&m.events, modelEvent{at: m.now + float64(i)*1e-5, asks: true, limit: m.limits[i%len(m.limits)]})
	}
	for len(m.events) > 0 && m.events[0].at <= until {
		e := heap.Pop(&m.events).(modelEvent)
		m.now = e.at
		if !e.asks {
			m.busy--
			m.done = append(m.done, modelCall{m.now, m.now - e.began})
			e.limit.Release(m.clock(), seconds(m.now-e.began), "")
		}
		m.ask(e.limit)
		m.serve()
	}
	m.now = until
}

// ask lets a caller call.
func (m *queueModel) ask(l *Limit) {
	if !l.Acquire(m.clock()) {
		heap.Push(&m.events, modelEvent{at: m.now + 0.05, asks: true, limit: l})
		return
	}
	limit, taken := l.Now()
	m.most = max(m.most, taken)
	if taken > limit {
		panic("more taken than the limit")
	}
	m.queue = append(m.queue, modelEvent{began: m.now, limit: l})
}

// serve starts what there is room for.
func (m *queueModel) serve() {
	for m.busy < m.servers && len(m.queue) > 0 {
		m.busy++
		call := m.queue[0]
		call.at = m.now + m.service()
		heap.Push(&m.events, call)
		m.queue = m.queue[1:]
	}
}

// between summarizes the calls that ended in some time.
func (m *queueModel) between(from, to float64) (rate, p50, p99 float64) {
	var took []float64
	for _, c := range m.done {
		if c.at >= from && c.at < to {
			took = append(took, c.took)
		}
	}
	if len(took) == 0 {
		return 0, 0, 0
	}
	slices.Sort(took)
	return float64(len(took)) / (to - from), took[len(took)/2], took[len(took)*99/100]
}

// limitNoise is how service times around a mean vary, by name, with their 99th
// percentile as a multiple of the mean.
var limitNoise = map[string]struct {
	draw func(r *rand.Rand) float64
	p99  float64
}{
	"none":        {func(*rand.Rand) float64 { return 1 }, 1},
	"uniform":     {func(r *rand.Rand) float64 { return 0.5 + r.Float64() }, 1.49},
	"exponential": {(*rand.Rand).ExpFloat64, 4.6},
}

// TestLimitSteps changes the capacity of a server and how long it takes: within
// ten seconds the limit has settled (nearly all of the capacity is used), and
// latency stays within three times that of an idle server.
func TestLimitSteps(t *testing.T) {
	racetest.WithoutDetector(t)
	for noise, kind := range limitNoise {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 2))
			mean := 0.1
			m := &queueModel{limits: []*Limit{must(NewLimit(LimitConfig{}))}, callers: 120}
			m.service = func() float64 { return mean * kind.draw(r) }
			for _, step := range []struct {
				name    string
				servers int
				mean    float64
			}{
				{"at first", 40, 0.1}, {"half the servers", 20, 0.1}, {"all servers", 40, 0.1},
				{"twice as slow", 40, 0.2}, {"as fast as before", 40, 0.1},
			} {
				m.servers, mean = step.servers, step.mean
				from := m.now
				m.run(from + 21.3)
				capacity := float64(step.servers) / step.mean
				if rate, _, _ := m.between(from+10, from+20); rate < 0.75*capacity {
					t.Errorf("%s, seed %d, %s: %.0f/s of %.0f/s", noise, seed, step.name, rate, capacity)
				}
				if _, _, p99 := m.between(from+10, from+20); p99 > 2.2*kind.p99*step.mean {
					t.Errorf("%s, seed %d, %s: p99 %.3f s when settled", noise, seed, step.name, p99)
				}
				if _, _, p99 := m.between(from, from+20); p99 > 3.01*kind.p99*step.mean {
					t.Errorf("%s, seed %d, %s: p99 %.3f s in all", noise, seed, step.name, p99)
				}
			}
		}
	}
}

// TestLimitsOfSeveral: four limits that do not know of each other share a server
// that loses half of its places for good. They make room at the same time, see
// the latency without a queue, and keep to it.
func TestLimitsOfSeveral(t *testing.T) {
	racetest.WithoutDetector(t)
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := &queueModel{servers: 80, callers: 240}
		for range 4 {
			m.limits = append(m.limits, must(NewLimit(LimitConfig{})))
		}
		m.service = func() float64 { return 0.1 * (0.5 + r.Float64()) }
		m.run(21)
		m.servers = 40
		m.run(141)
		rate, p50, p99 := m.between(41, 141)
		if rate < 0.85*400 || p50 > 0.25 || p99 > 0.45 {
			t.Errorf("seed %d: %.0f/s of 400/s, p50 %.3f s, p99 %.3f s", seed, rate, p50, p99)
		}
	}
}

// TestLimitOnlyWhileUsed: what nobody takes does not grow.
func TestLimitOnlyWhileUsed(t *testing.T) {
	m := &queueModel{limits: []*Limit{must(NewLimit(LimitConfig{}))}, servers: 100, callers: 10}
	m.service = func() float64 { return 0.1 }
	m.run(60)
	if limit, _ := m.limits[0].Now(); limit != DefaultLimitInitial {
		t.Errorf("limit %d with 10 callers", limit)
	}
}

// TestLimitFixed: a fixed limit stays, whatever happens.
func TestLimitFixed(t *testing.T) {
	m := &queueModel{limits: []*Limit{must(NewLimit(LimitConfig{Fixed: true, Initial: 7}))}, servers: 3, callers: 50}
	m.service = func() float64 { return 0.1 }
	m.run(30)
	if limit, taken := m.limits[0].Now(); limit != 7 || taken != 7 || m.most != 7 {
		t.Errorf("limit %d, %d taken, at most %d", limit, taken, m.most)
	}
}

// TestLimitRefusals: a server that answers 429 above 50 calls in flight is given
// about as many, and few of them are refused.
func TestLimitRefusals(t *testing.T) {
	l := must(NewLimit(LimitConfig{}))
	type ending struct {
		at, took float64
		c        Category
	}
	var flight []ending
	served, refused := 0, 0
	for tick := range 60_000 { // a minute, 5 calls wanted each millisecond
		now := float64(tick) / 1000
		for len(flight) > 0 && flight[0].at <= now {
			l.Release(after(seconds(now)), seconds(flight[0].took), flight[0].c)
			if flight[0].c == "" && now > 30 {
				served++
			} else if now > 30 {
				refused++
			}
			flight = flight[1:]
		}
		busy := 0
		for _, e := range flight {
			if e.c == "" {
				busy++
			}
		}
		for range 5 {
			if !l.Acquire(after(seconds(now))) {
				break
			}
			e := ending{now + 0.1, 0.1, ""}
			if busy++; busy > 50 {
				e = ending{now + 0.1, 0.1, Throttled}
			}
			flight = append(flight, e)
		}
	}
	if served < 30*500*8/10 || refused > served/10 {
		t.Errorf("%d served of %d, %d refused", served, 30*500, refused)
	}
}

// TestLimitTimeouts: when no call is answered the limit goes down to its
// minimum, and comes back.
func TestLimitTimeouts(t *testing.T) {
	l := must(NewLimit(LimitConfig{Initial: 100, Min: 2}))
	now := day
	for range 1000 {
		l.Acquire(now)
		now = now.Add(100 * time.Millisecond)
		l.Release(now, 100*time.Millisecond, Timeout)
	}
	if limit, _ := l.Now(); limit != 2 {
		t.Errorf("limit %d after timeouts", limit)
	}
	for range 1000 {
		for l.Acquire(now) {
		}
		now = now.Add(100 * time.Millisecond)
		for _, taken := l.Now(); taken > 0; _, taken = l.Now() {
			l.Release(now, 100*time.Millisecond, "")
		}
	}
	if limit, _ := l.Now(); limit < 100 {
		t.Errorf("limit %d after recovery", limit)
	}
}

// TestLimitBounds: whatever happens, the limit is within its bounds, and never
// more places are taken than it was when they were.
func TestLimitBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := LimitConfig{Min: rapid.IntRange(1, 20).Draw(t, "min"), Max: rapid.IntRange(20, 100).Draw(t, "max")}
		l := must(NewLimit(config))
		now, held := day, 0
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			now = now.Add(seconds(rapid.SampledFrom([]float64{0, 0, 0.01, 0.3, 10}).Draw(t, "pause")))
			n := rapid.IntRange(1, 30).Draw(t, "n")
			if rapid.Bool().Draw(t, "acquire") {
				for range n {
					before, taken := l.Now()
					if ok := l.Acquire(now); ok != (taken < before) {
						t.Fatalf("granted %v with %d of %d taken", ok, taken, before)
					} else if ok {
						held++
					}
				}
				continue
			}
			took := seconds(rapid.Float64Range(0, 3).Draw(t, "took"))
			c := rapid.SampledFrom([]Category{"", "", "", Throttled, Timeout, Canceled, Unavailable}).Draw(t, "category")
			for range min(n, held) {
				l.Release(now, took, c)
				held--
			}
			if limit, taken := l.Now(); limit < config.Min || limit > config.Max || taken != held {
				t.Fatalf("limit %d, %d taken, %d held", limit, taken, held)
			}
		}
	})
}

func TestLimitConcurrent(t *testing.T) {
	l := must(NewLimit(LimitConfig{Max: 50}))
	var flight atomic.Int64
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for i := range 2000 {
				now := after(time.Duration(i) * time.Millisecond)
				if !l.Acquire(now) {
					continue
				}
				if flight.Add(1) > 50 {
					t.Error("more than the maximum")
				}
				flight.Add(-1)
				l.Release(now.Add(time.Millisecond), time.Millisecond, "")
			}
		})
	}
	group.Wait()
	if _, taken := l.Now(); taken != 0 {
		t.Errorf("%d taken in the end", taken)
	}
}

func TestLimitConfigRefused(t *testing.T) {
	for want, config := range map[string]LimitConfig{
		"limit.min":       {Min: -1},
		"limit.max":       {Min: 10, Max: 9, Initial: 10},
		"limit.initial":   {Initial: 5, Min: 10},
		"limit.tolerance": {Tolerance: 1},
		"limit.backoff":   {Backoff: 1},
	} {
		_, err := NewLimit(config)
		if fields := FieldErrors(err); len(fields) == 0 || fields[0].Field != want {
			t.Errorf("%+v: %v", config, err)
		}
	}
}
