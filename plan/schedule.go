package plan

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// schedule is where the delays of a policy, or of one of its rules, come from.
type schedule struct {
	backoff retry.Backoff
	jitter  retry.Jitter
	max     time.Duration
	first   time.Duration
	form    *retry.BackoffSpec // how backoff and jitter are written, as far as they can be
}

func scheduleOf(p *retry.Policy) *schedule {
	spec, _ := p.Spec()
	s := &schedule{backoff: p.Backoff(), jitter: p.Jitter(), max: p.Cap(), form: spec.Backoff}
	s.first = s.nominal(1, 0)
	return s
}

// nominal is the capped delay before retry n.
func (s *schedule) nominal(n int, previous time.Duration) time.Duration {
	d := max(0, s.backoff.Nominal(n, retry.Attempt{Number: n, PreviousDelay: previous}))
	if s.max > 0 {
		d = min(d, s.max)
	}
	return d
}

// Delay is the wait before one retry.
type Delay struct {
	// Retry counts from 1; it follows the failure of attempt Retry.
	Retry int
	// Nominal is the wait before jitter, under the cap.
	Nominal time.Duration
	// Min is the shortest wait; no wait reaches Max unless the two are equal; Mean
	// is their mean under the jitter. Where a wait depends on the one before, as
	// in decorrelated jitter, they take all that can have happened into account.
	Min, Max, Mean time.Duration
	// At is the sum of the nominal waits up to here: the beginning of the attempt
	// if attempts took no time.
	At time.Duration
}

// Totals are sums of waits. They stop at the largest duration, 292 years.
type Totals struct{ Nominal, Min, Max, Mean time.Duration }

// delays lists the first rows of n retries and returns the totals of all.
func (s *schedule) delays(n, rows int) ([]Delay, Totals) {
	list := make([]Delay, 0, min(n, rows))
	var sum Totals
	var d Delay
	means := s.means()
	for i := 1; i <= n; i++ {
		w := retry.Window{First: s.first, Max: s.max, Nominal: s.nominal(i, d.Nominal)}
		d.Retry, d.Nominal = i, w.Nominal
		w.Previous = d.Min
		d.Min, _ = s.jitter.Bounds(w)
		w.Previous = d.Max
		_, d.Max = s.jitter.Bounds(w)
		d.Min, d.Max = max(d.Min, 0), max(d.Max, 0)
		d.Mean = d.Min + (d.Max-d.Min)/2
		if means != nil {
			d.Mean = means.next()
		}
		sum = Totals{add(sum.Nominal, d.Nominal), add(sum.Min, d.Min), add(sum.Max, d.Max), add(sum.Mean, d.Mean)}
		d.At = sum.Nominal
		if i <= rows {
			list = append(list, d)
		}
	}
	return list, sum
}

// longest sums the waits of n retries at the jitter's maximum, as long as more
// agrees with the sum so far.
func (s *schedule) longest(n int, more func(retry int, sum time.Duration) bool) time.Duration {
	var sum, nominal, previous time.Duration
	for i := 1; i <= n; i++ {
		nominal = s.nominal(i, nominal)
		_, high := s.jitter.Bounds(retry.Window{First: s.first, Max: s.max, Nominal: nominal, Previous: previous})
		previous = max(high, 0)
		if sum = add(sum, previous); !more(i, sum) {
			break
		}
	}
	return sum
}

// inTime is how many of n retries end within a limit with the longest waits.
func (s *schedule) inTime(n int, attempt, limit time.Duration) int {
	fit := 0
	s.longest(n, func(retry int, sum time.Duration) bool {
		if add(sum, times(attempt, retry+1)) > limit {
			return false
		}
		fit = retry
		return true
	})
	return fit
}

// means are those of a jitter that depends on the delay before, else nil.
func (s *schedule) means() *chain {
	if s.form.Jitter == nil || s.form.Jitter.Kind != "decorrelated" {
		return nil
	}
	return newChain(s.first, s.max)
}
