package retry

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// breakerModel is a breaker in the plainest form: everything is kept, time is
// looked at before each step, nothing is fast.
type breakerModel struct {
	BreakerConfig
	state         BreakerState
	forced        bool
	period        int // outcomes of permits of another period do not count
	calls         []modelOutcome
	until, closed time.Time
	opened        time.Time     // the beginning of the outage
	ramp          time.Duration // of the present ramp
	trips         int
	probes        map[int]time.Time // number → expiry
	next, passed  int
	credit        float64
}

// modelOutcome is a call that counts.
type modelOutcome struct{ failed, slow bool }

// modelPermit is a permit of the breaker and of the model.
type modelPermit struct {
	permit        Permit
	period, probe int
}

func (m *breakerModel) enter(s BreakerState) {
	m.state, m.calls, m.probes, m.passed = s, nil, map[int]time.Time{}, 0
	m.period++
}

func (m *breakerModel) open(now time.Time) {
	if m.trips++; m.trips == 1 {
		m.opened = now
	}
	open := float64(m.OpenFor) * math.Pow(1.5, float64(m.trips-1))
	m.until = now.Add(min(time.Duration(open), m.OpenMax))
	m.enter(Open)
}

// pass lets time pass.
func (m *breakerModel) pass(now time.Time) {
	if m.state == HalfOpen && len(m.probes) > 0 {
		first := now.Add(time.Hour)
		for _, expires := range m.probes {
			if expires.Before(first) {
				first = expires
			}
		}
		if !first.After(now) {
			m.open(first)
		}
	}
	if m.state == Ramping && now.Sub(m.closed) >= m.ramp {
		m.state, m.trips = Closed, 0
	}
}

func (m *breakerModel) acquire(now time.Time) (p modelPermit, ok bool) {
	m.pass(now)
	if m.state == Open && !m.forced && !now.Before(m.until) {
		m.enter(HalfOpen)
	}
	switch m.state {
	case Open:
		return p, false
	case HalfOpen:
		if len(m.probes)+m.passed >= m.Probes {
			return p, false
		}
		m.next++
		m.probes[m.next] = now.Add(m.ProbeTimeout)
		p.probe = m.next
	case Ramping:
		m.credit += 0.1 + 0.9*float64(now.Sub(m.closed))/float64(m.ramp)
		if m.credit < 1-1e-6 {
			return p, false
		}
		m.credit--
	}
	p.period = m.period
	return p, true
}

// end is the outcome of a call; nil is one that does not count.
func (m *breakerModel) end(now time.Time, p modelPermit, o *modelOutcome) {
	m.pass(now)
	if p.period != m.period {
		return
	}
	if p.probe > 0 {
		if _, ok := m.probes[p.probe]; !ok {
			return
		}
		delete(m.probes, p.probe)
		switch {
		case o == nil:
		case o.failed || o.slow:
			m.open(now)
		default:
			if m.passed++; m.passed == m.Probes {
				m.close(now, min(m.Ramp, now.Sub(m.opened)/2))
			}
		}
		return
	}
	if o == nil {
		return
	}
	if m.calls = append(m.calls, *o); m.forced || !o.failed && !o.slow {
		return
	}
	last := m.calls[max(0, len(m.calls)-m.Count):]
	failed, slow, row := 0, 0, 0
	for _, c := range m.calls {
		if row++; !c.failed {
			row = 0
		}
	}
	for _, c := range last {
		if c.failed {
			failed++
		}
		if c.slow {
			slow++
		}
	}
	n := float64(len(last))
	rates := len(last) >= m.MinCalls && (float64(failed) >= m.FailureRate*n || m.SlowCall > 0 && float64(slow) >= m.SlowRate*n)
	if rates || m.Consecutive > 0 && row >= m.Consecutive {
		m.open(now)
	}
}

func (m *breakerModel) close(now time.Time, ramp time.Duration) {
	m.enter(Ramping)
	m.closed, m.ramp, m.credit = now, ramp, 1
	if ramp <= 0 {
		m.state, m.trips = Closed, 0
	}
}

func (m *breakerModel) force(to BreakerState) {
	m.forced, m.trips = true, 0
	m.enter(to)
}

func (m *breakerModel) unforce(now time.Time) {
	if m.forced {
		m.forced, m.trips = false, 0
		m.close(now, m.Ramp)
	}
}

// modelConfig draws settings.
func modelConfig(t *rapid.T) BreakerConfig {
	return BreakerConfig{
		FailureRate:  rapid.SampledFrom([]float64{0.2, 0.5, 1}).Draw(t, "failure rate"),
		SlowCall:     rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "slow call"),
		Consecutive:  rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "consecutive"),
		MinCalls:     rapid.IntRange(1, 5).Draw(t, "min calls"),
		Count:        rapid.IntRange(5, 8).Draw(t, "count"),
		Probes:       rapid.IntRange(1, 3).Draw(t, "probes"),
		ProbeTimeout: 4 * time.Second,
		Ramp:         rapid.SampledFrom([]time.Duration{-1, 10 * time.Second}).Draw(t, "ramp"),
		Rand:         half{},
	}.withDefaults()
}

// TestBreakerModel compares the breaker with the model, call by call. On the way
// it checks what must hold whatever happens, and at the end that the breaker
// closes when the target is healthy and nobody forces it.
func TestBreakerModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := modelConfig(t)
		m := &breakerModel{BreakerConfig: config}
		told := Closed
		config.OnChange = func(c BreakerChange) {
			if c.From != told {
				t.Fatalf("%v told after %v", c, told)
			}
			told = c.To
		}
		b, now := must(NewBreaker(config)), day
		var held []modelPermit
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, 0, 0, time.Second, 3 * time.Second, 6 * time.Second, 50 * time.Second}).Draw(t, "pause"))
			switch what := rapid.IntRange(0, 20).Draw(t, "what"); {
			case what < 9:
				held = modelAcquire(t, b, m, now, held)
			case what < 18 && len(held) > 0:
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				modelEnd(t, b, m, now, held[i])
				if rapid.IntRange(0, 4).Draw(t, "again") > 0 || held[i].probe == 0 {
					held = slices.Delete(held, i, i+1)
				}
			case what == 18:
				to := rapid.SampledFrom([]BreakerState{Open, Closed}).Draw(t, "force")
				b.Force(now, to)
				m.pass(now)
				m.force(to)
			case what > 18:
				b.Unforce(now)
				m.pass(now)
				m.unforce(now)
			}
			m.pass(now)
			modelCompare(t, b.View(now), m)
		}
		closes(t, b, now)
	})
}

func modelAcquire(t *rapid.T, b *Breaker, m *breakerModel, now time.Time, held []modelPermit) []modelPermit {
	m.pass(now)
	ramping, ready := m.state == Ramping, false
	if !ramping { // during the ramp asking counts
		ready, _ = b.Ready(now)
	}
	permit, err := b.Acquire(now)
	want, ok := m.acquire(now)
	if ok != (err == nil) || !ramping && ready != ok {
		t.Fatalf("%v: granted %v, ready %v, the model says %v", m.state, err == nil, ready, ok)
	}
	if !ok {
		return held
	}
	want.permit = permit
	return append(held, want)
}

func modelEnd(t *rapid.T, b *Breaker, m *breakerModel, now time.Time, p modelPermit) {
	took := rapid.SampledFrom([]time.Duration{0, 0, 2 * time.Second}).Draw(t, "took")
	o := &modelOutcome{slow: m.SlowCall > 0 && took >= m.SlowCall}
	switch c := rapid.SampledFrom([]Category{"", "", Unavailable, Timeout, Permanent, Canceled}).Draw(t, "category"); c {
	case "":
		p.permit.Success(now, took)
	case Canceled:
		p.permit.Cancel(now)
		o = nil
	default:
		p.permit.Failure(now, took, c)
		if o.failed = true; c == Permanent {
			o = nil
		}
	}
	m.end(now, p, o)
}

func modelCompare(t *rapid.T, got BreakerView, m *breakerModel) {
	if got.State != m.state || got.Forced != m.forced || got.Probing != len(m.probes) || got.Probing > m.Probes {
		t.Fatalf("%+v, the model is %v, forced %v, with %d probes", got, m.state, m.forced, len(m.probes))
	}
	if open := m.state == Open && !m.forced; open && !got.Until.Equal(m.until) || !open && !got.Until.IsZero() {
		t.Fatalf("%+v, the model is open until %v", got, m.until)
	}
	last := m.calls[max(0, len(m.calls)-m.Count):]
	if m.state == Closed && got.Calls != int64(len(last)) {
		t.Fatalf("%d calls, the model has %d", got.Calls, len(last))
	}
	if (got.Admitted == 1) != (m.state == Closed) && m.state != Ramping || got.Admitted < 0 || got.Admitted > 1 {
		t.Fatalf("%v admits %v", m.state, got.Admitted)
	}
}

// closes checks that a breaker whose target is well closes.
func closes(t *rapid.T, b *Breaker, now time.Time) {
	b.Unforce(now)
	for range 1000 {
		if b.View(now).State == Closed {
			return
		}
		if permit, err := b.Acquire(now); err == nil {
			permit.Success(now, 0)
			continue
		}
		_, at := b.Ready(now)
		if now = now.Add(100 * time.Millisecond); at.After(now) {
			now = at
		}
	}
	t.Fatalf("it never closes: %+v", b.View(now))
}
