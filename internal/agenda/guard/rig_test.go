package guard

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// rig is one target with tasks that are always due, by hand.
type rig struct {
	*Targets
	target *Target
	at     time.Time
	tasks  backlog
}

// backlog has so many due tasks of each kind.
type backlog struct{ due [2]int }

func (b *backlog) Refresh()   {}
func (b *backlog) Held() bool { return false }
func (b *backlog) Due(of Gates) int {
	if of&byBreaker == 0 {
		return 0
	}
	return b.due[of.Kind()]
}

func newRig(share int) *rig {
	r := &rig{at: time.Unix(1_000_000, 0), tasks: backlog{[2]int{1000, 1000}}}
	r.Targets = New(Config{Clock: &Clock{}, Share: share})
	r.clock.Advance(r.at)
	r.target = r.Attach("t", &r.tasks)
	return r
}

// pass lets time pass.
func (r *rig) pass(d time.Duration) {
	r.at = r.at.Add(d)
	r.clock.Advance(r.at)
	r.Wake(r.at.UnixMicro())
	r.AskYielding()
}

// start starts a task, as far as the gates let one start.
func (r *rig) start(failed bool) *Call {
	c := Call{Push: true}
	c.Require(Usual, failed)
	for {
		if open, _ := r.target.Startable(); !open[c.Gates] {
			return nil
		}
		if r.target.Allow(&c) {
			r.target.Started()
			return &c
		}
	}
}

func (r *rig) end(c *Call, category retry.Category, policy *retry.Policy) {
	r.target.Conclude(c, Feedback{At: r.at, Took: time.Millisecond, First: c.Gates.Kind() == First, Policy: policy, Category: category})
	r.target.Ended()
}

// A breaker that a new policy has replaced says nothing about the target any
// more: its probe that comes back late must not make the target believe that
// the new one ramps, and ask it for ever.
func TestReplacedBreakerIsNotHeard(t *testing.T) {
	one := retry.Default()
	two, err := retry.New(retry.Attempts(5), retry.TaskBreaker(&retry.BreakerConfig{Consecutive: 3, OpenFor: time.Minute}))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(100)
	slow := r.start(false)
	for range 40 {
		r.pass(100 * time.Millisecond)
		if c := r.start(false); c != nil {
			r.end(c, retry.Unavailable, one)
		}
	}
	b := &r.target.guard.breaker
	if b.state != retry.Open {
		t.Fatalf("state %v", b.state)
	}
	r.pass(2 * time.Minute)
	probe := r.start(false)
	if probe == nil || r.start(false) != nil || b.state != retry.HalfOpen {
		t.Fatalf("not one probe, state %v", b.state)
	}
	r.end(slow, retry.Unavailable, two) // the policy has changed: new guards
	r.end(probe, "", one)
	if state := b.current.View(r.at).State; b.state != state {
		t.Errorf("the target believes %v of a breaker that is %v", b.state, state)
	}
	for range 10 {
		if r.start(false) == nil {
			return
		}
	}
	t.Errorf("ten probes at once")
}
