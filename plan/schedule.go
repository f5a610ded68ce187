package plan

import (
	"math"
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
		before := d
		d = s.delay(i, before, means)
		repeats := 1
		if i > rows && s.steady(i, d.Nominal) && d.Min == before.Min && d.Max == before.Max && d.Mean == before.Mean {
			repeats = n - i + 1 // all others are like this one
		}
		sum = Totals{
			add(sum.Nominal, times(d.Nominal, repeats)), add(sum.Min, times(d.Min, repeats)),
			add(sum.Max, times(d.Max, repeats)), add(sum.Mean, times(d.Mean, repeats)),
		}
		if d.At = sum.Nominal; i <= rows {
			list = append(list, d)
		}
		i += repeats - 1
	}
	return list, sum
}

// delay is retry n, after the one before it.
func (s *schedule) delay(n int, before Delay, means *chain) Delay {
	w := retry.Window{First: s.first, Max: s.max, Nominal: s.nominal(n, before.Nominal)}
	d := Delay{Retry: n, Nominal: w.Nominal}
	w.Previous = before.Min
	d.Min, _ = s.jitter.Bounds(w)
	w.Previous = before.Max
	_, d.Max = s.jitter.Bounds(w)
	d.Min, d.Max = max(d.Min, 0), max(d.Max, 0)
	if means != nil {
		d.Mean = means.next()
	} else {
		d.Mean = d.Min + (d.Max-d.Min)/2
	}
	return d
}

// steady reports whether the nominal wait stays what it is at retry n: it has
// reached the cap or the largest duration, or does not grow.
func (s *schedule) steady(n int, nominal time.Duration) bool {
	switch s.form.Kind {
	case "": // code
		return false
	case "fixed":
		return true
	case "steps":
		return n >= len(s.form.Steps)
	}
	return nominal == s.max || nominal == math.MaxInt64
}

// longest is how many of n retries certainly end within a limit, and the longest
// time that these take with all their attempts. Fit is −1 when the first attempt
// alone takes longer.
func (s *schedule) longest(n int, attempt, limit time.Duration) (fit int, elapsed time.Duration) {
	if attempt > limit {
		return -1, 0
	}
	elapsed = attempt
	var nominal, before time.Duration
	for i := 1; i <= n; i++ {
		nominal = s.nominal(i, nominal)
		_, high := s.jitter.Bounds(retry.Window{First: s.first, Max: s.max, Nominal: nominal, Previous: before})
		high = max(high, 0)
		each, repeats := add(high, attempt), 1
		if s.steady(i, nominal) && high == before {
			repeats = n - i + 1 // all others are like this one
		}
		if each > 0 {
			repeats = int(min(time.Duration(repeats), (limit-elapsed)/each))
		}
		if repeats == 0 {
			break
		}
		elapsed, before = add(elapsed, times(each, repeats)), high
		i += repeats - 1
		fit = i
	}
	return fit, elapsed
}

// means are those of a jitter that depends on the delay before, else nil.
func (s *schedule) means() *chain {
	if s.form.Jitter == nil || s.form.Jitter.Kind != "decorrelated" {
		return nil
	}
	return newChain(s.first, s.max)
}
