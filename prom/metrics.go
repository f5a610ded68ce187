// Package prom counts what a client does, for Prometheus:
//
//	client, err := outlast.Open(ctx, store, prom.Register(prometheus.DefaultRegisterer))
//
// docs/reference/metrics.md lists the metrics, all of which begin with outlast_. The tasks of
// alerts are not among them, but for outlast_alert_deliveries_total. A client adds nothing
// else to a program: without this package none of Prometheus is linked.
//
// Stability: stable, and so are the names and labels of the metrics.
package prom

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The labels are bounded: attempts from the tenth on count as "10+", and
// types beyond the first thousand as "other"; categories that are none of
// ours count as "unknown", since handlers can say anything.
const (
	mostAttemptLabels = 10
	mostTypeLabels    = 1000
	mostChannelLabels = 100
	otherTypes        = "other"
)

// Register makes metrics of one client and registers them, from [outlast.Client.Start]
// until [outlast.Client.Stop]. Start fails with code "conflict" where the registerer has
// such metrics already, or the option is one that another client has started with:
// clients that share a registerer need labels, see
// [prometheus.WrapRegistererWith]. A nil registerer is none.
func Register(r prometheus.Registerer) outlast.Option {
	if r == nil {
		return nil
	}
	return outlast.WithObserver(newMetrics(r).observer())
}

// metrics are the Prometheus metrics of one node.
type metrics struct {
	registerer prometheus.Registerer
	collectors []prometheus.Collector
	gauges     *gauges
	taken      atomic.Bool // by a client that has started and not stopped

	run        *prometheus.HistogramVec // type, attempt
	wait       *prometheus.HistogramVec // type, attempt
	outcomes   *prometheus.CounterVec   // queue, type, outcome, category
	deaths     *prometheus.CounterVec   // queue, type, reason
	recovered  *prometheus.CounterVec   // cause
	stale      *prometheus.CounterVec   // status
	unknown    *prometheus.CounterVec   // kind
	redriven   *prometheus.CounterVec   // result
	breakers   *prometheus.CounterVec   // state, cause
	enqueues   *prometheus.CounterVec   // queue, kind
	wakeups    *prometheus.CounterVec   // way, result
	ticks      *prometheus.CounterVec   // result
	rows       *prometheus.HistogramVec // kind
	commitTime *prometheus.HistogramVec // kind
	alerts     *prometheus.CounterVec   // channel, result
	unreadable prometheus.Counter
	exhausted  *prometheus.CounterVec // code

	mu       sync.Mutex
	channels map[string]bool                        // those with series of their own
	types    atomic.Pointer[map[place]*typeMetrics] // copied at every change
}

// place is where tasks are counted.
type place struct{ queue, taskType string }

// typeMetrics are the metrics of a type in a queue, looked up once; those of an
// attempt number when there is such an attempt.
type typeMetrics struct {
	place
	run, wait          [mostAttemptLabels]lazyHistogram
	created, succeeded prometheus.Counter
}

// lazyHistogram is a histogram that is looked up at its first use.
type lazyHistogram struct {
	found atomic.Pointer[prometheus.Observer]
}

func (l *lazyHistogram) observe(vec *prometheus.HistogramVec, label string, i int, took time.Duration) {
	found := l.found.Load()
	if found == nil {
		attempt := strconv.Itoa(i + 1)
		if i == mostAttemptLabels-1 {
			attempt += "+"
		}
		made := vec.WithLabelValues(label, attempt)
		found = &made
		l.found.Store(found)
	}
	(*found).Observe(took.Seconds())
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{registerer: r, channels: map[string]bool{}, gauges: newGauges()}
	times := prometheus.ExponentialBuckets(0.001, 2.5, 14) // 1 ms to about 150 s
	m.run = histogram(m, "outlast_task_run_seconds", "How long attempts took.", times, "type", "attempt")
	m.wait = histogram(m, "outlast_task_wait_seconds", "Time from the moment a task was due to the start of its attempt.", times, "type", "attempt")
	m.outcomes = counter(m, "outlast_task_attempts_total", "Attempts that ended, by outcome and, of failures, category.", "queue", "type", "outcome", "category")
	m.deaths = counter(m, "outlast_dead_total", "Tasks that became dead letters, by reason.", "queue", "type", "reason")
	m.recovered = counter(m, "outlast_leases_expired_total", "Running tasks taken back, by cause: node dead, node left, node unknown or lease expired.", "cause")
	m.stale = counter(m, "outlast_stale_completions_total", "Ends of attempts that the store refused, since the task was another's by then (stale_claim) or gone (not_found).", "status")
	m.unknown = counter(m, "outlast_store_unknown_outcomes_total", "Transactions without an answer, by kind: claim, enqueue or settle; each was found out or repeated.", "kind")
	m.redriven = counter(m, "outlast_redrive_items_total", "Dead letters that were to go back to their queues, by result: redriven, or missing (no letters any more). Those of an operation are counted at its end, by the node that did it.", "result")
	m.breakers = counter(m, "outlast_breaker_changes_total", "Changes of targets' breakers on this node, by the new state and the cause.", "state", "cause")
	m.enqueues = counter(m, "outlast_tasks_enqueued_total", "Tasks handed in, by kind: created, existing, or the code of the error (without a queue).", "queue", "kind")
	m.wakeups = counter(m, "outlast_wakeups_total", "Wake-ups that this node sent to others, by way (notify or call) and result (sent or failed).", "way", "result")
	m.ticks = counter(m, "outlast_schedule_ticks_total", "Ticks of schedules that this node looked after, by result: fired, missed, skipped or failed (tried again).", "result")
	m.rows = histogram(m, "outlast_store_commit_rows", "Rows of one transaction, by kind: claim, enqueue, settle or step.", prometheus.ExponentialBuckets(1, 2, 11), "kind")
	m.commitTime = histogram(m, "outlast_store_commit_seconds", "Time of one transaction, by kind: claim, enqueue, settle or step.", prometheus.ExponentialBuckets(0.0001, 2.5, 14), "kind")
	m.alerts = counter(m, "outlast_alert_deliveries_total", "Messages to channels of alerts, by result: sent, failed, silenced, or digested with others because the channel may take no more.", "channel", "result")
	m.unreadable = counter(m, "outlast_undecryptable_total", "Tasks that were due and could not be opened here for want of their encryption key; each counts again at every look.").WithLabelValues()
	m.exhausted = counter(m, "outlast_exhausted_total", "Requests of tasks, and messages of alerts, that this node lacked the means to make, by the system's code, such as EMFILE: too many open files. Their tasks were handed back.", "code")
	m.zeroes()
	m.collectors = append(m.collectors, m.gauges)
	m.types.Store(&map[place]*typeMetrics{})
	return m
}

// zeroes makes the series whose labels are known beforehand, so that a rule can tell
// "has not happened" from "is not measured".
func (m *metrics) zeroes() {
	for vec, values := range map[*prometheus.CounterVec][]string{
		m.recovered: {"node dead", "node left", "node unknown", "lease expired"},
		m.stale:     {string(store.StatusStale), string(store.StatusNotFound)},
		m.unknown:   {"claim", "enqueue", "settle"},
		m.redriven:  {"redriven", "missing"},
		m.ticks:     {string(inspect.TicksFired), string(inspect.TicksMissed), string(inspect.TicksSkipped), string(inspect.TicksFailed)},
	} {
		for _, value := range values {
			vec.WithLabelValues(value)
		}
	}
}

func histogram(m *metrics, name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	made := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	m.collectors = append(m.collectors, made)
	return made
}

func counter(m *metrics, name, help string, labels ...string) *prometheus.CounterVec {
	made := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.collectors = append(m.collectors, made)
	return made
}

func (m *metrics) register(c *outlast.Client) error {
	if !m.taken.CompareAndSwap(false, true) {
		return &outlast.Error{
			Code: task.CodeConflict, Message: "the metrics are those of another client, which has not stopped",
			Hint: "call prom.Register once for each client, with a registerer of its own",
		}
	}
	for i, collector := range m.collectors {
		if err := m.registerer.Register(collector); err != nil {
			for _, done := range m.collectors[:i] {
				m.registerer.Unregister(done)
			}
			m.taken.Store(false)
			return &outlast.Error{
				Code: task.CodeConflict, Err: err, Message: "the metrics cannot be registered: " + err.Error(),
				Hint: "give every client a registerer of its own, such as prometheus.WrapRegistererWith a label",
			}
		}
	}
	m.gauges.client.Store(c)
	return nil
}

func (m *metrics) unregister() {
	for _, collector := range m.collectors {
		m.registerer.Unregister(collector)
	}
	m.taken.Store(false)
}

// of returns the metrics of a type in a queue; without a lock after the first time.
func (m *metrics) of(queue, taskType string) *typeMetrics {
	at := place{queue, taskType}
	if known := (*m.types.Load())[at]; known != nil {
		return known
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	types := *m.types.Load()
	if len(types) >= mostTypeLabels {
		at = place{otherTypes, otherTypes}
	}
	if known := types[at]; known != nil {
		return known
	}
	made := &typeMetrics{
		place: at, created: m.enqueues.WithLabelValues(at.queue, "created"),
		succeeded: m.outcomes.WithLabelValues(at.queue, at.taskType, string(task.OutcomeSucceeded), ""),
	}
	types = maps.Clone(types)
	types[at] = made
	m.types.Store(&types)
	return made
}

// attemptIndex is the index of an attempt's label.
func attemptIndex(attempt int) int { return min(max(attempt, 1), mostAttemptLabels) - 1 }

// observer is what a client tells the metrics.
func (m *metrics) observer() outlast.Observer {
	return outlast.Observer{
		Started: m.register, Stopped: m.unregister,
		AttemptStarted: func(_ context.Context, t *task.Task, late time.Duration) {
			of, i := m.of(t.Queue, t.Type), attemptIndex(t.Attempt)
			of.wait[i].observe(m.wait, of.taskType, i, late)
		},
		Settled:   m.settled,
		Recovered: func(r store.Recovered) { m.recovered.WithLabelValues(r.Cause).Inc() },
		Stale:     func(_ context.Context, _ task.ID, status store.Status) { m.stale.WithLabelValues(string(status)).Inc() },
		Doubted:   func(kind string) { m.unknown.WithLabelValues(kind).Inc() },
		Claimed:   func(rows int, took time.Duration) { m.committed("claim", rows, took) },
		Committed: m.committed,
		Told: func(way string, _ int, _ time.Duration, err error) {
			result := "sent"
			if err != nil {
				result = "failed"
			}
			m.wakeups.WithLabelValues(way, result).Inc()
		},
		BreakerChanged: func(_ string, change retry.BreakerChange) {
			m.breakers.WithLabelValues(change.To.String(), change.Cause).Inc()
		},
		Enqueued: m.enqueued, Refused: m.refused, Redriven: m.redrive, AlertTold: m.told,
		Ticked:        func(e inspect.ScheduleEvent) { m.ticks.WithLabelValues(string(e.Kind)).Add(float64(e.Count)) },
		Undecryptable: func(*task.Task) { m.unreadable.Inc() },
		Exhausted:     func(code string) { m.exhausted.WithLabelValues(code).Inc() },
	}
}

func (m *metrics) settled(_ context.Context, o outlast.Outcome) {
	s := o.Settlement
	of := m.of(s.Task.Queue, s.Task.Type)
	if !s.Unstarted {
		i := attemptIndex(s.Task.Attempt)
		of.run[i].observe(m.run, of.taskType, i, s.EndedAt.Sub(s.StartedAt))
	}
	if s.Outcome == task.OutcomeSucceeded {
		of.succeeded.Inc()
		return
	}
	category := ""
	if s.Failure != nil {
		category = categoryLabel(s.Failure.Category)
	}
	m.outcomes.WithLabelValues(of.queue, of.taskType, string(s.Outcome), category).Inc()
	if o.State == task.Dead {
		m.deaths.WithLabelValues(of.queue, of.taskType, string(s.DeadReason)).Inc()
	}
}

func categoryLabel(category string) string {
	if retry.Category(category).Valid() {
		return category
	}
	return string(retry.Unknown)
}

func (m *metrics) committed(kind string, rows int, took time.Duration) {
	m.rows.WithLabelValues(kind).Observe(float64(rows))
	m.commitTime.WithLabelValues(kind).Observe(took.Seconds())
}

// enqueued counts a task that was accepted, or was there already.
func (m *metrics) enqueued(_ context.Context, t *task.Task, existing bool) {
	if existing {
		m.enqueues.WithLabelValues(m.of(t.Queue, t.Type).queue, "existing").Inc()
		return
	}
	m.of(t.Queue, t.Type).created.Inc()
}

// refused counts a task that was not accepted.
func (m *metrics) refused(_ context.Context, err error) {
	result := "unknown"
	if e, ok := errors.AsType[*outlast.Error](err); ok {
		result = strings.ToValidUTF8(string(e.Code), "?") // a store's error may be anyone's
	}
	m.enqueues.WithLabelValues("", result).Inc()
}

// told counts a message to a channel of alerts.
func (m *metrics) told(channel, result string) {
	m.mu.Lock()
	if !m.channels[channel] && len(m.channels) >= mostChannelLabels {
		channel = otherTypes
	} else {
		m.channels[channel] = true
	}
	m.mu.Unlock()
	m.alerts.WithLabelValues(channel, result).Inc()
}

// redrive counts letters that went back to their queues, and ids that are no letters.
func (m *metrics) redrive(redriven, missing int) {
	m.redriven.WithLabelValues("redriven").Add(float64(redriven))
	m.redriven.WithLabelValues("missing").Add(float64(missing))
}
