package outlast

import (
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The labels are bounded: attempts from the tenth on count as "10+", and
// types beyond the first thousand as "other"; categories that are none of
// ours count as "unknown", since handlers can say anything.
const (
	mostAttemptLabels = 10
	mostTypeLabels    = 1000
	otherTypes        = "other"
)

// metrics are the Prometheus metrics of one node. A nil one does nothing.
type metrics struct {
	registerer prometheus.Registerer
	collectors []prometheus.Collector

	duration   *prometheus.HistogramVec // type, attempt
	late       *prometheus.HistogramVec // type, attempt
	outcomes   *prometheus.CounterVec   // type, outcome, category
	recovered  *prometheus.CounterVec   // cause
	breakers   *prometheus.CounterVec   // state, cause
	enqueues   *prometheus.CounterVec   // result
	wakeups    *prometheus.CounterVec   // way, result
	ticks      *prometheus.CounterVec   // result
	rows       *prometheus.HistogramVec // kind
	commitTime *prometheus.HistogramVec // kind
	alerts     *prometheus.CounterVec   // channel, result
	unreadable prometheus.Counter

	created prometheus.Counter // enqueues with result "created"
	mu      sync.Mutex
	types   atomic.Pointer[map[string]*typeMetrics] // copied at every change
}

// typeMetrics are the metrics of a type, looked up once; those of an attempt
// number when there is such an attempt.
type typeMetrics struct {
	label          string
	duration, late [mostAttemptLabels]lazyHistogram
	succeeded      prometheus.Counter
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

func newMetrics(c *Client) *metrics {
	m := &metrics{registerer: c.registerer}
	times := prometheus.ExponentialBuckets(0.001, 2.5, 14) // 1 ms to about 150 s
	m.duration = histogram(m, "outlast_attempt_duration_seconds", "Time that attempts took.", times, "type", "attempt")
	m.late = histogram(m, "outlast_start_delay_seconds", "Time from the moment a task was due to the start of its attempt.", times, "type", "attempt")
	m.outcomes = counter(m, "outlast_attempts_total", "Attempts that ended, by outcome and, of failures, category.", "type", "outcome", "category")
	m.recovered = counter(m, "outlast_recovered_total", "Running tasks taken from nodes that ended.", "cause")
	m.breakers = counter(m, "outlast_breaker_changes_total", "Changes of targets' breakers on this node, by the new state and the cause.", "state", "cause")
	m.enqueues = counter(m, "outlast_enqueues_total", "Tasks handed in, by result: created, existing or the code of the error.", "result")
	m.wakeups = counter(m, "outlast_wakeups_total", "Wake-ups that this node sent to others, by way (notify or call) and result (sent or failed).", "way", "result")
	m.ticks = counter(m, "outlast_schedule_ticks_total", "Ticks of schedules that this node looked after, by result: fired, missed, skipped or failed (tried again).", "result")
	m.rows = histogram(m, "outlast_commit_rows", "Rows of one claim, enqueue or settle transaction.", prometheus.ExponentialBuckets(1, 2, 11), "kind")
	m.commitTime = histogram(m, "outlast_commit_duration_seconds", "Time of one claim, enqueue or settle transaction.", prometheus.ExponentialBuckets(0.0001, 2.5, 14), "kind")
	m.alerts = counter(m, "outlast_alert_deliveries_total", "Messages to channels, by result: sent, failed, or digested with others because the channel may take no more.", "channel", "result")
	m.unreadable = counter(m, "outlast_undecryptable_total", "Tasks that were due and could not be opened here for want of their encryption key; each counts again at every look.").WithLabelValues()
	m.created = m.enqueues.WithLabelValues("created")
	m.collectors = append(m.collectors, newGauges(c))
	m.types.Store(&map[string]*typeMetrics{})
	return m
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

func (m *metrics) register() error {
	for i, collector := range m.collectors {
		if err := m.registerer.Register(collector); err != nil {
			for _, done := range m.collectors[:i] {
				m.registerer.Unregister(done)
			}
			return &Error{
				Code: task.CodeConflict, Err: err, Message: "the metrics cannot be registered: " + err.Error(),
				Hint: "give every client a registerer of its own, such as prometheus.WrapRegistererWith a label",
			}
		}
	}
	return nil
}

func (m *metrics) unregister() {
	for _, collector := range m.collectors {
		m.registerer.Unregister(collector)
	}
}

// of returns the metrics of a type; without a lock after the first time.
func (m *metrics) of(taskType string) *typeMetrics {
	if known := (*m.types.Load())[taskType]; known != nil {
		return known
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	types := *m.types.Load()
	label := taskType
	if len(types) >= mostTypeLabels {
		label = otherTypes
	}
	if known := types[label]; known != nil {
		return known
	}
	made := &typeMetrics{label: label, succeeded: m.outcomes.WithLabelValues(label, string(task.OutcomeSucceeded), "")}
	types = maps.Clone(types)
	types[label] = made
	m.types.Store(&types)
	return made
}

// attemptIndex is the index of an attempt's label.
func attemptIndex(attempt int) int { return min(max(attempt, 1), mostAttemptLabels) - 1 }

// observer is what the engine tells the metrics.
func (m *metrics) observer() engine.Observer {
	return engine.Observer{
		AttemptStarted: func(t *task.Task, late time.Duration) {
			if t.Queue == alert.Queue {
				return
			}
			of, i := m.of(t.Type), attemptIndex(t.Attempt)
			of.late[i].observe(m.late, of.label, i, late)
		},
		Settled:   m.settled,
		Recovered: func(r store.Recovered) { m.recovered.WithLabelValues(r.Cause).Inc() },
		Claimed: func(rows int, took time.Duration) {
			m.committed("claim", rows, took)
		},
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
	}
}

func (m *metrics) settled(o engine.Outcome) {
	s := o.Settlement
	if s.Task.Queue == alert.Queue { // outlast_alert_deliveries_total tells of them
		return
	}
	of := m.of(s.Task.Type)
	if !s.Unstarted {
		i := attemptIndex(s.Task.Attempt)
		of.duration[i].observe(m.duration, of.label, i, s.EndedAt.Sub(s.StartedAt))
	}
	if s.Outcome == task.OutcomeSucceeded {
		of.succeeded.Inc()
		return
	}
	category := ""
	if s.Failure != nil {
		category = categoryLabel(s.Failure.Category)
	}
	m.outcomes.WithLabelValues(of.label, string(s.Outcome), category).Inc()
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

// enqueued counts a task that was accepted.
func (m *metrics) enqueued(result string) {
	switch {
	case m == nil:
	case result == "created":
		m.created.Inc()
	default:
		m.enqueues.WithLabelValues(result).Inc()
	}
}

// refused counts a task that was not accepted, and returns the reason.
func (m *metrics) refused(err error) error {
	if m == nil {
		return err
	}
	result := "unknown"
	if e, ok := errors.AsType[*Error](err); ok {
		result = strings.ToValidUTF8(string(e.Code), "?") // a store's error may be anyone's
	}
	m.enqueues.WithLabelValues(result).Inc()
	return err
}

// ticked counts ticks of schedules.
func (m *metrics) ticked(e schedule.Event) {
	if m != nil {
		m.ticks.WithLabelValues(string(e.Kind)).Add(float64(e.Count))
	}
}
