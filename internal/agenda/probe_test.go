package agenda

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// bench is a near future of one lane and one target, by hand.
type bench struct {
	*Agenda
	t   *testing.T
	at  time.Time
	seq int64
}

func newBench(t *testing.T, slots int) *bench {
	b := &bench{Agenda: New(Config{NearFuture: 100_000, Slots: slots, Share: 1}), t: t, at: time.Unix(1_000_000, 0)}
	b.Own(0, 1, "q")
	b.horizon = 1 << 60
	return b
}

func (b *bench) add(count, attempt int) {
	for range count {
		b.seq++
		row := store.Entry{RunAt: b.at.UnixMicro(), Rank: b.seq, Seq: b.seq, Target: "t", Type: "t", Attempt: attempt}
		row.ID = task.ID{byte(b.seq >> 16), byte(b.seq >> 8), byte(b.seq)}.WithLane(0)
		b.Agenda.Add(b.queueOf("q"), row, true)
	}
}

// breaker is the state of the target's breaker.
func (b *bench) breaker() string {
	target, _ := b.Target("t", b.at)
	return target.Breaker.State
}

func (b *bench) start(most int) []*Entry {
	b.Due(b.at)
	return b.Choose(BatchLimit{Slots: b.slots - b.running, Rows: most, Bytes: 1 << 30})
}

func (b *bench) end(e *Entry, c retry.Category, policy *retry.Policy) {
	b.Conclude(e, guard.Feedback{At: b.at, Took: time.Millisecond, First: e.Attempt == 0, Policy: policy, Category: c})
	b.Agenda.vacate(e)
	b.Forget(e)
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
			for b.breaker() == "closed" {
				for _, e := range b.start(40) {
					b.end(e, retry.Unavailable, policy)
				}
				b.at = b.at.Add(100 * time.Millisecond)
			}
			for b.breaker() != "half_open" {
				b.at = b.at.Add(time.Second)
				b.Due(b.at)
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

// A timeout of a task's own that is too short to say anything of its target is such an
// answer too: one caller's short timeouts are no way around the breaker and the budget.
func TestProbesWithShortTimeoutsAreBounded(t *testing.T) {
	policy := retry.Default()
	b := newBench(t, 100)
	b.add(5000, 1)
	b.add(60, 0)
	for b.breaker() == "closed" {
		for _, e := range b.start(40) {
			b.end(e, retry.Unavailable, policy)
		}
		b.at = b.at.Add(100 * time.Millisecond)
	}
	b.at = b.at.Add(2 * time.Minute)
	b.Due(b.at)
	retries := 0
	for range 10_000 {
		b.at = b.at.Add(time.Millisecond)
		for _, e := range b.start(10) {
			if e.Attempt > 0 {
				retries++
			}
			b.Conclude(e, guard.Feedback{At: b.at, Took: time.Millisecond, OwnTimeout: time.Millisecond, First: e.Attempt == 0, Policy: policy, Category: retry.Timeout})
			b.vacate(e)
			b.Forget(e)
		}
	}
	if state := b.breaker(); state != "half_open" {
		t.Errorf("the breaker is %v: an unfair timeout says nothing", state)
	}
	if retries > 30 {
		t.Errorf("%d retries in 10 s without a first attempt", retries)
	}
}
