package alert

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Each built-in rule holds for what it is there for, and not for what is near it.
// storm_forming is looked at over time, in TestStormIsSeenForming.
func TestBuiltinRules(t *testing.T) {
	t.Parallel()
	now := time.Now()
	queue := func(q QueueSample) *Occurrence { return q.at(now) }
	group := func(g GroupSample) *Occurrence { return g.at(now) }
	letters := func(n int) *Occurrence { return lettersAt(&store.DeadStats{Total: n}, now) }
	redrive := func(state store.OperationState) *Occurrence {
		return RedriveEnded(&store.Operation{State: state}, now)
	}
	change := func(number, samples int, p99 time.Duration) *Occurrence {
		return (&ChangeSample{Type: "t", Number: number, By: "release", From: "1", To: "2", Samples: samples, P99Before: 2 * time.Second, P99: p99}).at(now)
	}
	follow := settlement(task.OutcomeDead, task.Exhausted)
	follow.Task.Spec.Follows = "fallback"
	rows := map[string]struct{ holds, not []*Occurrence }{
		"exhausted":       {[]*Occurrence{Ended(settlement(task.OutcomeDead, task.Exhausted), 1)}, []*Occurrence{Ended(settlement(task.OutcomeDead, task.Rejected), 1)}},
		"crash_loop":      {[]*Occurrence{Ended(settlement(task.OutcomeDead, task.CrashLoop), 1)}, []*Occurrence{Ended(settlement(task.OutcomeDead, task.Exhausted), 1)}},
		"follow_up_dead":  {[]*Occurrence{Ended(follow, 1)}, []*Occurrence{Ended(settlement(task.OutcomeDead, task.Exhausted), 1)}},
		"dead_letters":    {[]*Occurrence{letters(5), letters(6)}, []*Occurrence{letters(4)}},
		"no_owner":        {[]*Occurrence{queue(QueueSample{Backlog: 1})}, []*Occurrence{queue(QueueSample{}), queue(QueueSample{Backlog: 1, Owned: true})}},
		"no_worker":       {[]*Occurrence{queue(QueueSample{Backlog: 1, Owned: true, Stranded: []string{"a"}})}, []*Occurrence{queue(QueueSample{Backlog: 1, Owned: true})}},
		"dead_group":      {[]*Occurrence{group(GroupSample{Waiting: 1}), group(GroupSample{Waiting: 1, Living: 1, Failing: time.Minute})}, []*Occurrence{group(GroupSample{}), group(GroupSample{Waiting: 1, Living: 1, Failing: time.Second}), group(GroupSample{Living: 1, Failing: time.Hour})}},
		"schedule_missed": {[]*Occurrence{ScheduleMissed("s", 1, now)}, []*Occurrence{ScheduleMissed("s", 0, now)}},
		"redrive_failed":  {[]*Occurrence{redrive(store.OperationFailed)}, []*Occurrence{redrive(store.OperationDone), redrive(store.OperationCanceled)}},
		"storm_forming":   {},
		"slower_after_change": {[]*Occurrence{change(2, 50, 3*time.Second), change(5, 1000, 9*time.Second)}, []*Occurrence{
			change(1, 1000, 9*time.Second), change(2, 49, 9*time.Second), change(2, 1000, 2*time.Second), change(2, 1000, 0),
		}},
	}
	b := newBook(Builtin(5), nil)
	for _, rule := range b.all {
		if _, tested := rows[rule.Name]; !tested {
			t.Errorf("the built-in rule %s has no row here", rule.Name)
		}
	}
	for name, row := range rows {
		for _, o := range row.holds {
			if !told(b, name, o) {
				t.Errorf("%s does not tell that %s", name, o.Text)
			}
		}
		for _, o := range row.not {
			if told(b, name, o) {
				t.Errorf("%s tells that %s", name, o.Text)
			}
		}
	}
}

// told reports whether the rule of a name holds for an occurrence.
func told(b *book, name string, o *Occurrence) bool {
	for _, rule := range b.rules[o.On] {
		if rule.Name == name {
			return rule.holds(o)
		}
	}
	return false
}
