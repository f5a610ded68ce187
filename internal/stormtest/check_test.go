package stormtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

const (
	// window is the time over which retries are bounded.
	window = 10 * time.Second
	// full is the share of the goodput before the outage that counts as all of it.
	full = 0.9
	// recoverWithin is the promise.
	recoverWithin = 15 * time.Second
	// settle is the time over which goodput is looked at.
	settle = 2 * time.Second
)

// allowance is what a budget lets through in one window. A retry arrives after the
// wait that was paid for, so what paid for it may lie that much before the window.
type allowance struct {
	retry.BudgetConfig
	wait time.Duration // the longest
}

// in is Ratio · first attempts + Floor · seconds + Burst for the window at from.
func (a allowance) in(h history, from time.Duration) float64 {
	first := h.between(from-a.wait, from+window).First
	return a.Ratio*float64(first) + a.Floor*(window+a.wait).Seconds() + a.Burst
}

// worst is the window in which retries came nearest to what is allowed, or above
// it.
func (a allowance) worst(h history) (at time.Duration, retries int, allowed float64) {
	worst := -1.0
	for from := time.Duration(0); from < h.length(); from += step {
		most := a.in(h, from)
		n := h.between(from, from+window).Retry
		if share := float64(n) / most; share > worst {
			worst, at, retries, allowed = share, from, n, most
		}
	}
	return at, retries, allowed
}

// usualGoodput is the rate of answers before the outage, without the beginning.
func (r *result) usualGoodput() float64 {
	from := min(time.Second, r.failed/2)
	return perSecond(r.arrived.between(from, r.failed).Served, r.failed-from)
}

// fullGoodput is how long after the recovery the receiver served as much as
// before; false if it did not.
func (r *result) fullGoodput() (time.Duration, bool) {
	usual := r.usualGoodput()
	for to := r.recovered + settle; to <= r.arrived.length(); to += step {
		if perSecond(r.arrived.between(to-settle, to).Served, settle) >= full*usual {
			return max(0, to-settle/2-r.recovered), true
		}
	}
	return 0, false
}

// rates are attempts per second before and during the outage.
func (r *result) rates(h history) (before, during float64) {
	from := min(time.Second, r.failed/2)
	b := h.between(from, r.failed)
	d := h.between(r.failed, r.recovered)
	return perSecond(b.First+b.Retry, r.failed-from), perSecond(d.First+d.Retry, r.recovered-r.failed)
}

// checkBudget demands the bound in every window of what arrived until then.
func (r *result) checkBudget(t *testing.T, a allowance, until time.Duration) {
	t.Helper()
	at, retries, allowed := a.worst(r.arrived.until(until))
	t.Logf("retries that arrived: at most %d of %.0f allowed, in the window from %v", retries, allowed, at)
	if float64(retries) > allowed {
		t.Errorf("in the window from %v there were %d retries, %.0f are allowed\n%s", at, retries, allowed, r)
	}
	if r.arrived.between(0, r.arrived.length()).Retry == 0 && r.outage != closed {
		t.Error("nothing was retried, so nothing was shown")
	}
}

// checkLoad demands that the receiver gets no more in the outage than before,
// refused connections included.
func (r *result) checkLoad(t *testing.T) {
	t.Helper()
	before, during := r.rates(r.sent)
	t.Logf("attempts: %.0f/s before the outage, %.0f/s in it", before, during)
	if during > before {
		t.Errorf("%.0f attempts/s in the outage, %.0f/s before\n%s", during, before, r)
	}
}

// checkRecovery demands full goodput in time.
func (r *result) checkRecovery(t *testing.T) {
	t.Helper()
	after, ok := r.fullGoodput()
	t.Logf("goodput: %.0f/s before the outage, full again after %v", r.usualGoodput(), after)
	if !ok || after > recoverWithin {
		t.Errorf("full goodput after %v (%v), %v is promised\n%s", after, ok, recoverWithin, r)
	}
}

// checkGoroutines demands that the outage costs none: what is allowed above the
// most before the outage is what a full attempt time of requests holds.
func (r *result) checkGoroutines(t *testing.T, extra int) {
	t.Helper()
	outage := min(len(r.goroutines), int(r.failed/step))
	before := slices.Max(r.goroutines[:max(1, outage-1)])
	most := slices.Max(r.goroutines)
	t.Logf("goroutines: at most %d before the outage, %d in all, %d afterwards", before, most, r.afterwards)
	if most > before+before/10+extra {
		t.Errorf("%d goroutines, before the outage at most %d", most, before)
	}
}

// String is the run by seconds, for failures.
func (r *result) String() string {
	text := fmt.Sprintf("fails at %v, works at %v\nsecond  first  retry served wasted\n", r.failed, r.recovered)
	for at := time.Duration(0); at < r.arrived.length(); at += time.Second {
		b := r.arrived.between(at, at+time.Second)
		text += fmt.Sprintf("%6.0f %6d %6d %6d %6d\n", at.Seconds(), b.First, b.Retry, b.Served, b.Wasted)
	}
	return text
}
