package outlast

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast/store"
)

// How long a scrape may wait for the store, and how long what it read is
// good for other scrapes.
const (
	scrapeTimeout = 2 * time.Second
	scrapeKeep    = 5 * time.Second
)

// gauges are read at every scrape: this node's memory, and the numbers of
// dead letters, which the store keeps.
type gauges struct {
	client                *Client
	running, known, lanes *prometheus.Desc // by queue
	ready, waiting, slots *prometheus.Desc
	dead                  *prometheus.Desc // by type
	breaker               *prometheus.Desc // by target
	held                  *prometheus.Desc // by gate

	mu     sync.Mutex
	letter *store.DeadStats
	read   time.Time
}

func newGauges(c *Client) *gauges {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("outlast_"+name, help, labels, nil)
	}
	return &gauges{
		client:  c,
		running: describe("running", "Attempts that run on this node.", "queue"),
		known:   describe("known", "Tasks in the memory of this node, running ones included.", "queue"),
		ready:   describe("ready", "Tasks in the memory of this node that are due."),
		waiting: describe("waiting", "Tasks in the memory of this node that are not due."),
		lanes:   describe("lanes", "Lanes that this node owns.", "queue"),
		slots:   describe("slots", "Attempts that this node runs at most."),
		dead:    describe("dead_letters", "Dead letters in the store, over all nodes.", "type"),
		breaker: describe("target_breaker_state", "Breaker of a target on this node: 0 closed, 1 ramping, 2 half-open, 3 open. Only targets that are, or were within a minute, not closed or that hold tasks back, 256 at most.", "target"),
		held:    describe("target_held", "Due tasks in the memory of this node that their targets hold, by gate: breaker, budget, rate or concurrency.", "gate"),
	}
}

// Describe implements [prometheus.Collector].
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{g.running, g.known, g.lanes, g.ready, g.waiting, g.slots, g.dead, g.breaker, g.held} {
		to <- one
	}
}

// Collect implements [prometheus.Collector].
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	gauge := func(of *prometheus.Desc, value int, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, float64(value), labels...)
	}
	stats := g.client.engine.Stats()
	for name, queue := range stats.Queues {
		gauge(g.running, queue.Running, name)
		gauge(g.known, queue.Known, name)
		gauge(g.lanes, queue.Lanes, name)
	}
	gauge(g.ready, stats.Ready)
	gauge(g.waiting, stats.Waiting)
	gauge(g.slots, stats.Slots)
	var held store.TargetWaiting
	for _, target := range g.client.engine.Troubled() {
		gauge(g.breaker, slices.Index(breakerStates, target.Breaker.State), strings.ToValidUTF8(target.Name, "?"))
		held.Breaker += target.Waiting.Breaker
		held.Budget += target.Waiting.Budget
		held.Rate += target.Waiting.Rate
		held.Concurrency += target.Waiting.Concurrency
	}
	gauge(g.held, held.Breaker, "breaker")
	gauge(g.held, held.Budget, "budget")
	gauge(g.held, held.Rate, "rate")
	gauge(g.held, held.Concurrency, "concurrency")
	letters := g.letters()
	if letters == nil {
		return
	}
	other := letters.Total
	for i, taskType := range slices.Sorted(maps.Keys(letters.ByType)) {
		if i < mostTypeLabels && taskType != otherTypes {
			gauge(g.dead, letters.ByType[taskType], taskType)
			other -= letters.ByType[taskType]
		}
	}
	gauge(g.dead, other, otherTypes)
}

// letters are the numbers of dead letters, nil if the store does not answer.
func (g *gauges) letters() *store.DeadStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.letter != nil && time.Since(g.read) < scrapeKeep {
		return g.letter
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	letters, err := g.client.backend.DeadStats(ctx)
	if err != nil {
		return nil
	}
	g.letter, g.read = letters, time.Now()
	return letters
}
