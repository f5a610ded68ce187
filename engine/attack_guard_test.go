package engine

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// bench is a near future of one lane and one target, by hand.
type bench struct {
	*near
	t   *testing.T
	at  time.Time
	seq int64
}

func newBench(t *testing.T, slots int) *bench {
	b := &bench{near: newNear(10_000, slots, 1), t: t, at: time.Unix(1_000_000, 0)}
	b.own(0, 1, b.queueOf("q"))
	b.horizon = 1 << 60
	return b
}

func (b *bench) add(count, attempt int) {
	for range count {
		b.seq++
		row := store.Entry{RunAt: micros(b.at), Rank: b.seq, Seq: b.seq, Target: "t", Type: "t", Attempt: attempt}
		row.ID = task.ID{byte(b.seq >> 16), byte(b.seq >> 8), byte(b.seq)}.WithLane(0)
		b.near.add(b.queueOf("q"), row, true)
	}
}

func (b *bench) start(most int) []*entry {
	b.due(b.at)
	return b.pick(room{slots: b.slots - b.running, batch: most, bytes: 1 << 30})
}

func (b *bench) end(e *entry, c retry.Category, policy *retry.Policy) {
	b.conclude(e, answer{at: b.at, took: time.Millisecond, first: e.Attempt == 0, policy: policy, category: c})
	b.near.end(e)
	b.forget(e)
}

// A breaker that a new policy has replaced says nothing about the target any
// more: its probe that comes back late must not make the engine believe that
// the new one ramps, and ask it for ever.
func TestReplacedBreakerIsNotHeard(t *testing.T) {
	one := retry.Default()
	two, err := retry.New(retry.Attempts(5), retry.TaskBreaker(&retry.BreakerConfig{Consecutive: 3, OpenFor: time.Minute}))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, 100)
	b.add(60, 0)
	slow := b.start(1)[0]
	for _, e := range b.start(40) {
		b.at = b.at.Add(100 * time.Millisecond)
		b.end(e, retry.Unavailable, one)
	}
	g := b.targets["t"].guard
	if g.state != retry.Open {
		t.Fatalf("state %v", g.state)
	}
	b.at = b.at.Add(2 * time.Minute)
	probes := b.start(10)
	if len(probes) != 1 || g.state != retry.HalfOpen {
		t.Fatalf("%d probes, state %v", len(probes), g.state)
	}
	b.end(slow, retry.Unavailable, two) // the policy has changed: new guards
	b.end(probes[0], "", one)
	if state := g.breaker.View(b.at).State; g.state != state {
		t.Errorf("the engine believes %v of a breaker that is %v", g.state, state)
	}
	done := make(chan bool)
	go func() { defer close(done); b.start(10) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the engine asks for ever")
	}
}

// Probes whose answers say neither yes nor no cost no tokens, but they must not
// be a way around the budget.
func TestProbesWithoutAVerdictAreBounded(t *testing.T) {
	for _, category := range []retry.Category{retry.Throttled, retry.Conflict} {
		t.Run(string(category), func(t *testing.T) {
			policy := retry.Default()
			b := newBench(t, 100)
			b.add(5000, 1)
			b.add(60, 0)
			for b.targets["t"].guard == nil || b.targets["t"].guard.state == retry.Closed {
				for _, e := range b.start(40) {
					b.end(e, retry.Unavailable, policy)
				}
				b.at = b.at.Add(100 * time.Millisecond)
			}
			for b.targets["t"].guard.state != retry.HalfOpen {
				b.at = b.at.Add(time.Second)
				b.due(b.at)
				if s := b.start(1); len(s) > 0 {
					b.end(s[0], category, policy)
				}
			}
			starts := 0
			for range 10_000 {
				b.at = b.at.Add(time.Millisecond)
				for _, e := range b.start(10) {
					if e.Attempt > 0 {
						starts++
					}
					b.end(e, category, policy)
				}
			}
			if starts > 30 {
				t.Errorf("%d retries in 10 s without a first attempt", starts)
			}
		})
	}
}
