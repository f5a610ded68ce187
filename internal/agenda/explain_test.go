package agenda

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// asked is an agenda of one queue with ten slots, half of them for a target, of which a
// test makes something.
type asked struct {
	*Agenda
	now     time.Time
	seq     byte
	nobody  bool // asks for tasks of remote workers
	limited int  // attempts of a target
}

func newAsked() *asked {
	a := &asked{now: time.Unix(1_000_000, 0)}
	a.Agenda = New(Config{
		NearFuture: 1000, Slots: 10, Share: 0.5,
		Takes:       func(string, string) (Taker, bool) { return nil, !a.nobody },
		TargetLimit: func(string) int { return a.limited },
	})
	a.Follow(a.now, guard.Fleet{Position: guard.Position{Of: 1}})
	a.Own(0, 1, "q")
	a.LookAhead(a.now, time.Hour)
	return a
}

// add adds a task that is due in a while, after a change of its row.
func (a *asked) add(in time.Duration, change func(*store.Entry)) task.ID {
	a.seq++
	row := store.Entry{RunAt: a.now.Add(in).UnixMicro(), Rank: int64(a.seq), Seq: int64(a.seq), Target: "t", Type: "t"}
	row.ID = task.ID{a.seq}.WithLane(0)
	if change != nil {
		change(&row)
	}
	a.Add(a.queueOf("q"), row, true)
	return row.ID
}

// start starts what may, so many at most.
func (a *asked) start(most int) []*Entry {
	a.Due(a.now)
	return a.Choose(BatchLimit{Slots: 10 - a.Running(), Rows: most, Bytes: 1 << 30})
}

// fail lets so many attempts fail, one after the other.
func (a *asked) fail(count int, f guard.Feedback) {
	for range count {
		a.add(0, nil)
		for _, e := range a.start(1) {
			f.At, f.Policy = a.now, retry.Default()
			a.Conclude(e, f)
			a.End(e, time.Time{})
			a.Forget(e)
		}
		a.now = a.now.Add(100 * time.Millisecond)
	}
}

func keyed(row *store.Entry) { row.Key = "k" }

// Each reason, with what makes it: prepare returns the task that is asked about.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		name    string
		why     task.Waiting
		until   bool // somebody knows when
		behind  bool // another task is named
		prepare func(*asked) task.ID
	}{
		{"nothing", "", false, false, func(a *asked) task.ID { return a.add(0, nil) }},
		{"it runs", "", false, false, func(a *asked) task.ID { return a.add(0, nil) }},
		{"due later", task.DueLater, true, false, func(a *asked) task.ID { return a.add(time.Minute, nil) }},
		{"backoff", task.InBackoff, true, false, func(a *asked) task.ID {
			return a.add(time.Minute, func(row *store.Entry) { row.Attempt = 1 })
		}},
		{"paused before all else", task.QueuePaused, false, false, func(a *asked) task.ID {
			a.SetQueue("q", QueueSettings{Paused: true, Weight: 1})
			return a.add(time.Minute, nil)
		}},
		{"behind another", task.BehindKey, false, true, func(a *asked) task.ID {
			a.add(0, keyed)
			return a.add(time.Minute, keyed)
		}},
		{"its key runs elsewhere", task.BehindKey, true, false, func(a *asked) task.ID {
			id := a.add(0, keyed)
			e := a.start(1)[0]
			a.NotStarted(e)
			a.Delay(e, a.now.Add(time.Second).UnixMicro())
			return id
		}},
		{"its lane is handed over", task.Unowned, true, false, func(a *asked) task.ID {
			a.add(0, keyed)
			a.start(1)
			id := a.add(0, func(row *store.Entry) { row.Key = "l" })
			a.ToGive("q", 1, a.now.UnixMicro())
			return id
		}},
		{"no worker waits for its type", task.NoSlot, false, false, func(a *asked) task.ID {
			a.nobody = true
			id := a.add(0, nil)
			a.start(1)
			return id
		}},
		{"an operator's order", task.BreakerOpen, false, false, func(a *asked) task.ID {
			a.Follow(a.now, guard.Fleet{Position: guard.Position{Of: 1}, Orders: []store.TargetOrder{{Target: "t", Action: store.TargetOpen, At: a.now}}})
			id := a.add(0, nil)
			a.start(1)
			return id
		}},
		{"an outage", task.BreakerOpen, true, false, func(a *asked) task.ID {
			a.fail(40, guard.Feedback{Category: retry.Unavailable, First: true})
			return a.add(0, nil)
		}},
		{"nobody takes tasks of the target", task.InGroupBackoff, true, false, func(a *asked) task.ID {
			a.fail(1, guard.Feedback{Hold: &guard.Hold{After: time.Minute, Since: a.now, Why: store.Held{Failures: 1}}})
			return a.add(0, nil)
		}},
		{"a pause", task.RateLimited, true, false, func(a *asked) task.ID {
			a.fail(20, guard.Feedback{Category: retry.Throttled, RetryAfter: time.Minute, First: true})
			return a.add(0, nil)
		}},
		{"a spent budget", task.BudgetSpent, true, false, func(a *asked) task.ID {
			unbroken, err := retry.New(retry.TaskBreaker(nil))
			if err != nil {
				panic(err)
			}
			for range 1000 {
				id := a.add(0, func(row *store.Entry) { row.Attempt = 1 })
				batch := a.start(1)
				if len(batch) == 0 {
					return id
				}
				a.Conclude(batch[0], guard.Feedback{At: a.now, Category: retry.Unavailable, Policy: unbroken})
				a.End(batch[0], time.Time{})
				a.Forget(batch[0])
			}
			return task.ID{}
		}},
		{"the target's share", task.AtConcurrency, false, false, func(a *asked) task.ID {
			for range 6 {
				a.add(0, nil)
			}
			a.start(10)
			return a.add(0, nil)
		}},
		{"the target's limit", task.AtConcurrency, false, false, func(a *asked) task.ID {
			a.limited = 1
			a.add(0, nil)
			a.start(1)
			return a.add(0, nil)
		}},
		{"another may be poison", task.NoSlot, false, true, func(a *asked) task.ID {
			crashed := func(row *store.Entry) { row.Crashes = 2 }
			a.add(0, crashed)
			a.start(1)
			id := a.add(0, crashed)
			a.start(1)
			return id
		}},
		{"the queue's limit", task.AtConcurrency, false, false, func(a *asked) task.ID {
			a.SetQueue("q", QueueSettings{Limit: 1, Weight: 1})
			a.add(0, nil)
			a.start(1)
			return a.add(0, nil)
		}},
		{"slots", task.NoSlot, false, false, func(a *asked) task.ID {
			for i := range 10 {
				a.add(0, func(row *store.Entry) { row.Target = "other" + string(rune('0'+i/5)) })
			}
			a.start(10)
			return a.add(0, nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAsked()
			id := c.prepare(a)
			if c.name == "it runs" {
				a.start(1)
			}
			a.Due(a.now)
			got, known := a.Explain(id, a.now)
			if !known || got.Why != c.why || got.Until.IsZero() == c.until || got.Behind.IsZero() == c.behind {
				t.Fatalf("known %v, %+v", known, got)
			}
			if again, _ := a.Explain(id, a.now); again != got {
				t.Errorf("asked again, it says %+v, not %+v", again, got)
			}
			started := false
			for _, e := range a.start(10) {
				started = started || e.ID == id
			}
			if started != (c.name == "nothing") {
				t.Errorf("started %v, although %q", started, got.Why)
			}
		})
	}
	if _, known := newAsked().Explain(task.ID{1}, time.Time{}); known {
		t.Error("a task that is not in memory is known")
	}
}
