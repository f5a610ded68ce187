package alerts

import (
	"maps"
	"regexp"
	"testing"
	"time"

	_ "github.com/outlast-dev/outlast/cel"
	"github.com/outlast-dev/outlast/internal/expr"
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
		"exhausted":           {[]*Occurrence{Ended(settlement(task.OutcomeDead, task.Exhausted), 1)}, []*Occurrence{Ended(settlement(task.OutcomeDead, task.Rejected), 1)}},
		"crash_loop":          {[]*Occurrence{Ended(settlement(task.OutcomeDead, task.CrashLoop), 1)}, []*Occurrence{Ended(settlement(task.OutcomeDead, task.Exhausted), 1)}},
		"follow_up_dead":      {[]*Occurrence{Ended(follow, 1)}, []*Occurrence{Ended(settlement(task.OutcomeDead, task.Exhausted), 1)}},
		"died":                {[]*Occurrence{Ended(settlement(task.OutcomeDead, task.Rejected), 1), Ended(settlement(task.OutcomeDead, task.Expired), 1)}, []*Occurrence{Ended(settlement(task.OutcomeDead, task.Exhausted), 1), Ended(settlement(task.OutcomeDead, task.CrashLoop), 1)}},
		"process_died":        {[]*Occurrence{ProcessDied(HolderEnd{"n", "node dead"}, make([]store.Recovered, 2), now)}, nil},
		"resources_exhausted": {[]*Occurrence{Exhausted("n", "EMFILE", 1, now)}, nil},
		"dead_letters":        {[]*Occurrence{letters(5), letters(6)}, []*Occurrence{letters(4)}},
		"no_owner":            {[]*Occurrence{queue(QueueSample{Backlog: 1})}, []*Occurrence{queue(QueueSample{}), queue(QueueSample{Backlog: 1, Owned: true})}},
		"no_worker":           {[]*Occurrence{queue(QueueSample{Backlog: 1, Owned: true, Stranded: []Stranded{{Type: "a"}}})}, []*Occurrence{queue(QueueSample{Backlog: 1, Owned: true}), queue(QueueSample{Backlog: 1, Owned: true, Stranded: []Stranded{{Type: "a"}}, Paused: true})}},
		"dead_group":          {[]*Occurrence{group(GroupSample{Waiting: 1}), group(GroupSample{Waiting: 1, Living: 1, Failing: time.Minute})}, []*Occurrence{group(GroupSample{}), group(GroupSample{Waiting: 1, Living: 1, Failing: time.Second}), group(GroupSample{Living: 1, Failing: time.Hour})}},
		"key_blocked":         {[]*Occurrence{(&BlockedSample{Hold: store.Hold{Key: "k", Waiting: 1}}).at(now), (&BlockedSample{Others: 3}).at(now)}, []*Occurrence{(&BlockedSample{}).at(now)}},
		"missing_key":         {[]*Occurrence{(&KeySample{Name: "k1", Waiting: 1}).at(now), (&KeySample{Waiting: 2}).at(now)}, []*Occurrence{(&KeySample{Name: "k1"}).at(now)}},
		"schedule_missed":     {[]*Occurrence{ScheduleMissed("s", 1, now)}, []*Occurrence{ScheduleMissed("s", 0, now)}},
		"redrive_failed":      {[]*Occurrence{redrive(store.OperationFailed)}, []*Occurrence{redrive(store.OperationDone), redrive(store.OperationCanceled)}},
		"storm_forming":       {},
		"slower_after_change": {[]*Occurrence{change(2, 50, 3*time.Second), change(5, 1000, 9*time.Second)}, []*Occurrence{
			change(1, 1000, 9*time.Second), change(2, 49, 9*time.Second), change(2, 1000, 2*time.Second), change(2, 1000, 0),
		}},
	}
	for _, rule := range Builtin(5) {
		if _, tested := rows[rule.Name]; !tested {
			t.Errorf("the built-in rule %s has no row here", rule.Name)
		}
	}
	for name, row := range rows {
		for _, o := range row.holds {
			if !told(name, o) {
				t.Errorf("%s does not tell that %s", name, o.Text)
			}
		}
		for _, o := range row.not {
			if told(name, o) {
				t.Errorf("%s tells that %s", name, o.Text)
			}
		}
	}
}

// What a built-in rule says in Go is what it says in the language of conditions, whatever
// the variables are that it names.
func TestBuiltinRulesSayTheSameTwice(t *testing.T) {
	t.Parallel()
	candidates := map[string][]any{
		"string": {"", "exhausted", "crash_loop", "failed", "fallback"},
		"int":    {0, 1, 2, 4, 5, 6, 19, 20, 49, 50},
		"double": {0.0, 0.19, 0.2, 1.49, 1.5, 2.99, 3.0},
		"bool":   {false, true}, "duration": {time.Duration(0), time.Minute - 1, time.Minute},
	}
	for _, rule := range builtins(5) {
		if rule.When == "" {
			continue
		}
		written, err := languages[rule.On].Compile(rule.When)
		if err != nil || rule.holds == nil {
			t.Errorf("%s: %v, in Go: %v", rule.Name, err, rule.holds != nil)
			continue
		}
		all := []values{{}}
		for _, v := range Variables() {
			if !v.on(rule.On) || !regexp.MustCompile(`\b`+v.Name+`\b`).MatchString(rule.When) {
				continue
			}
			var wider []values
			for _, one := range all {
				for _, candidate := range candidates[v.Type] {
					with := maps.Clone(one)
					with[v.Name] = candidate
					wider = append(wider, with)
				}
			}
			all = wider
		}
		held := 0
		for _, one := range all {
			want, err := written.Holds(expr.In(one))
			if err != nil || rule.holds(one) != want {
				t.Errorf("%s of %v: %v in Go, %v (%v) as written", rule.Name, one, rule.holds(one), want, err)
			}
			if want {
				held++
			}
		}
		if held == 0 || held == len(all) {
			t.Errorf("%s holds for %d of %d", rule.Name, held, len(all))
		}
	}
}

// A number that was counted to a bound is told as such, and types by their names.
func TestTextOfABoundedBacklog(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]QueueSample{
		"queue q has at least 100 pending tasks; no living node can start 1 type of them: a":         {Backlog: 100, Bound: 100, Stranded: []Stranded{{Type: "a"}}},
		"queue q has 99 pending tasks; no living node can start 5 types of them: a, b, c and 2 more": {Backlog: 99, Bound: 100, Stranded: []Stranded{{Type: "a"}, {Type: "b"}, {Type: "c"}, {Type: "d"}, {Type: "e"}}},
	} {
		q.Name, q.Owned = "q", true
		if got := q.at(time.Now()).Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Numbers that may be larger are told as such.
func TestTextOfNumbersThatMayBeLarger(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]*Occurrence{
		"group g has 0 living members; at least 1 task waits":                         (&GroupSample{Name: "g", Waiting: 1}).at(start),
		"group g has 1 living member; no task waits":                                  (&GroupSample{Name: "g", Living: 1}).at(start),
		"at least 10000 tasks cannot be read for want of the encryption key k":        (&KeySample{Name: "k", Waiting: 10_000}).at(start),
		"1 task cannot be read: damaged, or in the clear where nothing may be":        (&KeySample{Waiting: 1}).at(start),
		"queue q has 2 pending tasks, the oldest due for 2 days; no node works on it": (&QueueSample{Name: "q", Backlog: 2, Bound: 100, OldestDue: 48 * time.Hour}).at(start),
	} {
		if o.Text != want {
			t.Errorf("%q, want %q", o.Text, want)
		}
	}
}

// told reports whether the built-in rule of a name holds for an occurrence.
func told(name string, o *Occurrence) bool {
	for _, rule := range builtins(5) {
		if rule.Name == name && rule.On == o.On {
			return rule.holds == nil || rule.holds(o.Values)
		}
	}
	return false
}
