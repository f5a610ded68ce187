// Package retryprom counts attempts, waits and ends of a [retry.Policy], and the
// requests that a server of package retryhttp gets, for Prometheus.
//
//	metrics := retryprom.New(retryprom.Config{})
//	registry.MustRegister(metrics)
//	policy, err := retry.New(retry.Observe(metrics.Observer()), …)
//	handler := retryhttp.Handler(next, retryhttp.OnRequest(metrics.Request))
//
// The metrics, with the prefix outlast_retry_:
//
//	attempts_total{target,number,result}            result: success or the category of the failure
//	attempt_duration_seconds{target,number}
//	hedges_total{target}                            attempts beside a slow one
//	wait_duration_seconds{target,number}            number: of the attempt that failed
//	operations_total{target,result}                 result: success or why it ended
//	received_requests_total{number,refused}         refused: empty or why
//
// The label number is 1, 2, 3, 4, 5, 6-10 or 11+, so retries are the attempts
// with a number other than 1. Target is the name of the [retry.Target], empty
// without one; the first hundred names are kept apart (see [Config]), and
// all later ones are "other".
//
// Stability: stable. Names and their meaning stay within a major version.
package retryprom

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/label"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// Config are the settings of a [Collector]. Zero fields take the defaults.
type Config struct {
	// Targets is how many targets have series of their own. Default 100; the whole
	// has at most about 250 series for each.
	Targets int
	// Buckets are the upper bounds of durations and waits in seconds. Default 5 ms
	// to 60 s.
	Buckets []float64
}

// Collector holds the metrics. It is a [prometheus.Collector] and safe for
// concurrent use.
type Collector struct {
	targets    *label.Targets
	attempts   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	hedges     *prometheus.CounterVec
	waits      *prometheus.HistogramVec
	operations *prometheus.CounterVec
	requests   *prometheus.CounterVec
}

// New makes a collector, which is to be registered once.
func New(c Config) *Collector {
	buckets := c.Buckets
	if len(buckets) == 0 {
		buckets = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "outlast_retry_" + name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "outlast_retry_" + name, Help: help, Buckets: buckets}, labels)
	}
	return &Collector{
		targets:    label.NewTargets(max(1, cmp.Or(c.Targets, 100))),
		attempts:   counter("attempts_total", "Attempts by their number and result; retries have a number other than 1.", "target", "number", "result"),
		durations:  histogram("attempt_duration_seconds", "Time of attempts.", "target", "number"),
		hedges:     counter("hedges_total", "Attempts that were started beside a slow one.", "target"),
		waits:      histogram("wait_duration_seconds", "Waits before retries, by the number of the attempt that failed.", "target", "number"),
		operations: counter("operations_total", "Operations by result: success, or why there was no other attempt.", "target", "result"),
		requests:   counter("received_requests_total", "Requests received, by the attempt number that their client announced.", "number", "refused"),
	}
}

// Observer is what a policy is given by [retry.Observe]. Several policies may
// share it.
func (c *Collector) Observer() retry.Observer {
	return retry.Observer{Attempt: c.attempt, Wait: c.wait, End: c.end}
}

func (c *Collector) attempt(e retry.AttemptEvent) {
	target, number := c.targets.Of(e.Target), label.Number(e.Number)
	c.attempts.WithLabelValues(target, number, label.Attempt(e)).Inc()
	c.durations.WithLabelValues(target, number).Observe(e.Took.Seconds())
	if e.Hedge {
		c.hedges.WithLabelValues(target).Inc()
	}
}

func (c *Collector) wait(e retry.WaitEvent) {
	c.waits.WithLabelValues(c.targets.Of(e.Target), label.Number(e.Number)).Observe(e.Delay.Seconds())
}

func (c *Collector) end(e retry.EndEvent) {
	c.operations.WithLabelValues(c.targets.Of(e.Target), label.End(e)).Inc()
}

// Request counts a request that a server has answered; see [retryhttp.OnRequest].
func (c *Collector) Request(e retryhttp.RequestEvent) {
	c.requests.WithLabelValues(label.Number(e.Attempt), e.Refused).Inc()
}

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, v := range c.all() {
		v.Describe(out)
	}
}

// Collect implements [prometheus.Collector].
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	for _, v := range c.all() {
		v.Collect(out)
	}
}

func (c *Collector) all() []prometheus.Collector {
	return []prometheus.Collector{c.attempts, c.durations, c.hedges, c.waits, c.operations, c.requests}
}
