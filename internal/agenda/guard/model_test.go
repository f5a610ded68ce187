package guard

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// TestGatesOpenAgain does whatever may happen to a target, in any order: no gate is shut
// that nothing would ever open, and its guards do not lose count.
func TestGatesOpenAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{rig: newRig(rapid.IntRange(1, 10).Draw(t, "share")), policies: somePolicies(t)}
		t.Repeat(map[string]func(*rapid.T){
			"start": m.start, "conclude": m.conclude, "give_back": m.giveBack, "pass": m.pass, "order": m.order, "adopt": m.adopt,
			"unhold": m.unhold, "taken": m.taken, "forget": m.forget, "": m.check,
		})
	})
}

type model struct {
	*rig
	policies []*retry.Policy
	running  []*Call
}

// somePolicies are the default one and others that want other guards, or none.
func somePolicies(t *rapid.T) []*retry.Policy {
	all := []*retry.Policy{retry.Default()}
	for _, options := range [][]retry.Option{
		{retry.TaskBreaker(&retry.BreakerConfig{Consecutive: 3, Ramp: -1}), retry.TaskBudget(&retry.BudgetConfig{Floor: 5})},
		{retry.TaskBreaker(&retry.BreakerConfig{MinCalls: 2, OpenFor: time.Second})},
		{retry.TaskBreaker(nil), retry.TaskBudget(nil)},
	} {
		p, err := retry.New(options...)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func (m *model) start(t *rapid.T) {
	if c := m.rig.start(rapid.Bool().Draw(t, "failed")); c != nil {
		m.running = append(m.running, c)
	}
}

// one takes a running task out of those that run, nil for none.
func (m *model) one(t *rapid.T) *Call {
	if len(m.running) == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(m.running)-1).Draw(t, "which")
	c := m.running[i]
	m.running = append(m.running[:i], m.running[i+1:]...)
	return c
}

func (m *model) conclude(t *rapid.T) {
	c := m.one(t)
	if c == nil {
		return
	}
	f := Feedback{
		At: m.at, Took: time.Millisecond, First: c.Gates.Kind() == First, Silent: rapid.IntRange(0, 9).Draw(t, "silent") == 0,
		Policy:     rapid.SampledFrom(m.policies).Draw(t, "policy"),
		Category:   rapid.SampledFrom([]retry.Category{"", "", retry.Unavailable, retry.Unavailable, retry.Permanent, retry.Throttled, retry.Timeout}).Draw(t, "category"),
		RetryAfter: time.Duration(rapid.Int64Range(0, 10).Draw(t, "hint")) * time.Second,
		HandedOn:   rapid.IntRange(0, 9).Draw(t, "handed_on") == 0,
	}
	if rapid.IntRange(0, 9).Draw(t, "nobody") == 0 {
		f.Hold = &Hold{After: time.Duration(rapid.Int64Range(0, 20).Draw(t, "hold")) * time.Second, Since: m.at, Why: store.Held{Failures: 1}}
	}
	m.target.Conclude(c, f)
	m.target.Ended()
}

func (m *model) giveBack(t *rapid.T) {
	if c := m.one(t); c != nil {
		m.target.GiveBack(c)
		m.target.Ended()
	}
}

func (m *model) pass(t *rapid.T) {
	m.rig.pass(time.Duration(rapid.Int64Range(1, 5000).Draw(t, "ms")) * time.Millisecond)
}

func (m *model) order(t *rapid.T) {
	action := rapid.SampledFrom([]store.TargetAction{store.TargetOpen, store.TargetClose, store.TargetClose, store.TargetReset}).Draw(t, "action")
	m.Follow(m.at, Fleet{Orders: []store.TargetOrder{{Target: "t", Action: action, At: m.at}}})
}

func (m *model) adopt(t *rapid.T) {
	since := m.at.Add(-time.Duration(rapid.Int64Range(0, 5).Draw(t, "ago")) * time.Second)
	m.Follow(m.at, Fleet{Workers: rapid.IntRange(0, 3).Draw(t, "workers"), Breakers: map[string]store.Breaker{"t": {
		State: rapid.SampledFrom([]string{"open", "closed", "half_open", "ramping"}).Draw(t, "state"), Since: since, Opened: since,
		Until: since.Add(5 * time.Second),
	}}})
}

func (m *model) unhold(*rapid.T) { m.Unhold("t", m.at) }
func (m *model) taken(*rapid.T)  { m.Taken("t", m.at) }
func (m *model) forget(*rapid.T) { m.ForgetTargets(m.at.UnixMicro()) }

func (m *model) check(t *rapid.T) {
	if m.target.running != len(m.running) {
		t.Fatalf("%d run, %d are counted", len(m.running), m.target.running)
	}
	if (m.wakes.Len() > 0) != (m.target.index >= 0) {
		t.Fatalf("%d targets with a time, this one in place %d", m.wakes.Len(), m.target.index)
	}
	if at := m.NextWake(); m.target.index >= 0 && at > m.target.wakes {
		t.Fatalf("asked again at %d, not at %d", at, m.target.wakes)
	}
	if m.target.guard == nil {
		return
	}
	places := 0
	for _, c := range m.running {
		if c.grant == nil {
			t.Fatal("a task runs that was granted nothing")
		}
		if c.grant.limit != nil && c.grant.limit == m.target.guard.concurrency.limit {
			places++
		}
	}
	taken := 0
	if limit := m.target.guard.concurrency.limit; limit != nil {
		_, taken = limit.Now()
	}
	if taken != places {
		t.Fatalf("%d places are taken, %d attempts hold one", taken, places)
	}
	b := &m.target.guard.breaker
	view := b.current.View(m.at)
	if view.State != b.state || view.Probing > 1 || view.State == retry.Ramping && m.target.guard.recovery.ramp.gate != byBreaker {
		t.Fatalf("breaker %+v, known as %s, ramp %d", view, b.state, m.target.guard.recovery.ramp.gate)
	}
	for i, until := range m.target.until {
		if m.target.shut&(1<<i) == 0 || until != 0 || byLimit == 1<<i && taken > 0 || byBreaker == 1<<i && view.Forced {
			continue
		}
		t.Fatalf("gate %d is shut, and nothing will open it", i)
	}
}
