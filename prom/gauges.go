package prom

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/inspector"
	"github.com/outlast-dev/outlast/store"
)

// How long a scrape may wait for the store, and how long what it read is
// good for other scrapes.
const (
	scrapeTimeout = 2 * time.Second
	scrapeKeep    = 5 * time.Second
)

// How many queues and worker groups have gauges.
const (
	mostQueueLabels = 100
	mostGroupLabels = 100
)

// gauges are read at every scrape: this node's memory, and the numbers of
// dead letters, which the store keeps.
type gauges struct {
	client                atomic.Pointer[outlast.Client] // the last that has registered them, nil for none
	running, known, lanes *prometheus.Desc               // by queue
	ready, waiting, slots *prometheus.Desc
	dead                  *prometheus.Desc // by type
	breaker               *prometheus.Desc // by target
	held                  *prometheus.Desc // by gate
	depth                 *prometheus.Desc // by queue and state
	oldest                *prometheus.Desc // by queue
	limit                 *prometheus.Desc // by queue
	blocked               *prometheus.Desc // by queue
	members, refused      *prometheus.Desc // by group

	mu     sync.Mutex
	last   stored
	readAt time.Time
	readBy *outlast.Client
}

// stored is what the store says at a scrape; nil where it did not answer.
type stored struct {
	letters *store.DeadStats
	queues  []inspect.QueueGauges
}

func newGauges() *gauges {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("outlast_"+name, help, labels, nil)
	}
	return &gauges{
		running: describe("running", "Attempts that run on this node; of the first 100 queues by name, all others as other.", "queue"),
		known:   describe("known", "Tasks in the memory of this node, running ones included; of the first 100 queues by name, all others as other.", "queue"),
		ready:   describe("ready", "Tasks in the memory of this node that are due."),
		waiting: describe("waiting", "Tasks in the memory of this node that are not due."),
		lanes:   describe("lanes", "Lanes that this node owns; of the first 100 queues by name, all others as other.", "queue"),
		slots:   describe("slots", "Attempts that this node runs at most."),
		dead:    describe("dead_letters", "Dead letters in the store, over all nodes.", "type"),
		breaker: describe("target_breaker_state", "Breaker of a target on this node: 0 closed, 1 ramping, 2 half-open, 3 open. Only targets that are, or were within a minute, not closed or that hold tasks back, 256 at most.", "target"),
		depth:   describe("queue_depth", "Tasks of a queue over all nodes, by state: pending, parked (behind keys that are held in mode park) or running. Counted to 10000; of the first 100 queues by name.", "queue", "state"),
		oldest:  describe("queue_oldest_due_seconds", "How long the oldest pending task of a queue has been due, over all nodes.", "queue"),
		members: describe("group_members", "Living members of a worker group, as this node sees them; of the first 100 groups by name.", "group"),
		refused: describe("group_failed_dispatches", "Dispatches in a row that no member of a worker group took, on this node; of the first 100 groups by name.", "group"),
		held:    describe("target_held", "Due tasks in the memory of this node that their targets hold, by gate: breaker, budget, rate or concurrency.", "gate"),
		blocked: describe("keys_blocked", "Ordering keys of a queue that dead letters block and tasks wait behind, counted to 500.", "queue"),
		limit:   describe("queue_max_pending", "Pending tasks beyond which enqueues into the queue are refused. Only queues with a limit, the first 100 by name.", "queue"),
	}
}

// Describe implements [prometheus.Collector].
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{g.running, g.known, g.lanes, g.ready, g.waiting, g.slots, g.dead, g.breaker, g.held, g.depth, g.oldest, g.blocked, g.limit, g.members, g.refused} {
		to <- one
	}
}

// Collect implements [prometheus.Collector].
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	client := g.client.Load()
	if client == nil {
		return
	}
	gauge := func(of *prometheus.Desc, value int, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, float64(value), labels...)
	}
	stats := client.Stats()
	for name, queue := range boundQueues(stats.Queues) {
		gauge(g.running, queue.Running, name)
		gauge(g.known, queue.Known, name)
		gauge(g.lanes, queue.Lanes, name)
	}
	gauge(g.ready, stats.Ready)
	gauge(g.waiting, stats.Waiting)
	gauge(g.slots, stats.Slots)
	var held store.TargetWaiting
	for _, target := range client.Inspector().Targets.Troubled() {
		gauge(g.breaker, inspector.BreakerRank(target.Breaker.State), strings.ToValidUTF8(target.Name, "?"))
		held.Breaker += target.Waiting.Breaker
		held.Budget += target.Waiting.Budget
		held.Rate += target.Waiting.Rate
		held.Concurrency += target.Waiting.Concurrency
	}
	gauge(g.held, held.Breaker, "breaker")
	gauge(g.held, held.Budget, "budget")
	gauge(g.held, held.Rate, "rate")
	gauge(g.held, held.Concurrency, "concurrency")
	for i, view := range client.Workers().Groups() {
		if i == mostGroupLabels {
			break
		}
		living := 0
		for _, member := range view.Members {
			if member.Living {
				living++
			}
		}
		gauge(g.members, living, view.Name)
		gauge(g.refused, view.Failures, view.Name)
	}
	g.collectLimits(client, gauge)
	g.collectStored(client, to, gauge)
}

// collectLimits tells the limits of queues, of which the first by name have series.
func (g *gauges) collectLimits(client *outlast.Client, gauge func(*prometheus.Desc, int, ...string)) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	topology, err := client.Inspector().Nodes.Topology(ctx) // in memory, since the client runs
	if err != nil {
		return
	}
	limited := 0
	for _, queue := range topology.Queues { // by name
		if limited < mostQueueLabels && queue.MaxPending > 0 {
			gauge(g.limit, queue.MaxPending, queue.Name)
			limited++
		}
	}
}

// boundQueues are the first queues by name, and the sums of all others as one.
func boundQueues(all map[string]inspect.QueueMemory) map[string]inspect.QueueMemory {
	bound := make(map[string]inspect.QueueMemory, min(len(all), mostQueueLabels+1))
	for i, name := range slices.Sorted(maps.Keys(all)) {
		own, label := all[name], name
		if i >= mostQueueLabels {
			label = otherTypes
		}
		sum := bound[label]
		sum.Running, sum.Known, sum.Lanes = sum.Running+own.Running, sum.Known+own.Known, sum.Lanes+own.Lanes
		bound[label] = sum
	}
	return bound
}

// collectStored tells what the store says.
func (g *gauges) collectStored(client *outlast.Client, to chan<- prometheus.Metric, gauge func(*prometheus.Desc, int, ...string)) {
	last := g.read(client)
	for i := range last.queues {
		queue := &last.queues[i]
		gauge(g.depth, queue.Pending, queue.Name, "pending")
		gauge(g.depth, queue.Parked, queue.Name, "parked")
		gauge(g.depth, queue.Running, queue.Name, "running")
		gauge(g.blocked, queue.Blocked, queue.Name)
		to <- prometheus.MustNewConstMetric(g.oldest, prometheus.GaugeValue, queue.OldestDue.Seconds(), queue.Name)
	}
	if last.letters == nil {
		return
	}
	other := last.letters.Total
	for i, taskType := range slices.Sorted(maps.Keys(last.letters.ByType)) {
		if i < mostTypeLabels && taskType != otherTypes {
			gauge(g.dead, last.letters.ByType[taskType], taskType)
			other -= last.letters.ByType[taskType]
		}
	}
	gauge(g.dead, other, otherTypes)
}

// read asks the store, unless it has been asked lately.
func (g *gauges) read(client *outlast.Client) stored {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.readBy == client && time.Since(g.readAt) < scrapeKeep {
		return g.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	letters, err := client.Inspector().Letters.Stats(ctx)
	if err != nil {
		return stored{} // the next scrape asks again
	}
	queues, _ := client.Inspector().Queues.Gauges(ctx, mostQueueLabels) // nil if the store does not tell in time
	g.last, g.readAt, g.readBy = stored{letters, queues}, time.Now(), client
	return g.last
}
